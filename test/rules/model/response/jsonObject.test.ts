import { readCard, readCards } from '../../../../nodes/WorkspaceData/model/response/card';
import { readField, readFields } from '../../../../nodes/WorkspaceData/model/response/field';
import { readRecord, readRecordPage } from '../../../../nodes/WorkspaceData/model/response/record';

const card = { id: 'c1', name: 'Orders', description: '' };

test.each<[string, unknown]>([
	['under its name', { cards: [card] }],
	['bare', [card]],
	['under data', { data: [card] }],
	['wrapped twice', { data: { cards: [card] } }],
	['under any single key', { everything: [card], total: 1 }],
])('a list is found %s', (_, body) => {
	expect(readCards(body)).toEqual([{ id: 'c1', name: 'Orders', raw: card }]);
});

test.each([undefined, null, '<html></html>', 5, {}, { cards: null }, { a: [], b: [] }])(
	'%j is no list',
	(body) => expect(readCards(body)).toBeUndefined(),
);

test('entries that are no cards are left out; if all are, it is no list of cards', () => {
	expect(readCards([card, null, 'x', {}, { name: 'no id' }])).toHaveLength(1);
	expect(readCards({ cards: [{ name: 'no id' }, {}] })).toBeUndefined();
});

test.each([null, 7, ['Orders'], {}])('a card or field called %j has its id for a name', (name) => {
	expect(readCards([{ id: 'c1', name }])).toMatchObject([{ id: 'c1', name: 'c1' }]);
	expect(readFields([{ id: 'f1', name }])).toMatchObject([{ id: 'f1', name: 'f1' }]);
});

test.each([undefined, null, '', [], {}, 'text', { card: null }, { ok: true }])(
	'%j is no object',
	(body) => expect(readCard(body)).toBeUndefined(),
);

test('numeric ids are taken as text', () => {
	expect(readCard({ id: 7, name: 'x' })?.id).toBe('7');
	expect(readFields([{ field_id: 8, name: 'x' }])?.[0]?.id).toBe('8');
});

test.each<[string, unknown]>([
	['bare', card],
	['under its name', { card }],
	['under a usual wrapper', { data: { card } }],
	['as the only object', { status: 'ok', everything: card }],
	['alone in a wrapped list', { items: [card] }],
	['with the ID under a more specific name', { card_id: 'c1', name: 'Orders' }],
])('a single object is found %s', (_, body) => {
	expect(readCard(body)).toMatchObject({ id: 'c1', name: 'Orders' });
});

test.each([[[card, card]], [{ one: card, another: card }], [{ deep: { deeper: card } }]])(
	'%j is no single object',
	(body) => expect(readCard(body)).toBeUndefined(),
);

describe('records', () => {
	const record = { id: 'r1', data: { f1: 1 }, created_at: '2026-01-01T00:00:00Z' };

	test.each<[string, unknown]>([
		['bare', record],
		['under record', { record }],
		['under data, which is a property of its own as well', { data: record }],
		['with record_id', { record_id: 'r1', data: { f1: 1 }, created_at: record.created_at }],
	])('a record is found %s', (_, body) => {
		const { id, data } = record;
		expect(readRecord(body)).toMatchObject({ id, data, createdAt: record.created_at });
	});

	test.each([null, [], 'none', undefined])('data of %j: a record without values', (data) => {
		expect(readRecordPage([{ id: 'r1', data }])?.records).toMatchObject([{ id: 'r1', data: {} }]);
	});

	test("the id in a record’s data isn't mistaken for the record’s", () => {
		expect(readRecord({ id: 'r1', data: { id: 'value', data: 'x' } })?.id).toBe('r1');
	});

	test('keys like __proto__ survive in data', () => {
		const body = '{"id":"r1","data":{"__proto__":{"polluted":1},"constructor":2}}';
		const { data = {} } = readRecord(JSON.parse(body)) ?? {};
		expect(Object.keys(data)).toEqual(['__proto__', 'constructor']);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	test.each<[string, unknown, string | null]>([
		['null', { records: [], next_cursor: null }, null],
		['a number', { records: [], next_cursor: 0 }, '0'],
		['in an object beside the list', { links: {}, records: [], page: { next_cursor: 'c' } }, 'c'],
		['a wrapped page', { meta: {}, data: { records: [], next_cursor: 'c' } }, 'c'],
	])('next_cursor: %s', (_, body, cursor) => expect(readRecordPage(body)?.nextCursor).toBe(cursor));
});

describe('options of a field', () => {
	const choice = (options: unknown) =>
		readField({ id: 'f', name: 'F', type: 'single_select', options })?.options;
	test.each<[string, unknown]>([
		['texts', ['A', 'B']],
		['objects with a name', [{ name: 'A' }, { name: 'B' }]],
		['objects with a label', [{ label: 'A' }, { title: 'B' }]],
		['under a key', { choices: ['A', 'B'] }],
	])('as %s', (_, options) =>
		expect(choice(options)?.map(({ label }) => label)).toEqual(['A', 'B']),
	);
	test('an option is known under its label, its value and its id', () => {
		const options = [
			{ id: 1, name: 'A' },
			{ value: 'b', label: 'B' },
		];
		expect(choice(options)).toEqual([
			{ label: 'A', labels: ['A'], identifiers: [1] },
			{ label: 'B', labels: ['B'], identifiers: ['b'], sent: 'b' },
		]);
	});
	test('anything else is no option', () => {
		for (const options of [null, undefined, 'A', 5, {}, [null, {}, []]])
			expect(choice(options)).toEqual([]);
	});
	test('a field of unknown type and without a name is a field', () => {
		expect(readField({ id: 'f1', type: 7 })).toMatchObject({ id: 'f1', name: 'f1', type: '' });
	});
});
