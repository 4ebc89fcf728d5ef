/** Rules of cards, records and accesses, over a store alone. */
import type { FastifyRequest } from 'fastify';
import { keyOf, provision } from '../../../service/domain/provision.ts';
import { differences, withoutNulls } from '../../../service/domain/recordData.ts';
import { createWorkspaceData } from '../../../service/domain/workspaceData.ts';
import { secretMatches } from '../../../service/foundation/secrets.ts';
import { toOptions } from '../../../service/domain/fieldOptions.ts';
import { createAuthenticate } from '../../../service/auth/authenticate.ts';
import { toProblem } from '../../../service/http/errors.ts';
import { problem } from '../../../service/http/problem.ts';
import { openedStore } from './openedStore.ts';

type Opened = ReturnType<typeof openedStore>;
let all: Opened;
const open = (quotas = {}) => (all = openedStore(quotas));
beforeEach(() => void open());
afterEach(() => all.store.close());
const reopen = (quotas: object) => {
	all.store.close();
	return open(quotas);
};

/** The events that a change gives. */
function eventsOf(work: () => void): unknown[] {
	const events: unknown[] = [];
	const { store, data, wid } = all;
	const names = ['card.created', 'card.updated', 'record.created', 'record.updated'] as const;
	if (data.subscriptions.list(wid).length === 0) {
		data.subscriptions.create(wid, { targetUrl: 'http://x/', events: [...names] });
	}
	store.listeners.beforeEvent = (event) => {
		events.push(event.details);
		return event;
	};
	work();
	return events;
}

describe('cards', () => {
	test('may have exactly as many bytes of texts as are allowed, and longer ones may become shorter', () => {
		const { data, wid } = reopen({ cardBytes: 10 });
		const { id } = data.cards.create(wid, { name: 'é', description: 'x'.repeat(8) });
		expect(() => data.cards.create(wid, { name: 'a' })).toThrow('more than 10 bytes');
		expect(() => data.cards.update(wid, id, { name: 'éa' })).toThrow('more than 10 bytes');
		expect(data.cards.update(wid, id, { name: 'ab' }).name).toBe('ab');
		expect(data.cards.update(wid, id, { description: 'x' }).description).toBe('x');
		expect(data.cards.create(wid, { name: '1234567' }).description).toBe('');
	});

	test('may change without becoming longer where they have more bytes than are allowed by now', () => {
		const quotas = { ...all.quotas };
		const { cards } = createWorkspaceData(all.store, quotas);
		const { id } = cards.create(all.wid, { name: 'abc' });
		quotas.cardBytes = 2;
		expect(cards.update(all.wid, id, { name: 'xyz' }).name).toBe('xyz');
		expect(() => cards.update(all.wid, id, { name: 'wxyz' })).toThrow('more than 2 bytes');
	});

	test('may be as many as are allowed, and then be changed as well', () => {
		const { data, wid } = reopen({ cards: 1 });
		const { id } = data.cards.create(wid, { name: 'a' });
		expect(() => data.cards.create(wid, { name: 'b' })).toThrow('already has 1 cards');
		expect(data.cards.update(wid, id, { name: 'longer' }).name).toBe('longer');
	});

	test('are announced when they change, and only then', () => {
		const { data, wid, time } = all;
		let id = '';
		const card = () => ({ id, name: 'b', description: 'c' });
		const made = eventsOf(() => ({ id } = data.cards.create(wid, { name: 'a' })));
		expect(made).toEqual([{ card: { id, name: 'a', description: '' } }]);
		time.now += 5;
		const change = (texts: object) => eventsOf(() => void data.cards.update(wid, id, texts));
		expect(change({ name: 'a' })).toEqual([]);
		expect(change({ name: 'a', description: '' })).toEqual([]);
		expect(data.cards.get(wid, id).updated_at).toBe(data.cards.get(wid, id).created_at);
		expect(change({ name: 'b' })).toHaveLength(1);
		expect(change({ description: 'c' })).toEqual([{ card: card() }]);
		expect(data.cards.get(wid, id).updated_at).not.toBe(data.cards.get(wid, id).created_at);
		expect(() => data.cards.get('other', id)).toThrow('does not exist');
	});
});

