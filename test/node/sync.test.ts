/** Sync: the records of a card become equal to the items, after everything was checked. */
import { hurry } from '../support/quickTime';
import type { IDataObject, INode } from 'n8n-workflow';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { hintsOf, placesOf, succeeded } from '../support/n8n';
import { actionsOf, runCounted } from '../support/runs';
import { card, useCard, workspace } from '../support/workspace';

const FIELDS = { Key: 'text', Amount: 'number', Source: 'text' };
useCard('Sync', FIELDS);

const sync = async (
	items: IDataObject[],
	parameters: IDataObject = {},
	onError: INode['onError'] = 'stopWorkflow',
) => {
	const given = { columns: mapAutomatically(['Key']), ...parameters };
	return await runCounted('sync', given, items, { node: { onError } });
};
/** Makes a record for each key, with an amount of 0. */
const fill = async (...keys: string[]) =>
	await workspace.records(
		card.id,
		keys.map((Key) => ({ Key, Amount: 0 })),
	);
/** The methods of the changes that were sent. */
const sent = () => workspace.changes().map((request) => request.split(' ')[0]);
const rows = async () =>
	(await workspace.rows(card.id)).sort((a, b) => (String(a.Key) < String(b.Key) ? -1 : 1));
const remove = { missingRecords: 'delete', maxDeletions: -1 };
const GOING_ON = 'continueRegularOutput';

test('creates, updates and leaves alone; records without an item stay', async () => {
	await workspace.records(card.id, [
		{ Key: 'a', Amount: 1 },
		{ Key: 'b', Amount: 2 },
		{ Key: 'z', Amount: 9 },
	]);
	const given = [
		{ Key: 'b', Amount: 3 },
		{ Key: 'c', Amount: 4 },
		{ Key: 'a', Amount: 1 },
	];
	const result = succeeded(await sync(given));
	expect(actionsOf(result)).toEqual(['updated', 'created', 'unchanged']);
	expect(result.json.map((item) => 'before' in item)).toEqual([true, false, false]);
	expect(result.json.map(({ Key }) => Key)).toEqual(['b', 'c', 'a']);
	expect(placesOf(result.items)).toEqual([0, 1, 2]);
	expect(sent().sort()).toEqual(['PATCH', 'POST']);
	expect(await rows()).toEqual([given[2], given[0], given[1], { Key: 'z', Amount: 9 }]);
	expect(new Set(actionsOf(await sync(given)))).toEqual(new Set(['unchanged']));
	expect(sent()).toEqual([]);
});

test('If Record Has No Item: Delete deletes them last, paired with the first item of the card', async () => {
	const ids = await fill('a', 'x', 'b', 'y');
	const { json, items } = succeeded(await sync([{ Key: 'a' }, { Key: 'n' }, { Key: 'b' }], remove));
	const none = { Amount: 0, Source: null };
	expect(json.slice(3)).toEqual([
		{ Key: 'x', ...none, deleted: true, id: ids[1], action: 'deleted' },
		{ Key: 'y', ...none, deleted: true, id: ids[3], action: 'deleted' },
	]);
	expect(placesOf(items.slice(3))).toEqual([0, 0]);
	expect((await rows()).map(({ Key }) => Key)).toEqual(['a', 'b', 'n']);
	expect(sent()).toEqual(['POST', 'DELETE', 'DELETE']);
});

const ofShop = where('Source', 'equals', 'shop');

test('only records that meet the conditions take part', async () => {
	await workspace.records(card.id, [
		{ Key: 'a', Source: 'shop' },
		{ Key: 'old', Source: 'shop' },
		{ Key: 'other', Source: 'crm' },
		{ Source: 'crm' },
	]);
	succeeded(await sync([{ Key: 'a', Source: 'shop' }], { ...remove, ...ofShop }));
	expect((await rows()).map(({ Key }) => Key)).toEqual(['a', 'other', undefined]);
});

const perCard = (values: IDataObject) => ({
	...remove,
	cardId: byId('={{ $json.card }}'),
	columns: mapEach(values, { matchingColumns: ['Key'] }),
});

test('items of several cards: each has its own records and deletions', async () => {
	const other = await workspace.card('Other', { Key: 'text' });
	await workspace.records(card.id, [{ Key: 'x' }]);
	await workspace.records(other.id, [{ Key: 'y' }]);
	const given = [
		{ Key: 'a', card: card.id },
		{ Key: 'b', card: other.id },
	];
	const result = await sync(given, perCard({ Key: '={{ $json.Key }}' }));
	expect(actionsOf(result)).toEqual(['created', 'created', 'deleted', 'deleted']);
	expect(placesOf(result.items)).toEqual([0, 1, 0, 1]);
	expect(await workspace.rows(other.id)).toEqual([{ Key: 'b' }]);
	expect(await rows()).toEqual([{ Key: 'a' }]);
});

