/** Sync while others write to its card: what it must not delete, overwrite or create twice, and where it ends. */
import { createRecord } from '../../../../nodes/WorkspaceData/actions/record/create.operation';
import { syncRecords } from '../../../../nodes/WorkspaceData/actions/record/sync.operation';
import { updateRecord } from '../../../../nodes/WorkspaceData/actions/record/update.operation';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import {
	cardOf,
	memoryService,
	type Given,
	type MemoryService,
} from '../../../support/memoryService';
import {
	FIELDS,
	before,
	books,
	cardId,
	changes,
	checked,
	many,
	record,
	rowsOf,
	run,
	values,
} from '../record/books';

const item = (value: Record<string, unknown>, more: Given = {}) => ({
	...values(value, ['Key']),
	...more,
});
const deletes = { missingRecords: 'delete', maxDeletions: '900' };
const sync = async (service: MemoryService, given: Given[]) =>
	await run(service, syncRecords, given);

describe('another execution writes after the check', () => {
	test('a second record for an item: neither is changed', async () => {
		const service = books();
		before(service, checked, async () => await run(service, createRecord, values({ Key: 'a' })));
		const { errors } = await sync(service, [item({ Key: 'a', Pages: 9 })]);
		expect(errors).toEqual([
			expect.objectContaining({ message: "2 records of card 'c1' match this item now" }),
		]);
		expect(changes(service)).toEqual(['POST cards/c1/records']);
	});

	test('the record of an item: it is updated, not created twice', async () => {
		const service = books();
		before(service, checked, async () => await run(service, createRecord, values({ Key: 'z' })));
		const { json } = await sync(service, [item({ Key: 'z', Pages: 9 })]);
		expect(json).toMatchObject([{ id: 'new1', action: 'updated' }]);
		expect(rowsOf(service)).toHaveLength(4);
	});

	test('a record without an item: it stays, and a hint says so', async () => {
		const service = books();
		const change = { ...values({ Pages: 100 }), ...record('r2') };
		before(service, checked, async () => await run(service, updateRecord, change));
		const { late, hints } = await sync(service, [item({ Key: 'a' }, deletes)]);
		expect(late.map(({ json }) => json.id)).toEqual(['r3']);
		expect(hints).toEqual([
			"1 records of card 'c1' have no item, but stay, because another execution wrote them during this run",
		]);
		expect(rowsOf(service)?.map(({ f1 }) => f1)).toEqual(['a', 'b']);
	});
});

test('a record that somebody else has deleted counts as deleted', async () => {
	const service = books();
	before(service, checked, async () => await Promise.resolve(service.cards[0]?.records.pop()));
	const { late, errors } = await sync(service, [item({ Key: 'a' }, deletes)]);
	expect(errors).toEqual([]);
	expect(late.map(({ json }) => json.id)).toEqual(['r2', 'r3']);
});

test('two executions with the same new item create one record', async () => {
	const service = books();
	const both = await Promise.all(
		[1, 2].map(async (Pages) => await sync(service, [item({ Key: 'z', Pages })])),
	);
	expect(both.map(({ json }) => json[0]?.action).sort()).toEqual(['created', 'updated']);
	expect(rowsOf(service)).toHaveLength(4);
});

test('an item of another execution does not go into a record that is being deleted', async () => {
	const service = books();
	const ticks = async () => {
		for (let n = 0; n < 20; n += 1) await new Promise(setImmediate);
	};
	let isDeleting = (): void => {};
	const deleting = new Promise<void>((resolve) => (isDeleting = resolve));
	// It has found the record, and writes it once the deletion is under way.
	before(service, checked, async () => await deleting);
	const other = sync(service, [item({ Key: 'c', Pages: 50 })]);
	await ticks();
	before(
		service,
		({ method }) => method === 'DELETE',
		async () => {
			isDeleting();
			await ticks();
		},
	);
	await sync(service, [item({ Key: 'a' }, deletes), item({ Key: 'b' }, deletes)]);
	expect((await other).json).toMatchObject([{ action: 'created' }]);
	expect(rowsOf(service)?.map(({ f1 }) => f1)).toEqual(['a', 'b', 'c']);
});

describe('deletions', () => {
	test('run as many at once as the service bears for deletions', async () => {
		const service = many(20);
		service.api.atOnce = ({ method }) => (method === 'DELETE' ? 2 : 8);
		const { request } = service.api;
		let underWay = 0;
		let most = 0;
		service.api.request = async (sent) => {
			if (sent.method !== 'DELETE') return await request(sent);
			underWay += 1;
			most = Math.max(most, underWay);
			await new Promise(setImmediate);
			underWay -= 1;
			return await request(sent);
		};
		const { late } = await sync(service, [item({ Key: 'k0' }, deletes)]);
		expect(late).toHaveLength(19);
		expect(most).toBe(2);
	});

	test('come out in the order of the records, whichever ends first', async () => {
		const service = many(5);
		const { request } = service.api;
		service.api.request = async (sent) => {
			const waits = JSON.stringify(sent.path).includes('r2') ? 5 : 0;
			for (let n = 0; n < waits; n += 1) await new Promise(setImmediate);
			return await request(sent);
		};
		const { late } = await sync(service, [item({ Key: 'k0' }, deletes)]);
		expect(late.map(({ json }) => json.id)).toEqual(['r2', 'r3', 'r4', 'r5']);
	});

	const failing = (given: Given = {}) => {
		const service = books();
		service.hooks.refuse = ({ method }) => {
			if (method === 'POST') throw new ApiFailure({ status: 403, title: 'No' });
		};
		return sync(service, [item({ Key: 'z' }, given), item({ Key: 'a', Pages: 9 }, given)]);
	};

	test('do not happen where an earlier item was not written; nothing is said to be deleted', async () => {
		const { late, hints, json } = await failing(deletes);
		expect(json).toMatchObject([{ action: 'updated' }]);
		expect(late).toEqual([]);
		expect(hints).toEqual([expect.stringContaining("No record of card 'c1' was deleted")]);
	});

	test('are not mentioned where none were to come', async () => {
		expect((await failing()).hints).toEqual([]);
		expect((await sync(books(), [item({ Key: 'a' }, deletes)])).hints).toEqual([]);
	});
});

describe('how items are written', () => {
	test('each item has its own options', async () => {
		const send = { options: { unchanged: 'send' } };
		const skip = { options: { unchanged: 'skip' } };
		const given = ['a', 'b', 'c'].map((Key) => item({ Key }));
		const { json } = await sync(books(), [
			{ ...given[0], ...skip },
			{ ...given[1], ...send },
			{ ...given[2], ...skip },
		]);
		expect(json.map(({ action }) => action)).toEqual(['unchanged', 'updated', 'unchanged']);
	});

	test('more cards than items run at once, each with several items: none waits for ever', async () => {
		const cards = Array.from({ length: 501 }, (_, n) =>
			cardOf(FIELDS, [{ Key: 'x' }], { id: `c${n}`, name: `Card ${n}` }),
		);
		const given = ['a', 'b', 'c'].flatMap((Key) =>
			cards.map(({ id }) => item({ Key }, { ...deletes, cardId: { ...cardId, value: id } })),
		);
		const { late, errors } = await sync(memoryService(...cards), given);
		expect(errors).toEqual([]);
		expect(late).toHaveLength(501);
		expect(cards.every(({ records }) => records.length === 3)).toBe(true);
	});
});
