/** The values of an item as the service gets them: under IDs, in the types of their fields, all mistakes in one message. */
import {
	requireData,
	toRecordData,
	type ColumnOptions,
} from '../../../../nodes/WorkspaceData/actions/writing/valueConversion';
import { countUse, readDryRuns } from '../../../../nodes/WorkspaceData/actions/writing/dryRun';
import type { Columns } from '../../../../nodes/WorkspaceData/actions/writing/mapper';
import type { Run } from '../../../../nodes/WorkspaceData/actions/run/run';
import type { DataRecord } from '../../../../nodes/WorkspaceData/model/response/record';
import { FieldIndex, type FieldHint } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import { field } from '../../model/fields';
import { zone } from '../../model/value/zone';

const index = new FieldIndex(
	[
		field('Title'),
		field('Pages', 'number'),
		field('Status', 'single_select', ['Open', 'Done']),
		field('Tags', 'multi_select', ['a', 'b', 'c']),
	],
	'Books',
);
const run = { zone } as Run;

function dataOf(
	values: Record<string, unknown>,
	options: ColumnOptions = {},
	more: Partial<Columns> = {},
) {
	const columns: Columns = {
		entries: Object.entries(values),
		matchingKeys: [],
		label: 'Values',
		hints: new Map(),
		...more,
	};
	return toRecordData({ run, columns, options }, index);
}

/** What was thrown. */
function failureOf(work: () => unknown): unknown {
	try {
		return work();
	} catch (error) {
		return error;
	}
}

test('values under the IDs of their fields, in the types of these', () => {
	expect(dataOf({ Title: 'a', 'id-Pages': '7', status: 'done' })).toEqual({
		'id-Title': 'a',
		'id-Pages': 7,
		'id-Status': 'Done',
	});
});

test('a number becomes the text of a text field: a phone number of a sheet is often one (H36)', () => {
	expect(dataOf({ Title: 5 })).toEqual({ 'id-Title': '5' });
	expect(dataOf({ Title: 5 }, { unknownFields: 'create' })).toEqual({ 'id-Title': '5' });
});

test('a renamed field is found by the hint of the mapper', () => {
	const hints = new Map<string, FieldHint>([['Old', { fieldId: 'id-Title' }]]);
	expect(dataOf({ Old: 'a' }, {}, { hints })).toEqual({ 'id-Title': 'a' });
	expect(dataOf({ Old: 'a' }, { unknownFields: 'ignore' }, { hints })).toEqual({ 'id-Title': 'a' });
});

test.each<[string, ColumnOptions, object]>([
	['sent', {}, { 'id-Title': '' }],
	['left out', { emptyValues: 'ignore' }, {}],
	['cleared', { emptyValues: 'clear' }, { 'id-Title': null }],
])('an empty text is %s', (_, options, expected) => {
	expect(dataOf({ Title: '' }, options)).toEqual(expected);
});

test('an unknown field is an error with advice, or left out', () => {
	expect(failureOf(() => dataOf({ Nope: 1 }))).toMatchObject({
		message: expect.stringContaining('Nope'),
		description: expect.stringContaining("'Create the Field'"),
	});
	expect(dataOf({ Nope: 1, Title: 'a' }, { unknownFields: 'ignore' })).toEqual({ 'id-Title': 'a' });
});

describe('a column without a name (M19)', () => {
	const creates = { unknownFields: 'create' };

	test.each([[''], [null], [undefined]])('is ignored if its value is empty: %j', (value) => {
		expect(dataOf({ ' ': value, '': value, Title: 'a' }, creates)).toEqual({ 'id-Title': 'a' });
	});

	test.each([[0], [false], ['x']])('is no field to create where it has one: %j', (value) => {
		expect(failureOf(() => dataOf({ '': value, Title: 'a' }, creates))).toMatchObject({
			message: 'A column of the items has no name',
		});
	});

	test('is named among the other mistakes of its item', () => {
		expect(failureOf(() => dataOf({ ' ': 1, Pages: 'many' }, creates))).toMatchObject({
			description: expect.stringContaining('A column of the items has no name'),
		});
	});

	test('is the field of that name, where the card has one', () => {
		const blank = new FieldIndex([field(' ')], 'Books');
		const columns: Columns = {
			entries: [[' ', 'a']],
			matchingKeys: [],
			label: 'Values',
			hints: new Map(),
		};
		expect(toRecordData({ run, columns, options: creates }, blank)).toEqual({ 'id- ': 'a' });
	});

	test('is ignored if empty, and refused otherwise, for each setting of If Field Is Unknown', () => {
		expect(dataOf({ '': '', Title: 'a' })).toEqual({ 'id-Title': 'a' });
		expect(failureOf(() => dataOf({ '': 'x' }))).toMatchObject({
			message: 'A column of the items has no name',
		});
	});
});

test('an unknown field gets no advice to set the option that is already set', () => {
	expect(failureOf(() => dataOf({ Nope: 1 }, { unknownFields: 'create' }))).toMatchObject({
		message: "Card 'Books' has no field 'Nope'",
		description: expect.not.stringContaining('Create the Field'),
	});
});

test('an unknown choice is an error with advice, unless choices are added anyway', () => {
	expect(failureOf(() => dataOf({ Status: 'Late' }))).toMatchObject({
		description: expect.stringContaining("'Add to the Field'"),
	});
	const adding = failureOf(() => dataOf({ Status: 'Late' }, { missingChoices: 'add' }));
	expect(JSON.stringify(adding)).not.toContain("'Add to the Field'");
});