test('items of several cards: a card that is missing is the error, although another item is refused as well', async () => {
	const given = [
		{ Key: 'a', card: 'crd_gone', Amount: 1 },
		{ Key: 'b', card: card.id, Amount: 'many' },
	];
	const values = { Key: '={{ $json.Key }}', Amount: '={{ $json.Amount }}' };
	const { error } = await sync(given, { ...perCard(values), missingRecords: 'keep' });
	expect(error?.context?.data).toMatchObject({ status: 404 });
	expect(workspace.changes()).toEqual([]);
});

describe('is refused, and nothing is sent, with', () => {
	const fillSources = async () =>
		await workspace.records(card.id, [
			{ Key: 'a', Source: 'shop' },
			{ Key: 'b', Source: 'shop' },
			{ Key: 'c', Source: 'crm' },
		]);

	const [A, B, MANY] = [{ Key: 'a' }, { Key: 'b' }, { Key: 'b', Amount: 'many' }];
	const most = (maxDeletions: unknown) => ({ ...remove, maxDeletions }) as IDataObject;
	const outside = "Values or records of 1 item don't meet the conditions";
	const byAmount = { columns: mapAutomatically(['Amount']) };
	const bySource = where('Source', 'equals', '={{ $json.Source }}');
	const twoSources = [
		{ Key: 'a', Source: 'shop' },
		{ Key: 'b', Source: 'crm' },
	];

	test.each<[string, IDataObject[], IDataObject, string]>([
		['an item without a key', [A, { Key: '' }], {}, "Item 1: Matching field 'Key' has no value"],
		['a value of no use', [A, MANY], {}, "Item 1: Field 'Amount' can't"],
		['an unknown field', [{ Key: 'a', Colour: 'red' }], {}, 'Item 0: '],
		['more deletions than given', [A], most(1), "'Max Records to Delete' is 1"],
		['a record outside the conditions', [{ Key: 'c', Source: 'crm' }], ofShop, outside],
		['a value outside them', [{ Key: 'a', Source: 'crm' }], ofShop, outside],
		['a new record outside them', [{ Key: 'n', Source: 'crm' }], ofShop, outside],
		['conditions that differ', twoSources, bySource, "'Filters' of items 0 and 1 differs"],
		["a field's name in another case", [A], where('source', 'equals', 'a'), 'no field'],
		['a condition without its value', [A], where('Source', 'equals', ''), "'Value' is empty"],
		['no number', [A], most('all'), "'Max Records to Delete' must be"],
		['an empty maximum', [A], most(''), "'Max Records to Delete' must be"],
		['an unknown choice', [A], { missingRecords: 'drop' }, "'If Record Has No Item' can't be"],
		['a key that two items have', [A, B, A], {}, 'Several items have the same values'],
		['both named', [A, B, A], {}, '"a" (items 0 and 2)'],
		['two spellings of a number', [{ Amount: 5 }, { Amount: '5.0' }], byAmount, 'items 0 and 1'],
		['no field to match on', [A], { columns: mapAutomatically() }, "'Fields to match on'"],
	])('%s', async (_, items, parameters, message) => {
		await fillSources();
		const { error } = await sync(items, parameters);
		expect(`${error?.message} ${error?.description ?? ''}`).toContain(message);
		// n8n's number is that of the item which is named.
		const bad = items.findIndex(({ Key, Amount }) => Key === '' || Amount === 'many');
		expect(error?.context?.itemIndex).toBe(Math.max(bad, 0));
		expect(sent()).toEqual([]);
	});

	test("deletions of more than a tenth, and than five: the message names 'Return All'", async () => {
		// What Get Many returns by default.
		const keys = Array.from({ length: 60 }, (_, n) => `k${n}`);
		await fill(...keys);
		const items = keys.slice(0, 50).map((Key) => ({ Key, Amount: 0 }));
		for (const given of [{ missingRecords: 'delete' }, most(0)]) {
			const { error } = await sync(items, given);
			expect(error?.message).toContain('10 of 60 records of card');
			expect(error?.description).toContain("'Return All'");
		}
		expect(sent()).toEqual([]);
		const { json } = succeeded(await sync(items, most(10)));
		expect(json.filter(({ action }) => action === 'deleted')).toHaveLength(10);
	});

	test('a key that two records have', async () => {
		const ids = await fill('a', 'a');
		const { error } = await sync([A]);
		expect(error?.message).toContain('Several records of card');
		expect(error?.description).toContain(ids.join(', '));
		expect(sent()).toEqual([]);
	});

	test('records without a key, also without one of two', async () => {
		const ids = await workspace.records(card.id, [{ Amount: 1 }, { Key: 'x' }]);
		const columns = mapAutomatically(['Key', 'Amount']);
		for (const [more, count] of [
			[{}, 1],
			[{ columns }, 2],
		] as const) {
			const { error } = await sync([{ Key: 'a', Amount: 1 }], more);
			expect(error?.message).toContain(`${count} record${count > 1 ? 's' : ''} of card`);
			expect(error?.description).toContain(ids.slice(0, count).join(', '));
		}
		expect(sent()).toEqual([]);
	});

	test("an item that isn't valid, also if errors continue: its card is left alone, others are synced", async () => {
		const other = await workspace.card('Other', { Key: 'text', Amount: 'number' });
		await fillSources();
		const items = [
			{ Key: 'a', card: card.id },
			{ Key: 'b', Amount: 'many', card: card.id },
			{ Key: 'n', card: other.id },
		];
		const values = { Key: '={{ $json.Key }}', Amount: '={{ $json.Amount }}' };
		const { json } = await sync(items, perCard(values), GOING_ON);
		const said = "Item 1: Field 'Amount' can't hold \"many\"";
		expect(json.map(({ error, action }) => error ?? action)).toEqual([said, said, 'created']);
		expect(JSON.stringify(json[0])).toContain('Nothing was sent for its card.');
		expect(sent()).toHaveLength(1);
	});

	test.each([
		[['', '10'], "because item 1 isn't valid", "'Card' is empty"],
		[['{card}', 'all'], "because item 1 isn't valid", "'Max Records to Delete' must be"],
	])('%j, also if errors continue: the others name the item', async (odd, others, own) => {
		await fillSources();
		const [cardId = '', maxDeletions = ''] = odd.map((value) => value.replace('{card}', card.id));
		const parameters = {
			...remove,
			cardId: byId(`={{ $itemIndex === 1 ? '${cardId}' : '${card.id}' }}`),
			maxDeletions: `={{ $itemIndex === 1 ? '${maxDeletions}' : '10' }}`,
		};
		const { error } = await sync([A, B], parameters);
		expect(error?.message).toContain(own);
		const { json } = await sync([A, B, { Key: 'c' }], parameters, GOING_ON);
		const said = [others, own, others].map((text) => expect.stringContaining(text) as string);
		expect(json.map((item) => JSON.stringify(item))).toEqual(said);
		expect(sent()).toEqual([]);
	});
});

