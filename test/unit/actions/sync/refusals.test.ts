/** What keeps Sync from changing anything: which item says why, and what the others say then. */
import { syncRecords } from '../../../../nodes/WorkspaceData/actions/record/sync.operation';
import {
	cardOf,
	memoryService,
	type Given,
	type MemoryService,
} from '../../../support/memoryService';
import { FIELDS, ROWS, books, cardId, changes, many, run, values, where } from '../record/books';
import { routed } from '../routedRun';

const item = (value: Record<string, unknown>, more: Given = {}) => ({
	cardId,
	...values(value, ['Key']),
	...more,
});
const A = item({ Key: 'a', Pages: 9 });
const B = item({ Key: 'b', Pages: 9 });
const films = { cardId: { ...cardId, value: 'c2' } };
const unknown = { cardId: { __rl: true, mode: 'name', value: 'Songs' } };
const tooMany = { missingRecords: 'delete', maxDeletions: 'many' };

const library = () =>
	memoryService(cardOf(FIELDS, ROWS), cardOf(FIELDS, [], { id: 'c2', name: 'Films' }));

/** The error of each item where errors continue; none where it was written. */
async function errorsOf(service: MemoryService, given: Given[]) {
	const { items } = await routed(service, ['record', 'sync'], given, {
		node: { onError: 'continueRegularOutput' },
	});
	return given.map((_, n) => {
		const own = items.find(({ pairedItem }) => (pairedItem as { item: number }).item === n);
		const details = own?.json.details as { description?: string } | undefined;
		return own?.json.error && `${String(own.json.error)}. ${details?.description ?? ''}`;
	});
}

/** The error that ends the run. */
async function errorOf(service: MemoryService, given: Given[]) {
	const { error } = await routed(service, ['record', 'sync'], given);
	expect(changes(service)).toEqual([]);
	return { item: error?.context?.itemIndex, message: error?.message };
}

describe('the card of an item is not known', () => {
	const given = [A, item({ Key: 'z' }, films), item({ Key: 'x' }, unknown), item({}, unknown)];

	test('nothing is sent for any card: the record could be missing from each', async () => {
		const service = library();
		const all = await errorsOf(service, given);
		const others = expect.stringContaining('because the card of item 2 is not known');
		const own = expect.stringContaining('Songs');
		expect(all).toEqual([others, others, own, own]);
		expect(changes(service)).toEqual([]);
	});

	test('the run ends with the error of that item', async () => {
		expect(await errorOf(library(), given)).toEqual({
			item: expect.any(Number),
			message: expect.stringContaining('Songs'),
		});
	});
});

describe('an item is not valid', () => {
	const given = [
		A,
		item({ Key: 'b' }, tooMany),
		item({ Key: 'c' }, tooMany),
		item({ Key: 'z' }, films),
	];

	test('the others of its card say which one; another card is written', async () => {
		const service = library();
		const all = await errorsOf(service, given);
		const own = expect.stringContaining("'Most Records to Delete' must be a whole number");
		expect(all).toEqual([
			expect.stringContaining("Nothing was sent for card 'c1', because item 1 is not valid"),
			own,
			own,
			undefined,
		]);
		expect(changes(service)).toEqual(['POST cards/c2/records']);
	});

	test('the run ends with its own error, not with that of another item of the card', async () => {
		expect(await errorOf(library(), given)).toEqual({
			item: 1,
			message: expect.stringContaining("'Most Records to Delete'"),
		});
	});

	test('nothing is even read for its card', async () => {
		const service = books();
		await errorsOf(service, [item({ Key: 'b' }, tooMany), A, B]);
		expect(service.requests()).toEqual([]);
	});
});

describe('a value of an item cannot be sent', () => {
	const wrong = (value: Record<string, unknown>) => item({ Pages: 'many', ...value });

	test('all items of the card name all such items by their keys, and say why (Q4)', async () => {
		const service = library();
		const all = await errorsOf(service, [
			A,
			wrong({ Key: 'b' }),
			wrong({ Key: 'c', Pages: 'few' }),
			item({ Key: 'z' }, films),
		]);
		const text = expect.stringMatching(
			/^2 items .* The item with Key 'b': Field 'Pages' cannot hold "many"\. .*number.* The item with Key 'c': .* Nothing was sent for its card\.$/,
		);
		expect(all).toEqual([text, text, text, undefined]);
		expect(changes(service)).toEqual(['POST cards/c2/records']);
	});

	test('nor is a matching value left out', async () => {
		expect(await errorsOf(books(), [A, item({ Pages: 1 })])).toEqual([
			expect.stringContaining("Nothing was sent for card 'c1', because item 1 is not valid"),
			expect.stringContaining("Item 1: Matching field 'Key' has no value"),
		]);
	});

	test('a message describes the first ten (Q4)', async () => {
		const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
		const [first] = await errorsOf(books(), [A, ...keys.map((Key) => wrong({ Key }))]);
		const said = String(first);
		expect(said).toContain("12 items cannot be sent, the first is the item with Key 'k0'");
		expect(said.match(/The item with Key 'k\d+': Field 'Pages'/g)).toHaveLength(10);
		expect(said).toMatch(/And 2 more\. Nothing was sent for its card\./);
	});

	test('a failure of the service stays as it is', async () => {
		const service = books();
		service.hooks.refuse = () => {
			throw new Error('Disk full');
		};
		expect((await run(service, syncRecords, [A])).errors).toEqual([new Error('Disk full')]);
	});

	test('the run ends, and items of other cards are not written', async () => {
		const given = [item({ Key: 'z' }, films), wrong({ Key: 'b' })];
		expect(await errorOf(library(), given)).toMatchObject({
			message: expect.stringContaining("The item with Key 'b': Field"),
		});
	});
});