describe('records', () => {
	const card = (...types: string[]) => {
		const { data, wid } = all;
		const { id } = data.cards.create(wid, { name: 'Card' });
		const fields = types.map(
			(type) => data.fields.create(wid, id, { name: type, type: type as never }).id,
		);
		return { id, fields };
	};

	test('may have exactly as many bytes as are allowed', () => {
		const { data, wid } = reopen({ recordBytes: 20 });
		const { id, fields } = card('text');
		const write = (text: string) => data.records.create(wid, id, { [fields[0] ?? '']: text });
		const frame = '{"1":""}'.length;
		const { id: rid } = write('x'.repeat(20 - frame));
		expect(() => write('x'.repeat(21 - frame))).toThrow(
			'The record would have 21 bytes; a record may have at most 20.',
		);
		const change = { [fields[0] ?? '']: 'é'.repeat(20) };
		expect(() => data.records.update(wid, id, rid, change)).toThrow(`Record "${rid}"`);
	});

	test('tell what has changed, and nothing where nothing has', () => {
		const { data, wid } = all;
		const { id, fields } = card('text', 'json');
		const [text = '', json = ''] = fields;
		const made = data.records.create(wid, id, { [text]: 'a', [json]: null });
		expect(made.data).toEqual({ [text]: 'a' });
		const change = (values: object) =>
			eventsOf(() => void data.records.update(wid, id, made.id, values as never));
		const event = (values: object) => [{ record_id: made.id, data: values }];
		expect(change({ [text]: 'a', [json]: null })).toEqual([]);
		expect(change({ [text]: 'b', [json]: null })).toEqual(event({ [text]: 'b' }));
		expect(change({ [json]: { a: [0] } })).toEqual(event({ [json]: { a: [0] } }));
		expect(change({ [json]: { a: [-0] } })).toEqual([]);
		expect(change({ [json]: null })).toEqual(event({ [json]: null }));
		expect(data.records.get(wid, id, made.id).data).toEqual({ [text]: 'b' });
	});

	test('are refused with the reasons for each unknown field, or each wrong value, up to 100', () => {
		const { data, wid } = all;
		const { id, fields } = card('number', 'number');
		const [a = '', b = ''] = fields;
		const reasonsOf = (values: object) => {
			try {
				data.records.create(wid, id, values as never);
				return [];
			} catch (error) {
				return (error as { reasons: Array<{ pointer: string }> }).reasons;
			}
		};
		expect(reasonsOf({ [a]: 'x', [b]: 'y' }).map(({ pointer }) => pointer)).toEqual([
			`/data/${a}`,
			`/data/${b}`,
		]);
		expect(reasonsOf({ [a]: 'x', c: 1 })).toEqual([
			{ pointer: '/data/c', detail: `Field "c" does not exist in card "${id}".` },
		]);
		const many = (count: number) =>
			Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1]));
		expect([reasonsOf(many(99)).length, reasonsOf(many(101)).length]).toEqual([99, 100]);
	});

	test('differ where JSON does', () => {
		const present = { 1: 'a', 2: { x: 1 }, 3: 0 };
		expect(differences(present, { 1: 'a', 2: { x: 1 }, 3: -0, 4: null })).toEqual({});
		expect(differences(present, { 1: null, 2: { x: 2 }, 3: 1, 4: 'd' })).toEqual({
			...{ 1: null, 2: { x: 2 }, 3: 1, 4: 'd' },
		});
		expect(withoutNulls({ 1: null, 2: 0, 3: '', 4: false })).toEqual({ 2: 0, 3: '', 4: false });
	});
});

test('options: none where a type has none, and each name once', () => {
	expect(toOptions('text', [], [])).toEqual([]);
	expect(() => toOptions('text', ['a'], [])).toThrow(
		expect.objectContaining({
			message: 'A field of type "text" has no options.',
			reasons: [{ pointer: '/options', detail: 'must be empty for type "text"' }],
		}),
	);
	expect(() => toOptions('single_select', ['a', { value: 'b', label: 'a' }], [])).toThrow(
		expect.objectContaining({
			message: 'Each option must have a name of its own.',
			reasons: [{ pointer: '/options', detail: 'names an option twice' }],
		}),
	);
	expect(toOptions('multi_select', ['a', { name: 'b' }], []).map(({ name }) => name)).toEqual([
		'a',
		'b',
	]);
});

describe('what a start makes', () => {
	const isLive = (apiKey: string) => all.store.identities.findKey(apiKey)?.revokedAt === null;
	const isActive = (clientId: string) => all.store.identities.account(clientId)?.revokedAt === null;

	test('is new where nothing is named, and ends the default ones of the start before', () => {
		const first = provision(all.store, {});
		const second = provision(all.store, {});
		expect(second.workspaceId).toBe(all.wid);
		expect([isLive(first.apiKey), isLive(second.apiKey)]).toEqual([false, true]);
		expect([isActive(first.clientId), isActive(second.clientId)]).toEqual([false, true]);
	});

	test('stays where it is named again, and is active though it was revoked', () => {
		const named = { apiKey: 'key', clientId: 'sa_1', clientSecret: 'secret' };
		expect(provision(all.store, named)).toEqual({ ...named, workspaceId: all.wid });
		all.store.identities.revokeAccount('sa_1');
		all.store.identities.revokeKey(all.store.identities.findKey('key')?.id ?? '');
		expect(isLive('key')).toBe(false);
		provision(all.store, named);
		expect([isLive('key'), isActive('sa_1')]).toEqual([true, true]);
		expect(all.store.identities.keys(all.wid)).toHaveLength(1);
		const other = provision(all.store, { workspaceId: 'wsp_x', ownerEmail: 'x@y', apiKey: 'key' });
		expect(other.workspaceId).toBe('wsp_x');
		expect(all.store.identities.workspace('wsp_x')?.ownerEmail).toBe('x@y');
		expect(all.store.identities.findKey('key')?.workspaceId).toBe('wsp_x');
	});

	test('has keys that belong to the file', () => {
		const made = keyOf(all.store, 'cursorKey');
		expect([keyOf(all.store, 'cursorKey'), keyOf(all.store, 'cookieKey')]).toEqual([
			made,
			expect.not.stringMatching(made),
		]);
	});
});

