/** The values of an item as they are planned: under IDs, in the types of their fields, all mistakes in one message. */
import type { Columns } from '../../../nodes/WorkspaceData/records/columns';
import { convert } from '../../../nodes/WorkspaceData/records/convert';
import type { Entry, WriteSettings } from '../../../nodes/WorkspaceData/records/entry';
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import { MatchKey } from '../../../nodes/WorkspaceData/records/matchKey';
import { field } from './fields';
import { refusal } from '../refusal';
import { zone } from '../values/zone';

const computed = { ...field('Total', 'number'), isReadOnly: true };
const index = new FieldIndex(
	[
		...[field('Title'), field('Pages', 'number'), computed],
		field('Status', 'single_select', ['Open', 'Done']),
		field('Shift', 'single_select', [
			{ label: '1', value: '2' },
			{ label: '2', value: '1' },
		]),
		...Array.from({ length: 11 }, (_, n) => field(`At${n}`, 'date')),
	],
	'Books',
);

function wishOf(
	values: Record<string, unknown>,
	more: Partial<WriteSettings> = {},
	{ matchingKeys = [], isAutomatic = false, fieldIds = new Map() }: Partial<Columns> = {},
) {
	const settings = {
		...{ request: {}, rules: { zone }, label: 'Values', types: new Map(), clearFields: [] },
		...{ ignoresUnknown: false, ...more },
	};
	const columns = { entries: Object.entries(values), matchingKeys, fieldIds, isAutomatic };
	const entry: Entry = {
		...{
			itemIndex: 0,
			card: { id: 'c', name: 'Books' },
			isDry: false,
			settings,
			common: {},
			result: { json: [] },
		},
		columns: () => columns,
		find:
			matchingKeys.length > 0
				? { by: 'key', matching: columns, ignoresCase: false }
				: { by: 'id', id: 'r' },
	};
	const key = new MatchKey(entry.find, index, zone);
	return convert(entry, { index, zone, key });
}
const byTitle = { matchingKeys: ['Title'] };

test('values are under the IDs of their fields, in the types of these', () => {
	expect(wishOf({ Title: 'a', 'id-Pages': '7', status: 'done' })).toMatchObject({
		values: { 'id-Title': 'a', 'id-Pages': 7, 'id-Status': 'Done' },
	});
});

test('what a field refuses is kept: the record may have it', () => {
	const { values, refused } = wishOf({ Title: 'a', Pages: 'many', Total: 7 });
	expect(values).toEqual({ 'id-Title': 'a' });
	expect(refused?.map(({ id, value }) => [id, value])).toEqual([
		['id-Pages', 'many'],
		['id-Total', 7],
	]);
	expect(wishOf({ Title: 'a', Total: 7 }, {}, { isAutomatic: true })).toHaveProperty('refused', []);
});

test('what fits two choices is refused, whatever the record has', () => {
	expect(() => wishOf({ Title: 'a', Shift: '1' })).toThrow(
		"'1' matches 2 choices of field 'Shift'",
	);
});

test.each<[string, () => unknown, string | RegExp, RegExp]>([
	[
		'unknown fields by hand',
		() => wishOf({ Author: 'a', Title: 'b', Hours: 1 }),
		"Card 'Books' has no fields 'Author', 'Hours'",
		/^The fields are 'Title'/,
	],
	[
		'a field twice',
		() => wishOf({ Title: 1, 'id-Title': 2 }),
		"'Title' and 'id-Title' both refer to field 'Title'",
		/once/,
	],
	['a blank key', () => wishOf({ Title: ' ', Pages: 1 }, {}, byTitle), /has no value/, /match on/],
	['no key', () => wishOf({ Pages: 1 }, {}, byTitle), "Matching field 'Title' has no value", /./],
	[
		'a key that is a choice in another case',
		() => wishOf({ Status: 'DONE' }, {}, { matchingKeys: ['Status'] }),
		"Field 'Status' can't hold \"DONE\"",
		/./,
	],
	[
		'no value',
		() => wishOf({ Title: undefined }),
		"No value in 'Values'",
		/Map at least one field/,
	],
])('%s: refused', (_, work, message, description) => {
	expect(work).toThrow(refusal(message, description));
});

test.each([
	[10, /'At9'[^]*(?<! more\.)$/],
	[11, /^((?!At10)[^])*\nAnd 1 more\.$/],
])('%d mistakes in one item: ten are named', (count, description) => {
	const keys = Array.from({ length: count }, (_, n) => [`At${n}`, 'never'] as const);
	const matched = { matchingKeys: keys.map(([key]) => key) };
	expect(() => wishOf(Object.fromEntries(keys), {}, matched)).toThrow(
		expect.objectContaining({ description: expect.stringMatching(description) }),
	);
});
