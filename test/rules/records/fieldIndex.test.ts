import fc from 'fast-check';
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import type { Field } from '../../../nodes/WorkspaceData/transport/api';
import { field } from './fields';
import { refusal } from '../refusal';

const named = (name: string, id: string) => field(name, 'text', [], id);

describe('a key of a saved mapping', () => {
	const listing = [named('Title', 'f1'), named('Amount', 'f2'), named('f1', 'f3')];
	const index = new FieldIndex(listing, 'Orders');

	test.each<[string, string, Parameters<typeof index.find>[1], string | undefined]>([
		['a name that is the id of another field: the name wins', 'f1', undefined, 'f3'],
		['a raw field id', 'f2', undefined, 'f2'],
		['the name before the id hint', 'Amount', 'f1', 'f2'],
		['the id hint after a rename', 'Betrag', 'f2', 'f2'],
		['the id hint before a name that differs in case', 'title', 'f2', 'f2'],
		['a unique name that differs in case', 'TITLE', undefined, 'f1'],
		['nothing that the card has', 'Nope', undefined, undefined],
		['a property of Object.prototype', 'constructor', undefined, undefined],
	])('finds the field by %s', (_, key, hint, id) => {
		expect(index.find(key, hint)?.id).toBe(id);
	});

	test.each<[string, FieldIndex, RegExp, RegExp]>([
		[
			'Titel',
			index,
			/^Card 'Orders' has no field 'Titel'$/,
			/^The fields are 'Title', 'Amount', 'f1'\. /,
		],
		['A', new FieldIndex([], 'Empty'), /has no field 'A'/, /^The card has no fields yet\. /],
		['x'.repeat(1_000), index, /'x{80}…'/, /./],
	])(
		'that is unknown: the message names the field, the card and its fields',
		(key, fields, message, description) => {
			expect(() => fields.resolve(key)).toThrow(refusal(message, description));
		},
	);

	test.each<[string, boolean, string | undefined]>([
		['Title', false, 'f1'],
		['title', false, undefined],
		['f2', false, 'f2'],
		['f2', true, undefined],
		['f1', true, 'f3'],
	])('exact %s, only by name: %s', (key, isName, id) => {
		const find = () => index.exact(key, isName).id;
		if (id === undefined) expect(find).toThrow('has no field');
		else expect(find()).toBe(id);
	});
});

describe('two fields of one name', () => {
	const index = new FieldIndex([named('Name', 'f1'), named('Name', 'f2')], 'People');

	test('are ambiguous by name, and the message lists their ids', () => {
		for (const method of ['find', 'resolve'] as const) {
			expect(() => index[method]('Name')).toThrow(
				refusal("'Name' matches 2 fields of card 'People'", /f1.*f2/),
			);
		}
	});
	test('are told apart by the id hint', () => {
		expect(index.find('Name', 'f2')?.id).toBe('f2');
	});
	test('that differ in case only are exact by exact name and ambiguous otherwise', () => {
		const cased = new FieldIndex([named('a', 'f1'), named('A', 'f2')], 'C');
		expect([cased.find('a')?.id, cased.find('A')?.id]).toEqual(['f1', 'f2']);
		expect(() => cased.find(' a ')).toThrow('2 fields');
	});
});

/** Names as people and machines make them: emoji, long, spaces outside, names of JavaScript's own. */
const anyName = fc.oneof(
	fc.string({ minLength: 1, unit: 'grapheme' }),
	fc.constantFrom(...'__proto__ constructor toString id a A id-0 id-1'.split(' '), ' a ', '🧾 B'),
	fc.string({ minLength: 900, maxLength: 1_000 }),
);
const anyListing = fc
	.array(anyName, { minLength: 1, maxLength: 12 })
	.map((names): Field[] => names.map((name, place) => named(name, `id-${place}`)));

test('the key of any field is of no other one, and finds exactly that field, unless it is the name of another', () => {
	fc.assert(
		fc.property(anyListing, (listing) => {
			const index = new FieldIndex(listing, 'Any');
			expect(new Set(listing.map((field) => index.keyOf(field))).size).toBe(listing.length);
			const names = new Set(listing.map(({ name }) => name));
			for (const each of listing) {
				const key = index.keyOf(each);
				if (key === each.id && names.has(key)) continue;
				expect(index.find(key)?.id).toBe(each.id);
			}
		}),
	);
});
