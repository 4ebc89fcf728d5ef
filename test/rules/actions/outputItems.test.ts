/** What comes out for a record: its fields by name, nothing that steers n8n, and nothing that two items share. */
import {
	createUnsharing,
	passedOn,
	recordOutput,
	unshared,
	withoutErrorFlag,
	type OutputOptions,
} from '../../../nodes/WorkspaceData/actions/outputItems';
import type { DataRecord } from '../../../nodes/WorkspaceData/model/response/record';
import { FieldIndex } from '../../../nodes/WorkspaceData/model/fieldIndex';
import { field } from '../model/fields';

const index = new FieldIndex(
	[
		field('Title'),
		field('Pages', 'number'),
		field('Twin', 'text', [], 't1'),
		field('Twin', 'text', [], 't2'),
	],
	'Books',
);

const recordOf = (data: DataRecord['data'], id = 'r1'): DataRecord => ({
	id,
	data,
	createdAt: '2026-01-31T12:00:00Z',
	raw: { id, data, created_at: '2026-01-31T12:00:00Z', owner: 'Ada' },
});
const own = { id: 'r1', created_at: '2026-01-31T12:00:00Z' };
const given = { t2: 2, 'id-Pages': 7, 'id-Title': 'Emma', orphan: true };

const output = (options: OutputOptions, data: DataRecord['data'] = given, simple: unknown = true) =>
	recordOutput(index, simple, options)(recordOf(data));

test.each<[string, OutputOptions, object]>([
	['by name', {}, { Title: 'Emma', Pages: 7, t2: 2, orphan: true }],
	['by ID', { fieldKeys: 'id' }, { 'id-Title': 'Emma', 'id-Pages': 7, t2: 2, orphan: true }],
	[
		'of the wanted fields only',
		{ outputFields: ['Pages', 'id-Title'] },
		{ Pages: 7, Title: 'Emma' },
	],
	['of a wanted field without a value', { outputFields: 't1' }, {}],
	[
		'of all fields where none is chosen',
		{ outputFields: [] },
		{ Title: 'Emma', Pages: 7, t2: 2, orphan: true },
	],
])('values %s', (_, options, fields) => {
	expect(output(options)).toEqual({ ...own, fields });
});

const last: Array<[string, unknown]> = Object.entries(own);

test.each<[string, OutputOptions, Array<[string, unknown]>]>([
	[
		'all fields',
		{},
		[['Title', 'Emma'], ['Pages', 7], ['t1', null], ['t2', 2], ...last, ['orphan', true]],
	],
	[
		'by ID',
		{ fieldKeys: 'id' },
		[['id-Title', 'Emma'], ['id-Pages', 7], ['t1', null], ['t2', 2], ...last, ['orphan', true]],
	],
	['the wanted fields', { outputFields: 't1, Title' }, [['t1', null], ['Title', 'Emma'], ...last]],
	['flat', { outputFormat: 'flat', outputFields: 'Pages' }, [['Pages', 7], ...last]],
])('version 2: %s, empty ones as null, then what the record itself has', (_, options, expected) => {
	expect(Object.entries(output({ ...options, typeVersion: 2 }))).toEqual(expected);
});

test('version 2: a key of the prototype is a field like any other', () => {
	const odd = new FieldIndex([field('__proto__'), field('id')], 'Odd');
	const record = recordOf({ 'id-__proto__': 1, 'id-id': 2 });
	expect(Object.entries(recordOutput(odd, true, { typeVersion: 2 })(record))).toEqual([
		['__proto__', 1],
		['fields.id', 2],
		['id', 'r1'],
		['created_at', own.created_at],
	]);
});

test('fields come in the order of the card, or of the choice', () => {
	const keys = (options: OutputOptions) => Object.keys(output(options).fields as object);
	expect(keys({})).toEqual(['Title', 'Pages', 't2', 'orphan']);
	expect(keys({ outputFields: ['Pages', 'Title'] })).toEqual(['Pages', 'Title']);
});

test("a value under an ID that is the name of a field doesn't pass for it", () => {
	expect(output({}, { Title: 'not the title' })).toEqual({ ...own, fields: {} });
	expect(output({}, { Title: 'not the title', 'id-Title': 'Emma' })).toEqual({
		...own,
		fields: { Title: 'Emma' },
	});
});

test('a record without an ID says so', () => {
	expect(recordOutput(index, true, {})(recordOf({}, ''))).toMatchObject({ id: null });
});

test('flat: the names of the record’s own properties go under fields', () => {
	const names = ['id', 'created_at', 'action', 'error', 'deleted', 'dry_run', 'fields', 'fields.x'];
	const fields = new FieldIndex(
		[...names, 'Title'].map((name) => field(name)),
		'Own',
	);
	const data = Object.fromEntries([...names, 'Title'].map((name) => [`id-${name}`, name]));
	expect(recordOutput(fields, true, { outputFormat: 'flat' })(recordOf(data))).toEqual({
		...own,
		...Object.fromEntries(names.map((name) => [`fields.${name}`, name])),
		Title: 'Title',
	});
});