describe('a run that fails halfway', () => {
	beforeEach(async () => {
		await fill('a', 'x');
		hurry();
	});
	const items = ['a', 'b', 'c'].map((Key, place) => ({ Key, Amount: place + 1 }));

	test('deletes nothing, and is finished by running it again', async () => {
		workspace.fail('PATCH', '', { status: 500, times: 3 });
		const { error } = await sync(items, remove);
		expect(error).toBeDefined();
		expect(sent()).not.toContain('DELETE');
		expect((await rows()).map(({ Key }) => Key)).toContain('x');
		succeeded(await sync(items, remove));
		expect(await rows()).toEqual(items);
	});

	test('deletes nothing either where errors continue, and a hint says so', async () => {
		workspace.fail('PATCH', '', { status: 500, times: 3 });
		const result = await sync(items, remove, GOING_ON);
		expect(actionsOf(result)).toEqual([undefined, 'created', 'created']);
		expect(result.json[0]?.error).toEqual(expect.any(String));
		expect(sent()).not.toContain('DELETE');
		expect(hintsOf(result).join()).toContain('No record of card');
	});

	test('a deletion that is refused: the message says how far it came', async () => {
		workspace.fail('DELETE', '', { status: 500, times: 9 });
		const { error } = await sync([{ Key: 'a' }], remove);
		expect(error?.description).toContain('Run all items again to delete the other records.');
	});
});

test('If Field Is Unknown: Create adds the field only after all items were found valid', async () => {
	await workspace.records(card.id, [{ Key: 'a' }]);
	const options = { unknownFields: 'create' };
	const items = [
		{ Key: 'a', Colour: 'red' },
		{ Key: 'b', Colour: 'blue' },
	];
	const invalid = await sync([...items, { Key: 'c', Amount: 'many' }], { options });
	expect(invalid.error).toBeDefined();
	expect(sent()).toEqual([]);
	expect(actionsOf(succeeded(await sync(items, { options })))).toEqual(['updated', 'created']);
	expect(await rows()).toEqual(items);
});

test('the first sync of an empty card creates the fields, the one to match on included', async () => {
	const empty = await workspace.card('Empty', []);
	const parameters = {
		cardId: byId(empty.id),
		columns: mapAutomatically(['SKU']),
		options: { unknownFields: 'create' },
		...remove,
	};
	const items = ['A-1', 'A-2'].map((SKU, Stock) => ({ SKU, Stock }));
	expect(actionsOf(succeeded(await sync(items, parameters)))).toEqual(['created', 'created']);
	expect(actionsOf(await sync(items.slice(1), parameters))).toEqual(['unchanged', 'deleted']);
	expect(await workspace.rows(empty.id)).toEqual([{ SKU: 'A-2', Stock: 1 }]);
});
