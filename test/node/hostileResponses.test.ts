/** Every operation with an answer of which one part is something else. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { RESOURCES } from '../../nodes/WorkspaceData/actions/registry';
import { runAction } from '../support/n8n';
import { byId, mapEach, where } from '../support/parameters';
import { startWebServer } from '../support/webServer';
import { startWorkspace, type TestCard, type TestWorkspace } from '../support/workspace';
import { cases } from '../support/cases';

/** How many changed answers are tried. */
const RUNS = 200;
/** The longest that a run may take, in ms; nothing in it waits for anything. */
const HANG_MS = 20_000;
/** More requests than any of these operations needs, however it is misled. */
const MAX_REQUESTS = 60;
/** New each time, and printed, so that a failure can be repeated with HOSTILE_SEED. */
const seed = Number(process.env.HOSTILE_SEED ?? Date.now() % 1_000_000);

interface Answer {
	status: number;
	type: string;
	body: string;
}

/** An operation, and its conversation with the real service: responses by request, in order. */
interface Recorded {
	parameters: IDataObject;
	recording: Map<string, Answer[]>;
}

let workspace: TestWorkspace;
/** Answers the requests of the node. */
let answerTo: (request: string, body: string, authorization?: string) => Promise<Answer>;
let server: Awaited<ReturnType<typeof startWebServer>>;
let baseUrl: string;
const operations: Recorded[] = [];

const run = async (parameters: IDataObject) =>
	await runAction({
		credentials: { workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, baseUrl } },
		parameters,
		// For Create From Items; the others map values of their own.
		items: [{ Key: 'a', Amount: 3 }],
	});

/** What each operation needs in addition to succeed. */
function needs({ fieldIds }: TestCard, recordId: string): Record<string, IDataObject> {
	const columns = mapEach({ Key: 'a', Amount: 3 }, { matchingColumns: ['Key'] });
	const some = { ...where('Key', 'equals', 'a'), matchType: 'allConditions' };
	const field = { fieldId: byId(fieldIds.Key ?? '') };
	const record = { recordId: byId(recordId) };
	const updateFields = { name: 'Renamed' };
	return {
		'card create': { name: 'New card' },
		'card createFromItems': { name: 'Card from items' },
		'card update': { updateFields },
		'card getAll': { returnAll: true },
		'field create': { name: 'New field', type: 'text' },
		'field get': field,
		'field update': { ...field, updateFields },
		'field delete': field,
		'field getAll': { returnAll: true },
		'record create': { columns },
		'record upsert': { columns },
		'record sync': { columns },
		'record get': record,
		// With a field and a choice that the card does not have.
		'record update': {
			...record,
			columns: mapEach({ Key: 'a', New: 3, Status: 'Late' }),
			options: { unknownFields: 'create', missingChoices: 'add' },
		},
		'record delete': record,
		'record getAll': { ...some, returnAll: true },
		'record getPage': { limit: 1 },
		'record count': some,
		'record ifExists': some,
		'record ifNotExists': some,
		'record updateMany': { ...some, columns: mapEach({ Amount: 4 }) },
		'record deleteMany': some,
		'apiDescription get': { format: 'json' },
	};
}

/** Asks the real service, and keeps what it says. */
const recordInto =
	(recording: Recorded['recording']): typeof answerTo =>
	async (request, body, authorization = '') => {
		const [method = '', path = ''] = request.split(' ');
		const type = { ...(body !== '' && { 'content-type': 'application/json' }) };
		const response = await fetch(new URL(path, workspace.service.baseUrl), {
			method,
			headers: { authorization, accept: 'application/json', ...type },
			...(body !== '' && { body }),
		});
		const answer = {
			status: response.status,
			type: response.headers.get('content-type') ?? 'application/json',
			body: await response.text(),
		};
		recording.set(request, [...(recording.get(request) ?? []), answer]);
		return answer;
	};

beforeAll(async () => {
	workspace = await startWorkspace();
	server = await startWebServer(async (request, response) => {
		const { method, url, headers } = request;
		const sent = await text(request);
		const { status, type, body } = await answerTo(`${method} ${url}`, sent, headers.authorization);
		response.writeHead(status, { 'content-type': type }).end(status === 204 ? '' : body);
	});
	baseUrl = `${server.url}/api/v1`;
	const Status = { type: 'single_select', options: ['Open', 'Done'] };
	for (const { value: resource, operations: own } of RESOURCES) {
		for (const { value: operation } of own) {
			const name = `${resource} ${operation}`;
			const card = await workspace.card(name, { Key: 'text', Amount: 'number', Status });
			const [recordId = ''] = await workspace.records(card.id, [
				{ Key: 'a', Amount: 1, Status: 'Open' },
				{ Key: 'b', Amount: 2, Status: 'Done' },
			]);
			const base = { resource, operation, cardId: byId(card.id), options: {}, simple: true };
			const parameters = { ...base, ...needs(card, recordId)[name] };
			const recording: Recorded['recording'] = new Map();
			answerTo = recordInto(recording);
			const { error } = await run(parameters);
			if (error) throw new Error(`${name}: ${error.message} ${error.description}`);
			operations.push({ parameters, recording });
		}
	}
});
afterAll(async () => {
	await server.close();
	await workspace.close();
});

