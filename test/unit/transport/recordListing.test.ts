/** The pages of a card's records: complete, or refused. */
import type { Session } from '../../../nodes/WorkspaceData/transport/session';
import { ApiFailure, Unreachable } from '../../../nodes/WorkspaceData/transport/failure/failures';
import {
	getRecordPage,
	openRecordListing,
} from '../../../nodes/WorkspaceData/transport/recordListing';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';

let services = 0;

/** A service that answers each request for records as told, and publishes a description. */
function service(answer: (limit: unknown, request: ApiRequest) => unknown, maximum?: number) {
	const sent: ApiRequest[] = [];
	const descriptions: ApiRequest[] = [];
	const request = async (one: ApiRequest) => {
		await Promise.resolve();
		const isDescription = one.path[0] === 'openapi.json';
		(isDescription ? descriptions : sent).push(one);
		const parameters = [{ name: 'limit', in: 'query', schema: { maximum } }];
		const body = isDescription
			? { paths: { '/cards/{id}/records': { get: { parameters } } } }
			: answer(one.query?.limit, one);
		if (body instanceof Error) throw body;
		return { status: 200, headers: {}, body };
	};
	// What is learned of a service is kept by its address.
	const session = { baseUrl: `https://l${(services += 1)}.example/api/v1`, request };
	const limits = () => sent.map(({ query }) => query?.limit);
	return { sent, descriptions, limits, session: session as unknown as Session };
}
const records = (count: number, text = '') =>
	Array.from({ length: count }, (_, n) => ({ id: `r${n}`, data: { text } }));
const refusal = (status: number, words: object) =>
	new ApiFailure({ status, title: 'Bad request', ...words });
const tooLarge = () =>
	new Unreachable('the answer is too large', { transient: false, tooLarge: true });

describe('one page', () => {
	const options = { timeoutMs: 7_000 };

	test('asks for what is wanted, and for nothing else', async () => {
		const { session, sent } = service(() => ({ records: records(1), next_cursor: 'b' }));
		expect(await getRecordPage(session, 'c1', undefined, undefined, options)).toMatchObject({
			records: [{ id: 'r0' }],
			nextCursor: 'b',
		});
		await getRecordPage(session, 'c1', '', 5, options);
		const path = ['cards', { value: 'c1', parameter: 'Card' }, 'records'];
		expect(sent).toEqual([
			{ method: 'GET', path, query: {}, ...options, shrinks: false },
			{ method: 'GET', path, query: { limit: 5, cursor: '' }, ...options, shrinks: false },
		]);
	});

	test.each([
		[400, { detail: 'limit must be at most' }],
		[422, { title: 'Wrong Limit' }],
		[400, { kind: 'invalid-limit' }],
	])('a refused size (%d, %j) is left to the service', async (status, words) => {
		const { session, limits } = service((limit) => (limit ? refusal(status, words) : records(2)));
		expect((await getRecordPage(session, 'c1', 'a', 5)).records).toHaveLength(2);
		expect(limits()).toEqual([5, undefined]);
	});

	test.each<[Error, number | undefined]>([
		[refusal(400, { detail: 'bad cursor' }), 5],
		[refusal(401, { detail: 'limit' }), 5],
		[refusal(429, { detail: 'limit' }), 5],
		[refusal(403, {}), 10],
		[refusal(400, { detail: 'limit' }), undefined],
		[new Error('limit'), 5],
	])('%s with limit %s is the answer', async (error, limit) => {
		const { session, sent } = service(() => error);
		await expect(getRecordPage(session, 'c1', undefined, limit)).rejects.toBe(error);
		expect(sent).toHaveLength(1);
	});

	test.each<[unknown, string]>([
		['<html></html>', 'The answer is not a list of records'],
		[{ records: [...records(2), { data: {} }] }, 'incomplete: it has 1 without an ID'],
		[{ records: records(2), errors: ['shard 3'] }, 'incomplete: it came with errors'],
	])('%j is refused, as records could be missed', async (body, message) => {
		const { session } = service(() => body);
		await expect(getRecordPage(session, 'c1', undefined, 5)).rejects.toThrow(message);
	});
});

describe('all records', () => {
	const read = async (session: Session, wanted = Infinity, options = {}) =>
		await openRecordListing(session, 'c1', wanted, options).first(wanted);

	test('are kept for all who read them, unless it is said that nobody will read them again', async () => {
		const { session, sent } = service(() => ({ records: records(3) }));
		const kept = openRecordListing(session, 'c1', Infinity);
		for (let reader = 0; reader < 2; reader += 1) {
			expect(await kept.part(0, 2)).toHaveLength(2);
			expect(await kept.part(2, 2)).toHaveLength(1);
		}
		expect(sent).toHaveLength(1);
		const once = openRecordListing(session, 'c1', Infinity, {}, { keep: false });
		await once.part(0, 2);
		await once.part(2, 2);
		await expect(once.part(0, 2)).rejects.toThrow('read twice');
	});

	test('a size that was accepted is not what a later refusal is about', async () => {
		let isRefused = false;
		const { session, limits } = service(() =>
			isRefused ? refusal(400, { detail: 'not now' }) : { records: records(3) },
		);
		await read(session);
		isRefused = true;
		await expect(read(session)).rejects.toThrow('Bad request');
		expect(limits()).toEqual([1_000, 1_000]);
	});

	test('settings go along with each request', async () => {
		const { session, sent } = service((_, { query }) =>
			query?.cursor ? { records: [] } : { records: records(1), next_cursor: 'b' },
		);
		await read(session, Infinity, { requestsPerSecond: 3 });
		expect(sent.map(({ requestsPerSecond }) => requestsPerSecond)).toEqual([3, 3]);
	});

	test('a page that is too large is read in ever smaller ones, down to one record', async () => {
		const { session, limits } = service((limit) =>
			Number(limit) > 1 ? tooLarge() : { records: records(1) },
		);
		expect(await read(session)).toHaveLength(1);
		expect(limits()).toEqual([1_000, 125, 15, 1]);
	});

	test('a single record that is too large is reported, once', async () => {
		const { session, limits } = service(() => tooLarge());
		await expect(read(session)).rejects.toMatchObject({ tooLarge: true });
		expect(limits()).toEqual([1_000, 125, 15, 1]);
	});

	test('pages that take longer than the time-out are halved, down to ten (O11)', async () => {
		const late = new Unreachable('late', { transient: true, httpCode: 'ECONNABORTED' });
		const { session, limits } = service((limit) =>
			Number(limit) > 200 ? late : { records: records(1) },
		);
		expect(await read(session)).toHaveLength(1);
		expect(limits()).toEqual([1_000, 500, 250, 125]);
		const never = service(() => late);
		await expect(read(never.session)).rejects.toBe(late);
		expect(never.limits()).toEqual([1_000, 500, 250, 125, 62, 31, 15, 10]);
	});

	test('a lost connection is reported: no smaller page would help', async () => {
		const lost = new Unreachable('lost', { transient: true });
		const { session, limits } = service(() => lost);
		await expect(read(session)).rejects.toBe(lost);
		expect(limits()).toEqual([1_000]);
	});
});
