/** What Sync makes of its settings, and of an item that cannot be read. */
import { syncRecords } from '../../../../nodes/WorkspaceData/actions/record/sync.operation';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import {
	cardOf,
	memoryService,
	type Given,
	type MemoryService,
} from '../../../support/memoryService';
import { FIELDS, ROWS, books, cardId, changes, run, sync, syncItem } from './books';

const runContinuing = async (service: MemoryService, items: Given[]) =>
	await run(service, syncRecords, items, { continueOnFail: true });
const [A, B, C] = [syncItem({ Key: 'a' }), syncItem({ Key: 'b' }), syncItem({ Key: 'c' })];

describe('Most Records to Delete', () => {
	const deleted = async (maxDeletions: unknown, items: Given[], rows = ROWS) => {
		const service = books(rows);
		const given = { missingRecords: 'delete', maxDeletions };
		const { errors, late } = await sync(service, items, given);
		if (errors.length > 0) expect(changes(service)).toEqual([]);
		return errors.length > 0 ? errors : late.map(({ json }) => json.id);
	};

	test.each([[''], ['  '], [null], [undefined]])(
		'left empty (%j) is half of the records that take part',
		async (maxDeletions) => {
			expect(await deleted(maxDeletions, [A, B])).toEqual(['r3']);
			expect(await deleted(maxDeletions, [A])).toMatchObject([
				{ message: expect.stringMatching(/^2 of 3 records .+, but at most 1 may be$/) },
			]);
		},
	);

	test.each([['0'], [0], [' 0 ']])(
		'can be %j: then a record too many stops the run',
		async (none) => {
			expect(await deleted(none, [A, B, C])).toEqual([]);
			expect(await deleted(none, [A, B])).toMatchObject([
				{ message: expect.stringMatching(/^1 of 3 records .+, but at most 0 may be$/) },
				{},
			]);
		},
	);

	test.each([['x'], ['-1'], [-1], ['1.5'], [true], [{}], ['Infinity']])(
		'cannot be %j, even where nothing would be deleted',
		async (wrong) => {
			const [error] = (await deleted(wrong, [A, B, C])) as unknown[];
			expect(error).toMatchObject({
				message: expect.stringMatching(
					/^'Most Records to Delete' must be a whole number of at least 0, not '/,
				),
			});
		},
	);

	test('is not read where records without an item are kept: the editor does not show it then', async () => {
		const { errors, late } = await sync(books(), [A], { maxDeletions: 'x' });
		expect(errors).toEqual([]);
		expect(late).toEqual([]);
	});
});

test('a name with an outer space means the card that has it, not the one without', async () => {
	const spaced = cardOf(FIELDS, ROWS, { id: 'c2', name: ' Books' });
	const service = memoryService(cardOf(FIELDS, ROWS), spaced);
	const { errors } = await sync(service, [syncItem({ Key: 'z' })], {
		cardId: { __rl: true, mode: 'name', value: ' Books' },
	});
	expect(errors).toEqual([]);
	expect(changes(service)).toEqual(['POST cards/c2/records']);
});

test('a name that is only nearly that of a card is refused', async () => {
	const service = books();
	const near = { cardId: { ...cardId, mode: 'name', value: 'books' } };
	const { errors } = await sync(service, [A, syncItem({ Key: 'z' })], near);
	expect(errors[0]).toMatchObject({ message: "The workspace has no card called 'books'" });
	expect(changes(service)).toEqual([]);
});

test('gives records in the form that the options say', async () => {
	const one = syncItem({ Key: 'a', Pages: 9 });
	const created_at = '2026-01-01T00:00:00.000Z';
	const own = { id: 'r1', created_at, action: 'updated' };
	const nested = await sync(books(), [one]);
	expect(nested.json).toEqual([{ ...own, fields: { Key: 'a', Pages: 9, Status: 'Open' } }]);
	const flat = await sync(books(), [one], {
		options: { outputFormat: 'flat', outputFields: ['Pages'], fieldKeys: 'id' },
	});
	expect(flat.json).toEqual([{ ...own, f2: 9 }]);
});

describe('where one item cannot be read', () => {
	const wrong = { ...B, options: { dryRun: 'perhaps' } };

	test('it says why, and nothing is sent for its card', async () => {
		const service = books();
		const { errors } = await sync(service, [syncItem({ Key: 'y' }), wrong], {});
		expect(errors).toContainEqual(
			expect.objectContaining({ message: expect.stringContaining("'Dry Run'") }),
		);
		expect(changes(service)).toEqual([]);
	});

	test('and errors continue, the others of its card name it, and other cards are written', async () => {
		const other = cardOf(FIELDS, ROWS, { id: 'c2', name: 'Films' });
		const service = memoryService(cardOf(FIELDS, ROWS), other);
		const elsewhere = { ...syncItem({ Key: 'z' }), cardId: { ...cardId, value: 'c2' } };
		const { errors } = await runContinuing(service, [syncItem({ Key: 'y' }), wrong, elsewhere]);
		expect(errors).toMatchObject([
			{ message: "Nothing was sent for card 'c1', because item 1 is not valid" },
			{ message: expect.stringContaining("'Dry Run'") },
		]);
		expect(changes(service)).toEqual(['POST cards/c2/records']);
	});
});

test('where the last item cannot be written and errors continue, the run says that nothing was deleted', async () => {
	const service = books();
	service.hooks.refuse = ({ method }) => {
		if (method === 'POST') throw new ApiFailure({ status: 403, title: 'No' });
	};
	const deletes = { missingRecords: 'delete', maxDeletions: '5' };
	const items = [A, syncItem({ Key: 'z' })].map((own) => ({ ...own, ...deletes }));
	const { errors, hints, late, json } = await runContinuing(service, items);
	expect(errors).toHaveLength(1);
	expect(json).toHaveLength(1);
	expect(late).toEqual([]);
	expect(hints).toEqual([
		"No record of card 'c1' was deleted, because not all items were written. Run all items again.",
	]);
});