type Path = Array<string | number>;

/** Where each part of a value is; the first path is the value itself. */
function pathsOf(value: unknown, path: Path = []): Path[] {
	const below = Array.isArray(value)
		? value.flatMap((part, n) => pathsOf(part, [...path, n]))
		: Object.entries(value ?? {}).flatMap(([key, part]) =>
				typeof value === 'object' ? pathsOf(part, [...path, key]) : [],
			);
	return [path, ...below];
}

/** A copy in which the part at a path is another value, or missing. */
function withPart(value: unknown, [key, ...rest]: Path, part: unknown): unknown {
	if (key === undefined) return part;
	const copy = structuredClone(value) as Record<string | number, unknown>;
	if (rest.length === 0 && part === undefined) delete copy[key];
	else copy[key] = withPart(copy[key], rest, part);
	return copy;
}

/** JSON texts; undefined leaves the part out. */
const REPLACEMENTS: Array<string | undefined> = [
	...[undefined, 'null', 'true', '0', '-1', '1e400', '9007199254740993', '""', '" "'],
	...['"__proto__"', '"constructor"', '"<html>"', '[]', '{}', '[null]', '[[]]', '{"id":{}}'],
	'{"__proto__":{"polluted":true},"constructor":null}',
	JSON.stringify('x'.repeat(200_000)),
	JSON.stringify(Array.from({ length: 2_000 }, (_, n) => n)),
	`${'['.repeat(2_000)}${']'.repeat(2_000)}`,
];

const INTERNAL =
	/TypeError|RangeError|Can't (?:read|set|convert|destructure|access)|isn't (?:a function|iterable|defined)|call stack|Invalid (?:array length|string length|time value)|\[object Object\]/;

const NOT_FOUND = { status: 404, type: 'application/problem+json', body: '{"title":"Not found"}' };

/** The parts of an operation's responses that may be replaced. */
const placesOf = ({ recording }: Recorded) =>
	[...recording].flatMap(([request, answers]) =>
		answers.flatMap(({ body }, index) => {
			if (!/^\s*[[{]/.test(body)) return [];
			return pathsOf(JSON.parse(body)).map((path) => ({ request, index, path }));
		}),
	);

test('any part of any answer is something else: a result or a message, no hang, no second write', async () => {
	process.stdout.write(`hostile answers: HOSTILE_SEED=${seed}\n`);
	const tried = operations
		.map((one) => ({ ...one, places: placesOf(one) }))
		.filter(({ places }) => places.length > 0);
	const known = { weight: 4, arbitrary: fc.constantFrom(...REPLACEMENTS) };
	const any = { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) };
	const anything = fc.asyncProperty(
		fc.constantFrom(...tried),
		fc.nat(),
		fc.oneof(known, any),
		async ({ parameters, recording, places }, at, json) => {
			const place = places[at % places.length];
			const seen = new Map<string, number>();
			const writes: string[] = [];
			let requests = 0;
			answerTo = async (request, sent) => {
				requests += 1;
				if (!request.startsWith('GET')) writes.push(`${request} ${sent}`);
				const index = seen.get(request) ?? 0;
				seen.set(request, index + 1);
				const answers = recording.get(request) ?? [];
				const answer = answers[Math.min(index, answers.length - 1)] ?? NOT_FOUND;
				if (place?.request !== request || index < place.index) return answer;
				// Numbers beyond JavaScript's must arrive as written, so the part goes in as text.
				const mark = '"the part that is replaced"';
				const part = json === undefined ? undefined : JSON.parse(mark);
				const changed = JSON.stringify(withPart(JSON.parse(answer.body), place.path, part)) ?? '';
				return { ...answer, body: changed.replace(mark, () => json ?? '') };
			};
			const hang = setTimeout(HANG_MS, undefined, { ref: false });
			const { error, status = "The run didn't end" } =
				(await Promise.race([run(parameters), hang])) ?? {};
			expect(['success', 'error']).toContain(status);
			if (error) {
				expect(error.name).toMatch(/^Node(?:Api|Operation)Error$/);
				expect(error.message).toMatch(/\w/);
				expect(`${error.message} ${error.description}`).not.toMatch(INTERNAL);
			}
			expect(new Set(writes).size).toBe(writes.length);
			const posts = (what: string) =>
				writes.filter((write) => new RegExp(`^POST \\S+/${what} `).test(write)).length;
			expect(Math.max(posts('cards'), posts('records'))).toBeLessThan(2);
			// Each mapped key may become a field, where the listing no longer shows that it is one.
			expect(posts('fields')).toBeLessThan(4);
			expect(requests).toBeLessThan(MAX_REQUESTS);
			expect(Object.keys(Object.prototype)).toEqual([]);
			expect(({} as IDataObject).polluted).toBeUndefined();
		},
	);
	await fc.assert(anything, { ...cases(RUNS), seed });
}, 180_000);
