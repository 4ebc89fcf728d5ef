/** Items of a run whose values need fields: which of them add together, and which on their own. */
import { createRecord } from '../../../../nodes/WorkspaceData/actions/record/create.operation';
import { upsertRecord } from '../../../../nodes/WorkspaceData/actions/record/upsert.operation';
import { cardOf, memoryService } from '../../../support/memoryService';
import { FIELDS, cardId, run, values } from '../record/books';

const films = { ...cardId, value: 'c2' };
const create = { unknownFields: 'create' };
const add = { missingChoices: 'add' };

const both = () => memoryService(cardOf(FIELDS), cardOf(FIELDS, [], { id: 'c2', name: 'Films' }));
const names = ({ cards }: ReturnType<typeof both>) =>
	cards.map(({ fields }) => fields.map(({ name }) => name).slice(FIELDS.length));

test('two cards of a run each get the fields of their own items', async () => {
	const service = both();
	const { errors } = await run(service, createRecord, [
		{ ...values({ New: 1 }), options: create },
		{ ...values({ Other: 'a' }), options: create, cardId: films },
		{ ...values({ New: 'x' }), options: create },
	]);
	expect(errors).toEqual([]);
	expect(names(service)).toEqual([['New'], ['Other']]);
	// The type follows from the values of the items of its card.
	expect(service.cards[0]?.fields.at(-1)?.type).toBe('text');
	expect(service.cards.map(({ records }) => records.length)).toEqual([2, 1]);
});

test('items get only what their own options allow', async () => {
	const service = both();
	const { errors } = await run(service, createRecord, [
		{ ...values({ Key: 'a', Status: 'Late' }), options: add },
		{ ...values({ Key: 'b', New: 1 }), options: create },
		{ ...values({ Key: 'c', Never: 1 }), options: add },
	]);
	expect(errors).toMatchObject([{ message: expect.stringContaining("'Never'") }]);
	expect(names(service)[0]).toEqual(['New']);
	expect(service.cards[0]?.fields[2]?.options).toEqual(['Open', 'Done', 'Late']);
});

test('an item that runs dry adds nothing beside one that does not', async () => {
	const service = both();
	const item = (value: Record<string, unknown>, options = {}) => ({
		...values(value, ['Key']),
		options: { ...create, ...options },
	});
	const dry = item({ Key: 'a', Dry: 1 }, { dryRun: true });
	const { errors } = await run(service, upsertRecord, [dry, item({ Key: 'b', Real: 1 })]);
	expect(errors).toEqual([]);
	expect(names(service)[0]).toEqual(['Real']);
	expect(service.cards[0]?.records).toHaveLength(1);
});
