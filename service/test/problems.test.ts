import { connect } from 'node:net';
import type { ControlledService } from '../index.ts';
import problemVectors from '../../test/vectors/problem.json' with { type: 'json' };
import rateVectors from '../../test/vectors/rateLimit.json' with { type: 'json' };
import { type Answer, type Client, useService } from './client.ts';

let service: ControlledService;
let api: Client;
let cid: string;
const reported: string[] = [];

useService(
	async (started, client) => {
		[service, api] = [started, client];
		cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
	},
	{ logTo: { write: (line) => reported.push(line) } },
);
afterAll(() => expect(reported).toEqual([]));

/** Sends bytes as they are and gives what comes back. */
async function raw(text: string): Promise<string> {
	const { port } = new URL(service.baseUrl);
	return await new Promise((resolve, reject) => {
		const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
		let answer = '';
		socket.on('data', (chunk) => (answer += chunk.toString()));
		socket.on('end', () => resolve(answer));
		socket.on('error', reject);
	});
}

const expectProblem = ({ status, headers, body }: Answer, wanted: number, kind: string) => {
	expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
	expect({ sent: status, ...body }).toMatchObject({
		sent: wanted,
		status: wanted,
		type: `https://workspace-data.example/problems/${kind}`,
		title: expect.stringMatching(/./),
		detail: expect.stringMatching(/./),
	});
};

/** What is sent, the problem, and a body with headers. */
test.each<[string, string, string, unknown?, Record<string, string>?]>([
	['malformed JSON', 'POST cards', '400 malformed-json', '{"name":'],
	['JSON that is not UTF-8', 'POST cards', '400 malformed-json', '"\\ud800'],
	['plain text', 'POST cards', '415 unsupported-media-type', 'x', { 'content-type': 'text/plain' }],
	[
		'a compressed body',
		'POST cards',
		'415 unsupported-media-type',
		{},
		{ 'content-encoding': 'gzip' },
	],
	['no body', 'POST cards', '422 validation-failed'],
	['another route', 'GET /api/v1/cards', '404 route-not-found'],
	['almost a route', 'GET /openapi-json', '404 route-not-found'],
	['bad JSON outside of the API', 'POST /else', '404 route-not-found', '{'],
	['a strange id', 'GET cards/..%2F..%2Fx%20y', '404 card-not-found'],
	['records of a card', 'POST cards/none/records', '404 card-not-found', { data: {} }],
	['a subscription', 'DELETE webhooks/none', '404 webhook-not-found'],
	['a long id', `GET cards/${'x'.repeat(1_001)}`, '400 malformed-request'],
	['bad percent-encoding', 'GET cards/%zz', '400 malformed-request'],
])('%s', async (...[, request, problem, body, headers]) => {
	const [method = '', path = ''] = request.split(' ');
	const [status = '', kind = ''] = problem.split(' ');
	expectProblem(await api(method, path, body, headers), Number(status), kind);
});

test('a body that is too large is 413', async () => {
	const answer = await api('POST', 'cards', { name: 'x'.repeat(8 * 1024 * 1024) });
	expectProblem(answer, 413, 'body-too-large');
});

test('another method is 405 and says which are possible', async () => {
	const put = await api('PUT', 'cards', 'not json', { 'content-type': 'text/plain' });
	expectProblem(put, 405, 'method-not-allowed');
	expect(put.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
	const get = await api('GET', 'webhooks/x');
	expect(get.headers.get('allow')).toBe('DELETE');
});

test('a missing record is described as the interface says', async () => {
	const answer = await api('DELETE', `cards/${cid}/records/rec_1`);
	expectProblem(answer, 404, 'record-not-found');
	expect(answer.body).toMatchObject({ title: 'Record not found' });
	const vector = problemVectors.cases.find(({ name }) => name === 'record not found');
	expect(JSON.parse(vector?.body ?? '')).toEqual({
		...answer.body,
		detail: answer.body.detail.replace(cid, 'crd_1'),
	});
});

test('a request that is not HTTP, or has too many headers, gets a problem and does not hang', async () => {
	expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json/s);
	const long = `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`;
	expect(await raw(long)).toMatch(/^HTTP\/1\.1 431 .*headers-too-large/s);
});

test('answers for the rate have the headers of the vectors', async () => {
	service.control.setRate({ rate: { limit: 1 } });
	await api('GET', 'cards');
	const refused = await api('GET', 'cards');
	const vector = rateVectors.cases.find(({ name }) => name === 'refused');
	for (const name of Object.keys(vector?.headers ?? {})) {
		expect([name, refused.headers.has(name)]).toEqual([name, true]);
	}
	expect(refused.status).toBe(vector?.status);
});

describe('the edges of HTTP', () => {
	test('a request without Host is a problem', async () => {
		const answer = await raw('GET /openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n');
		expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*content-type: application\/problem\+json/i);
		expect(answer).toContain('/problems/malformed-request');
	});

	test('an unsupported Expect header is answered with a problem', async () => {
		const answer = await raw('GET /x HTTP/1.1\r\nHost: x\r\nExpect: coffee\r\n\r\n');
		expect(answer).toMatch(/^HTTP\/1\.1 417 [^]*content-type: application\/problem\+json/i);
		expect(answer).toContain('/problems/expectation-failed');
	});

	test('a body in UTF-16 is refused', async () => {
		const type = { 'content-type': 'application/json; charset=utf-16' };
		expectProblem(await api('POST', 'cards', { name: 'x' }, type), 415, 'unsupported-media-type');
		const good = { 'content-type': 'application/json; charset="UTF-8"' };
		expect((await api('POST', 'cards', { name: 'x' }, good)).status).toBe(201);
	});

	test('an unknown query parameter is refused and named', async () => {
		const answer = await api('GET', `cards/${cid}/records?limt=5`);
		expectProblem(answer, 400, 'malformed-request');
		expect(answer.body.detail).toBe('Unknown query parameter "limt". Possible: limit, cursor.');
		const none = await api('GET', 'cards?limit=5');
		expectProblem(none, 400, 'malformed-request');
		expect(none.body.detail).toBe('Unknown query parameter "limit". Possible: none.');
		expect((await api('GET', `cards/${cid}/records?limit=5`)).status).toBe(200);
	});

	test('an option that is renamed with its id keeps the id', async () => {
		const made = { name: 'Size', type: 'single_select', options: ['S', 'L'] };
		const fid = (await api('POST', `cards/${cid}/fields`, made)).body.id;
		const path = `cards/${cid}/fields/${fid}`;
		service.control.setVariants({ fieldOptions: 'idName' });
		const options = (await api('PATCH', path, { name: 'Sizes' })).body.options as Array<{
			id: string;
			name: string;
		}>;
		const renamed = options.map((option) => ({ ...option, name: `${option.name} size` }));
		expect((await api('PATCH', path, { options: renamed })).body.options).toEqual(renamed);
	});
});