describe('a bearer value', () => {
	const authenticate = async (header?: string, clientId?: string) => {
		const { identities } = all.store;
		return await createAuthenticate(identities, { clientIdOf: async () => clientId })(header);
	};

	test.each([
		...[undefined, '', 'Bearer', 'Bearer ', 'Basic x', 'xBearer y', 'Bearer a b', 'Bearera'],
	])('is missing in %j', async (header) => {
		expect(await authenticate(header)).toBe('missing');
	});

	test.each(['Bearer key', 'bearer key', 'BEARER  key  '])('is found in %j', async (header) => {
		const { id } = all.store.identities.createKey(all.wid, 'name', 'key', 'free');
		const found = { kind: 'apiKey', id, workspaceId: all.wid, role: 'editor', tier: 'free' };
		expect(await authenticate(header)).toEqual(found);
		all.store.identities.revokeKey(id);
		expect(await authenticate(header)).toBe('unknown');
	});

	test('can be a token of an account, unless the account is revoked', async () => {
		const { identities } = all.store;
		const { clientId } = identities.createAccount(all.wid, 'name', 'viewer');
		expect(await authenticate('Bearer token', clientId)).toEqual({
			...{ kind: 'serviceAccount', id: clientId, workspaceId: all.wid, role: 'viewer', tier: null },
		});
		expect(await authenticate('Bearer token')).toBe('unknown');
		expect(await authenticate('Bearer token', 'sa_none')).toBe('unknown');
		identities.revokeAccount(clientId);
		expect(await authenticate('Bearer token', clientId)).toBe('unknown');
	});
});

describe('something thrown in a request', () => {
	const request = { routeOptions: { bodyLimit: 5 } } as FastifyRequest;
	const detailOf = (error: Error) => toProblem(error as never, request, () => {}).problem.detail;
	const of = (error: unknown) => {
		const reported: string[] = [];
		const { problem: made } = toProblem(error as Error as never, request, (text) =>
			reported.push(text),
		);
		return [made.status, made.type.split('/').at(-1), reported.length];
	};
	const failure = (code: string, statusCode?: number) =>
		Object.assign(new Error('Words'), { code, ...(statusCode !== undefined && { statusCode }) });

	test.each([
		['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'body-too-large', 'at most 5 bytes'],
		['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'unsupported-media-type', 'application/json'],
		['FST_CSRF_MISSING_SECRET', 403, 'cross-site-request', 'Reload the page'],
		['FST_CSRF_INVALID_TOKEN', 403, 'cross-site-request', 'Reload the page'],
		['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400, 'malformed-request', 'Content-Length'],
		['FST_ERR_BAD_URL', 400, 'malformed-request', 'percent-encoded'],
		['FST_ERR_MAX_PARAM_LENGTH', 400, 'malformed-request', 'too long'],
		['ECONNRESET', 400, 'malformed-request', 'closed before the body'],
		['ECONNABORTED', 400, 'malformed-request', 'closed before the body'],
		['ERR_STREAM_PREMATURE_CLOSE', 400, 'malformed-request', 'closed before the body'],
	])('%s is a fault of the client: %d %s, “%s”', (code, status, kind, detail) => {
		expect(of(failure(code))).toEqual([status, kind, 0]);
		expect(detailOf(failure(code))).toContain(detail);
	});

	test('is the client’s where Fastify says so, and the service’s own otherwise', () => {
		const own = [500, 'internal-error', 1];
		const theirs = [400, 'malformed-request', 0];
		expect(of(failure('FST_ERR_ODD', 400))).toEqual(theirs);
		expect(of(failure('FST_ERR_ODD', 499))).toEqual(theirs);
		expect(of(failure('FST_ERR_ODD', 399))).toEqual(own);
		expect(of(failure('FST_ERR_ODD', 500))).toEqual(own);
		expect(of(failure('FST_ERR_ODD'))).toEqual(own);
		expect(of(failure('OTHER', 400))).toEqual(own);
		expect(of(new Error('x'))).toEqual(own);
	});

	test('is told once where it is a problem, and reported where the disk is full', () => {
		expect(of(problem('invalid-limit', 'x'))).toEqual([400, 'invalid-limit', 0]);
		const full = Object.assign(failure('ERR_SQLITE_ERROR'), { errcode: 13 });
		expect(of(full)).toEqual([507, 'insufficient-storage', 1]);
	});
});

test('a secret matches no stored text of another length', () => {
	expect(secretMatches('secret', '')).toBe(false);
	expect(secretMatches('secret', 'ab')).toBe(false);
});
