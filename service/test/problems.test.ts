import problemVectors from '../../test/vectors/problem.json' with { type: 'json' };
import { type Answer, type Client, useService } from './client.ts';

let api: Client;
let cid: string;
const reported: string[] = [];

useService(
	async (_service, client) => {
		api = client;
		cid = (await api('POST', 'cards', { name: 'Card' })).body.id;
	},
	{ logTo: { write: (line) => reported.push(line) } },
);
afterAll(() => expect(reported).toEqual([]));

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

const UTF_16 = { 'content-type': 'application/json; charset=utf-16' };

/** What is sent, the problem, and a body with headers. */
test.each<[string, string, string, unknown?, Record<string, string>?]>([
	['malformed JSON', 'POST cards', '400 malformed-json', '{"name":'],
	['plain text', 'POST cards', '415 unsupported-media-type', 'x', { 'content-type': 'text/plain' }],
	['no body', 'POST cards', '422 validation-failed'],
	['another route', 'GET /api/v1/cards', '404 route-not-found'],
	['a strange id', 'GET cards/..%2F..%2Fx%20y', '404 card-not-found'],
	['records of a card', 'POST cards/none/records', '404 card-not-found', { data: {} }],
	['a subscription', 'DELETE webhooks/none', '404 webhook-not-found'],
	['a long id', `GET cards/${'x'.repeat(1_001)}`, '400 malformed-request'],
	['bad percent-encoding', 'GET cards/%zz', '400 malformed-request'],
	['a body in UTF-16', 'POST cards', '415 unsupported-media-type', { name: 'x' }, UTF_16],
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

test('an unknown query parameter is refused and named', async () => {
	const answer = await api('GET', `cards/${cid}/records?limt=5`);
	expectProblem(answer, 400, 'malformed-request');
	expect(answer.body.detail).toBe('Unknown query parameter "limt". Possible: limit, cursor.');
});