describe('items of a card have different settings', () => {
	test('all of them say so', async () => {
		const all = await errorsOf(library(), [
			A,
			{ ...B, dryRun: true },
			item({ Key: 'c' }, { dryRun: true }),
			item({ Key: 'z' }, films),
		]);
		const text = expect.stringContaining('settings of items 0 and 1 differ');
		expect(all).toEqual([text, text, text, undefined]);
	});

	test('no records are read for their values any more', async () => {
		const service = memoryService(cardOf([...FIELDS, { name: 'Due', type: 'datetime' }], ROWS));
		const second = item({ Key: 'b', Due: '2026-05-01 10:00:00' }, { dryRun: true });
		await errorsOf(service, [A, second]);
		expect(service.requests()).toEqual(['GET cards/c1/fields']);
	});
});

describe('records of a card are in doubt', () => {
	const advice = async (rows: Array<Record<string, unknown>>, given: Given[]) =>
		(await errorsOf(books(rows), given))[0];

	test('several have the values of an item: they are named', async () => {
		const rows = ['a', 'a', 'b', 'a'].map((Key) => ({ Key }));
		expect(await advice(rows, [A])).toMatch(/delete all but one of: 'a' \(r1, r2, r4\)\.$/);
	});

	test('some have no value to match on: they are named', async () => {
		const rows = ['a', '', 'b', ''].map((Key) => ({ Key }));
		expect(await advice(rows, [A])).toMatch(
			/^2 records .* or exclude them by 'Filters': r2, r4\.$/,
		);
	});

	test('of two fields to match on, one is empty', async () => {
		const two = { cardId, ...values({ Key: 'a', Pages: 1 }, ['Key', 'Pages']) };
		expect(await advice([{ Key: 'a', Pages: 1 }], [two])).toBeUndefined();
		expect(await advice([{ Key: 'b' }, { Key: 'a', Pages: 1 }], [two])).toMatch(
			/^1 records .* have no value in a field to match on.*: r1\.$/,
		);
	});

	test('two items are for one record: their values and places are named', async () => {
		const two = (Key: string, Pages: number) => ({
			cardId,
			...values({ Key, Pages }, ['Key', 'Pages']),
		});
		expect(await advice(ROWS, [two('x', 1), two('a', 3), two('x', 1)])).toMatch(
			/one item only: 'x', '1' \(items 0 and 2\)\.$/,
		);
	});

	test('items that do not meet the conditions are named with their values', async () => {
		const open = where('Status', 'Open');
		const given = [
			item({ Key: 'a' }, open),
			item({ Key: 'b' }, open),
			item({ Key: 'y', Status: 'Done' }, open),
			item({ Key: 'z', Status: 'Open' }, open),
		];
		expect(await advice(ROWS, given)).toMatch(
			/^2 items have values or records .*: item 1 \('b'\), item 2 \('y'\)\.$/,
		);
	});

	test('another card waits for the check, too, and is not written where the run ends', async () => {
		const service = library();
		service.cards[0]?.records.push({ id: 'r9', data: { f1: 'a' }, created_at: '' });
		expect(await errorOf(service, [item({ Key: 'z' }, films), A])).toMatchObject({
			item: 1,
			message: expect.stringContaining('Several records of card'),
		});
	});
});

test('a condition must call its field by its exact name', async () => {
	const near = where('status', 'Open');
	expect(await errorOf(books(), [item({ Key: 'a' }, near)])).toMatchObject({
		message: expect.stringContaining('status'),
	});
});

test('a condition on the creation is met by records that are created now', async () => {
	const recent = where('created_at', '2020-01-01', 'greaterOrEqual');
	const service = books();
	expect(await errorsOf(service, [item({ Key: 'z' }, recent)])).toEqual([undefined]);
	expect(changes(service)).toEqual(['POST cards/c1/records']);
});

test('fields that change while the records are read end it: other records could match', async () => {
	const service = books();
	service.hooks.lose = ({ path }) => {
		if (path.at(-1) === 'records')
			Object.assign(service.cards[0]?.fields[1] ?? {}, { name: 'Size' });
	};
	expect(await errorOf(service, [A])).toMatchObject({
		message: "The fields of card 'c1' changed while its records were being read",
	});
});

test('a long reading is told of', async () => {
	const hints = async (count: number) =>
		(await run(many(count), syncRecords, [item({ Key: 'k0' })])).hints;
	expect(await hints(100)).toEqual([]);
	expect(await hints(101)).toEqual([expect.stringContaining('101 records were read')]);
});
