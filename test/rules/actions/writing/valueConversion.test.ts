/** The values of an item as the service gets them: under IDs, in the types of their fields, all mistakes in one message. */
import {
	readRules,
	toRecordData,
	type ColumnOptions,
} from '../../../../nodes/WorkspaceData/actions/writing/valueConversion';
import type { Columns } from '../../../../nodes/WorkspaceData/actions/writing/mapper';
import type { Run } from '../../../../nodes/WorkspaceData/actions/run/run';
import { FieldIndex } from '../../../../nodes/WorkspaceData/records/fieldIndex';
import { field } from '../../model/fields';
import { zone } from '../../values/zone';

const index = new FieldIndex(
	[
		...[field('Title'), field('Pages', 'number')],
		field('Status', 'single_select', ['Open', 'Done']),
		...Array.from({ length: 11 }, (_, n) => field(`At${n}`, 'date')),
	],
	'Books',
);
const run = { zone } as Run;

function dataOf(
	values: Record<string, unknown>,
	options: ColumnOptions = {},
	more: Partial<Columns> = {},
) {
	const entries = Object.entries(values);
	const columns = { entries, matchingKeys: [], label: 'Values', hints: new Map(), ...more };
	const rules = readRules(run, options);
	return toRecordData({ run, itemIndex: 0, columns, options, rules }, index).data;
}

test('values under the IDs of their fields, in the types of these', () => {
	expect(dataOf({ Title: 'a', 'id-Pages': '7', status: 'done' })).toEqual({
		'id-Title': 'a',
		'id-Pages': 7,
		'id-Status': 'Done',
	});
});

test('several unknown fields are one mistake', () => {
	const values = { Author: 'a', Title: 'b', Hours: 1, Priority: 2 };
	const message = "Card 'Books' has no fields 'Author', 'Hours', 'Priority'";
	const advice = /^The fields are 'Title'.* correct the name\. Or select 'Create the Field'/;
	const refusal = { message, description: expect.stringMatching(advice) };
	expect(() => dataOf(values)).toThrow(expect.objectContaining(refusal));
	expect(dataOf(values, { unknownFields: 'ignore' })).toEqual({ 'id-Title': 'b' });
});

test.each([
	['Status', 'Status'],
	['status', 'Status'],
	['Status', 'Old'],
])(
	'a choice by which records are matched must be spelled exactly, under %s for %s',
	(key, matching) => {
		const hints = new Map([['Old', { fieldId: 'id-Status' }]]);
		const matched = { matchingKeys: [matching], hints };
		expect(() => dataOf({ [key]: 'DONE' }, {}, matched)).toThrow('DONE');
	},
);

test.each([
	[10, /'At9'[^]*(?<! more\.)$/],
	[11, /^((?!At10)[^])*\nAnd 1 more\.$/],
])('%d mistakes in one item: ten are named', (count, description) => {
	const keys = Array.from({ length: count }, (_, n) => [`At${n}`, 'never'] as const);
	const matched = { matchingKeys: keys.map(([key]) => key) };
	expect(() => dataOf(Object.fromEntries(keys), {}, matched)).toThrow(
		expect.objectContaining({ description: expect.stringMatching(description) }),
	);
});