test.each([
	['Status', 'Status'],
	['status', 'Status'],
	['id-Status', 'Status'],
	['Status', 'Old'],
])(
	'a choice by which records are matched must be spelled exactly, under %s for %s',
	(key, matching) => {
		const hints = new Map([['Old', { fieldId: 'id-Status' }]]);
		const matched = { matchingKeys: [matching], hints };
		expect(failureOf(() => dataOf({ [key]: 'DONE' }, {}, matched))).toMatchObject({
			message: expect.stringContaining('DONE'),
		});
	},
);

test('another choice is found in any case', () => {
	expect(dataOf({ Status: 'DONE' })).toEqual({ 'id-Status': 'Done' });
});

test('two keys for one field are refused', () => {
	expect(failureOf(() => dataOf({ Title: 'a', 'id-Title': 'b' }))).toMatchObject({
		message: "'Title' and 'id-Title' both refer to field 'Title'",
		description: 'Map each field only once.',
	});
});

test('texts that a field would keep in part are refused where all of it counts', () => {
	expect(dataOf({ Pages: '007' })).toEqual({ 'id-Pages': 7 });
	expect(failureOf(() => dataOf({ Pages: '007' }, { whole: true }))).toBeInstanceOf(Error);
});

test.each([
	[{ emptyValues: 'drop' }, "can't be 'drop'"],
	[{ unknownFields: 'drop' }, "can't be 'drop'"],
	[{ missingChoices: 'drop' }, "can't be 'drop'"],
])('the option %j is refused', (options, message) => {
	expect(() => dataOf({ Title: 'a' }, options)).toThrow(message);
});

describe('several mistakes in one item', () => {
	test('are one message that names each with its advice', () => {
		const failure = failureOf(() => dataOf({ Pages: 'many', Status: 'Late', Title: 'a' }));
		expect(failure).toMatchObject({
			message: "2 values of this item can't be sent",
			description: expect.stringMatching(/many.*Late.*Allowed values are 'Open', 'Done'\./s),
		});
	});

	test('a single one is told as it is', () => {
		const alone = failureOf(() => dataOf({ Pages: 'many' })) as Error;
		expect(alone.message).toContain('many');
		expect(alone.message).not.toContain("can't be sent");
	});

	test.each([
		[10, /Unknown9[^0-9].*$/s, false],
		[11, / And 1 more\.$/, true],
	])('%d of them: ten are named', (count, pattern, more) => {
		const keys = Array.from({ length: count }, (_, n) => [`Unknown${n}`, 1] as const);
		const failure = failureOf(() => dataOf(Object.fromEntries(keys))) as { description: string };
		expect(failure.description).toMatch(pattern);
		expect(/ more\.$/.test(failure.description)).toBe(more);
		expect(failure.description).not.toContain('Unknown10');
	});

	test('a failure that is no mistake of the item comes first', () => {
		const broken = Object.assign(Object.create(index) as typeof index, {
			resolve(key: string) {
				if (key === 'Broken') throw new TypeError('A bug');
				return index.resolve(key);
			},
		});
		const entries: Array<[string, unknown]> = [
			['Pages', 'many'],
			['Broken', 1],
			['Status', 'Late'],
		];
		const columns: Columns = { entries, matchingKeys: [], label: 'Values', hints: new Map() };
		expect(() => toRecordData({ run, columns, options: {} }, broken)).toThrow('A bug');
	});
});

test('a write without values is refused, unless it may be empty', () => {
	const columns: Columns = { entries: [], matchingKeys: [], label: 'Values', hints: new Map() };
	const data = { f1: 1 };
	expect(requireData(data, columns)).toBe(data);
	expect(() => requireData({}, columns)).toThrow("No value in 'Values'");
	expect(requireData({}, { ...columns, mayBeEmpty: true })).toEqual({});
});

describe('a dry run', () => {
	const recordOf = (id: string, data: DataRecord['data']): DataRecord => ({
		id,
		data,
		createdAt: null,
		raw: { id, data },
	});

	test('is on where the parameter or the older option says so', () => {
		expect(readDryRuns(undefined, undefined)).toBe(false);
		expect(readDryRuns(true, undefined)).toBe(true);
		expect(readDryRuns(false, 'true')).toBe(true);
		expect(() => readDryRuns(false, 'maybe')).toThrow("'Dry Run' can't be 'maybe'");
	});

	test('counts the records that have a value, and each of the choices that would go', async () => {
		const values = [['a', 'b'], ['a', 'a'], [], null, undefined, ['c'], ['unknown']];
		const records = values.map((tags, n) => recordOf(`r${n}`, { 'id-Tags': tags }));
		const listing = { part: async (from: number) => records.slice(from, from + 100) };
		const counting = {
			records: { of: () => listing },
			yieldToLoop: async () => {},
		} as unknown as Run;
		const card = { id: 'c1', name: 'Books' };
		const tags = index.byId('id-Tags');
		if (!tags) throw new Error('No such field');
		expect(await countUse(counting, card, tags, ['a', 'b'])).toEqual({
			values: 4,
			choices: [
				{ choice: 'a', records: 2 },
				{ choice: 'b', records: 1 },
			],
		});
		expect(await countUse(counting, card, tags)).toEqual({ values: 4, choices: [] });
	});
});
