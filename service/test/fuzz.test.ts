import fc from 'fast-check';
import { type Service, startService } from '../index.ts';
import { type Client, createClient, type Json } from './client.ts';
import { cases } from '../../test/support/cases.ts';

let service: Service;
let api: Client;
let ids: Record<string, string>;
let endpoints: Array<[method: string, path: string]>;
const reported: string[] = [];

beforeAll(async () => {
	service = await startService({ logTo: { write: (line) => reported.push(line) } });
	api = createClient(service);
	const cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
	const fid = (await api('POST', `cards/${cid}/fields`, { name: 'F', type: 'json' })).body.id;
	const rid = (await api('POST', `cards/${cid}/records`, { data: {} })).body.id;
	const target = { target_url: 'http://127.0.0.1:1/', events: ['collaborator.added'] };
	const { webhook_id } = (await api('POST', 'webhooks', target)).body;
	ids = { cid, fid, rid, webhook_id };
	const { paths } = (await api('GET', '/openapi.json')).body as { paths?: object };
	endpoints = Object.entries(paths ?? {}).flatMap(([path, item]) =>
		Object.keys(item as object).map((method): [string, string] => [
			method.toUpperCase(),
			path.replace('/workspaces/{wid}/', ''),
		]),
	);
});
afterAll(async () => {
	await service.close();
	expect(reported).toEqual([]);
});

/** Ids that exist (unless the request deletes), and whatever else may stand in a path. */
const id = (method: string, known: () => string) =>
	fc.oneof(
		...(method === 'DELETE' ? [] : [fc.constant(null).map(() => known())]),
		fc.string({ unit: 'grapheme', minLength: 1 }).map(safeSegment),
		fc.constantFrom('..%2F..', '%00', '%zz', '%', '__proto__', 'constructor', 'x'.repeat(2_000)),
	);

/** Avoids texts that fetch would normalise. */
function safeSegment(text: string): string {
	const encoded = encodeURIComponent(text);
	return encoded === '.' || encoded === '..' ? '%2E' : encoded;
}

/** Bodies close to real ones, anything that is JSON, and anything at all. */
const value = fc.oneof(
	{ depthSize: 'small' },
	fc.jsonValue(),
	fc.string({ unit: 'grapheme' }),
	fc.constantFrom(null, '', 'text', 'single_select', 'http://x/', 'record.created', 'crd_x'),
);
const names = ['name', 'description', 'type', 'options', 'target_url', 'events', 'card_id', 'data'];
const body = fc.oneof(
	{
		weight: 6,
		arbitrary: fc
			.dictionary(
				fc.constantFrom(...names, '__proto__'),
				fc.oneof(value, fc.array(value), fc.dictionary(fc.constantFrom('{fid}', 'x'), value)),
			)
			.map((likely) => JSON.stringify(likely)),
	},
	fc.jsonValue().map((any) => JSON.stringify(any)),
	fc.string({ unit: 'binary' }),
	fc.constantFrom('{', '[1,', '"', 'nul', '\u{feff}{}', '1e400', '[[[[[['),
);
const contentType = fc.oneof(
	{ weight: 6, arbitrary: fc.constant('application/json') },
	fc.constantFrom('APPLICATION/JSON', 'text/plain', 'multipart/form-data; boundary=x', '/;;'),
);
const query = fc.oneof(
	fc.constant(''),
	fc.webQueryParameters().map((text) => `?${text}`),
	fc.string({ unit: 'grapheme' }).map((text) => `?limit=5&cursor=${safeSegment(text)}`),
);

/** An answer is right when it is a success, or a problem that says what it is. */
function judge(status: number, type: string | null, answer: Json | undefined) {
	if (status < 300) return;
	expect(status).toBeGreaterThanOrEqual(400);
	expect(status).toBeLessThan(500);
	expect(type).toBe('application/problem+json; charset=utf-8');
	expect(answer).toMatchObject({
		status,
		type: expect.stringMatching(/^https:.*\/[a-z-]+$/),
		title: expect.stringMatching(/./),
		detail: expect.stringMatching(/./),
	});
}

type Asked = Record<'method' | 'template' | 'search' | 'type', string> &
	Record<string, string | undefined>;

test('no endpoint fails or hangs, whatever it is asked', async () => {
	const asked = fc.constantFrom(...endpoints).chain(([method, template]) =>
		fc.record({
			method: fc.constant(method),
			template: fc.constant(template),
			cid: id(template === 'cards/{cid}' ? method : 'GET', () => String(ids.cid)),
			fid: id(method, () => String(ids.fid)),
			rid: id(method, () => String(ids.rid)),
			webhook_id: id(method, () => String(ids.webhook_id)),
			search: query,
			type: contentType,
			text: method === 'GET' ? fc.constant(undefined) : fc.option(body, { nil: undefined }),
		}),
	);
	const check = async ({ method, template, search, type, text, ...params }: Asked) => {
		const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
		const sent = text?.replaceAll('{fid}', String(ids.fid));
		const answer = await api(method, path + search, sent, {
			...(sent && { 'content-type': type }),
		});
		judge(answer.status, answer.headers.get('content-type'), answer.body);
	};
	expect(endpoints.length).toBeGreaterThan(10);
	await fc.assert(fc.asyncProperty(asked, check), cases(750));
});