test('a field called __proto__ is a field', () => {
	const fields = new FieldIndex([field('__proto__', 'text', [], 'f1')], 'Odd');
	const { fields: values } = recordOutput(fields, true, {})(recordOf({ f1: 'x' }));
	expect(Object.entries(values as object)).toEqual([['__proto__', 'x']]);
	expect(Object.getOwnPropertyDescriptor(values, '__proto__')).toEqual({
		value: 'x',
		enumerable: true,
		writable: true,
		configurable: true,
	});
});

test('not simplified: the service’s own object, or the wanted values of it', () => {
	const { raw } = recordOf(given);
	expect(output({}, given, false)).toEqual(raw);
	// As an expression may return it.
	expect(output({}, given, 'false')).toEqual(raw);
	expect(() => output({}, given, 'raw')).toThrow("'Simplify' can't be 'raw'");
	expect(output({ outputFields: ['Pages'] }, given, false)).toEqual({
		...raw,
		data: { 'id-Pages': 7 },
	});
});

test.each([
	[{ fieldKeys: 'number' }, "can't be 'number'"],
	[{ outputFormat: 'round' }, "can't be 'round'"],
	[{ outputFields: ['Nope'] }, 'Nope'],
])('%j is refused', (options, message) => {
	expect(() => recordOutput(index, true, options)).toThrow(message);
	expect(() => recordOutput(index, false, options)).toThrow(message);
});

describe('the key `error`', () => {
	test.each([
		[
			{ a: 1, error: 'x' },
			{ a: 1, error_: 'x' },
		],
		[
			{ a: 1, error: null },
			{ a: 1, error_: null },
		],
		[{ a: 1 }, { a: 1 }],
	])('of an object of the service: %j comes out as %j', (object, expected) => {
		expect(withoutErrorFlag(object)).toEqual(expected);
	});

	test.each([
		['nothing is retried or separated', { error: 'x', a: 1 }, {}, 'error'],
		['failed items are tried again', { error: 'x', a: 1 }, { retryOnFail: true }, 'error_'],
		[
			'failed items are separated, and it looks like one',
			{ error: 'x', message: 'm', details: 1 },
			{ onError: 'continueErrorOutput' },
			'error_',
		],
		[
			'failed items are separated, and it has more keys',
			{ error: 'x', a: 1 },
			{ onError: 'continueErrorOutput' },
			'error',
		],
		['failed items go on', { error: 'x' }, { onError: 'continueRegularOutput' }, 'error'],
	])('of an item that is passed on, where %s', (_, item, settings, key) => {
		const { error, ...rest } = item;
		expect(passedOn(item, settings)).toEqual({ ...rest, [key]: error });
	});

	test('an item without it is passed on as it is', () => {
		const item = { error_: 1, message: 'm' };
		expect(passedOn(item, { retryOnFail: true })).toBe(item);
		expect(
			passedOn(Object.create({ error: 1 }) as object as Record<string, unknown>, {
				retryOnFail: true,
			}),
		).toEqual({});
	});
});

describe('objects that two items would share', () => {
	const date = new Date(0);

	test('a copy shares nothing but what is no plain object or list', () => {
		const shared = { list: [{ a: 1 }], date, none: null, text: 'x' };
		const copy = unshared(shared);
		expect(copy).toEqual(shared);
		expect(copy).not.toBe(shared);
		expect(copy.list).not.toBe(shared.list);
		expect((copy.list as object[])[0]).not.toBe(shared.list[0]);
		expect(copy.date).toBe(date);
	});

	test('a copy keeps a key called __proto__', () => {
		const copy = unshared(JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown>);
		expect(Object.keys(copy)).toEqual(['__proto__']);
	});

	test('the first item keeps its objects, the next ones get copies', () => {
		const part = { deep: { a: 1 } };
		const own = createUnsharing();
		const first = { part, date };
		const [one, two] = [own(first), own({ part, date, twice: [part, part] })];
		expect(one).toBe(first);
		expect(one.part).toBe(part);
		expect(two).toEqual({ part, date, twice: [part, part] });
		(two.part as typeof part).deep.a = 2;
		expect(one.part).toEqual({ deep: { a: 1 } });
		expect((two.twice as unknown[])[0]).not.toBe((two.twice as unknown[])[1]);
		expect(two.date).toBe(date);
	});

	test('the same item twice is copied', () => {
		const own = createUnsharing();
		const item = { a: { b: 1 } };
		own(item);
		const again = own(item);
		expect(again).toEqual(item);
		expect(again).not.toBe(item);
	});

	test('a key called __proto__ gets a copy, too', () => {
		const own = createUnsharing();
		const part = { a: 1 };
		own({ part });
		const odd = JSON.parse('{"__proto__":null}') as Record<string, unknown>;
		Object.defineProperty(odd, '__proto__', { value: part });
		const [[key, value] = []] = Object.entries(own(odd));
		expect([key, value]).toEqual(['__proto__', part]);
		expect(value).not.toBe(part);
	});
});
