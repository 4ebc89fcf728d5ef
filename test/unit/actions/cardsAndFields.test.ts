/** What each operation on cards and fields sends, changes and gives. */
import { createCard } from '../../../nodes/WorkspaceData/actions/card/create.operation';
import { createCardFromItems } from '../../../nodes/WorkspaceData/actions/card/createFromItems.operation';
import { deleteCard } from '../../../nodes/WorkspaceData/actions/card/delete.operation';
import { getCardOperation } from '../../../nodes/WorkspaceData/actions/card/get.operation';
import { getManyCards } from '../../../nodes/WorkspaceData/actions/card/getAll.operation';
import { updateCard } from '../../../nodes/WorkspaceData/actions/card/update.operation';
import { createField } from '../../../nodes/WorkspaceData/actions/field/create.operation';
import { deleteField } from '../../../nodes/WorkspaceData/actions/field/delete.operation';
import { getField } from '../../../nodes/WorkspaceData/actions/field/get.operation';
import { getManyFields } from '../../../nodes/WorkspaceData/actions/field/getAll.operation';
import { updateField } from '../../../nodes/WorkspaceData/actions/field/update.operation';
import { ApiFailure, Unreachable } from '../../../nodes/WorkspaceData/transport/failure/failures';
import { cardOf, memoryService, runOperation } from '../../support/memoryService';

const FIELDS = [
	{ name: 'Key', type: 'text' },
	{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
];
const service = () =>
	memoryService(
		cardOf(FIELDS, [{ Key: 'a', Status: 'Open' }, { Key: 'b', Status: 'Done' }, { Key: 'c' }]),
		cardOf([], [], { id: 'c2', name: 'Films' }),
	);
type Service = ReturnType<typeof service>;

const cardId = { __rl: true, mode: 'id', value: 'c1' };
const fieldId = (value: string) => ({ __rl: true, mode: 'id', value });
const changes = ({ requests }: Service) => requests().filter((line) => !line.startsWith('GET'));

describe('cards', () => {
	const create = async (own: Service, name: string, additionalFields: object = {}) =>
		await runOperation(own, createCard, { name, additionalFields });

	test('are created with all that was entered', async () => {
		const own = service();
		const { json } = await create(own, 'Plays', {
			description: '',
			customProperties: '{"color":"green","name":"Other"}',
		});
		expect(json).toEqual([{ id: 'new1', name: 'Plays', description: '', color: 'green' }]);
		expect(own.api.sent).toEqual([
			expect.objectContaining({
				method: 'POST',
				creates: 'card',
				body: { color: 'green', name: 'Plays', description: '' },
			}),
		]);
	});

	test.each([
		['Films', { ifExists: 'create' }, 'new1', 1],
		['Films', { ifExists: 'reuse' }, 'c2', 0],
		[' films ', { ifExists: 'reuse' }, 'c2', 0],
		['Plays', { ifExists: 'reuse' }, 'new1', 1],
		['Plays', { ifExists: 'error' }, 'new1', 1],
	])('called %j with %j are %s', async (name, options, id, made) => {
		const own = service();
		const { json, errors } = await create(own, name, options);
		expect(errors).toEqual([]);
		expect(json).toMatchObject([{ id }]);
		expect(changes(own)).toHaveLength(made);
	});

	test.each(['Films', 'FILMS'])('called %s that must not exist are refused', async (name) => {
		const own = service();
		const { errors } = await create(own, name, { ifExists: 'error' });
		expect(errors).toEqual([
			expect.objectContaining({ message: "A card called 'Films' exists already" }),
		]);
		expect(changes(own)).toEqual([]);
	});

	test('two items of one name make one card', async () => {
		const own = service();
		const given = { name: 'Plays', additionalFields: { ifExists: 'reuse' } };
		const { json } = await runOperation(own, createCard, [given, given]);
		expect(json.map(({ id }) => id)).toEqual(['new1', 'new1']);
		expect(changes(own)).toHaveLength(1);
	});

	test.each([
		['is there', true],
		['is not there', false],
	])('a lost answer is looked up: the card %s', async (_, arrives) => {
		const own = service();
		const lost = new Unreachable('No answer', { transient: true });
		own.hooks[arrives ? 'lose' : 'refuse'] = ({ method }) => {
			if (method === 'POST') throw lost;
		};
		const { json, errors } = await create(own, 'Plays', { ifExists: 'reuse' });
		expect(json).toEqual(arrives ? [expect.objectContaining({ id: 'new1' })] : []);
		expect(errors).toEqual(arrives ? [] : [lost]);
		expect(changes(own)).toHaveLength(1);
	});

	test('without a name are refused', async () => {
		const own = service();
		expect((await create(own, ' ')).errors).toHaveLength(1);
		expect(own.api.sent).toEqual([]);
	});

	test('are listed, all or the first ones', async () => {
		const names = async (given: object) =>
			(await runOperation(service(), getManyCards, { ...given })).json.map(({ name }) => name);
		expect(await names({ returnAll: true })).toEqual(['Books', 'Films']);
		expect(await names({ limit: 1 })).toEqual(['Books']);
	});

	test('one card', async () => {
		const { json } = await runOperation(service(), getCardOperation, { cardId });
		expect(json).toEqual([{ id: 'c1', name: 'Books' }]);
	});

	test.each([[{ name: 'New' }], [{ description: '' }], [{ customProperties: '{"color":"red"}' }]])(
		'are changed by %j only',
		async (updateFields) => {
			const own = service();
			const { json } = await runOperation(own, updateCard, { cardId, updateFields });
			const sent = 'customProperties' in updateFields ? { color: 'red' } : updateFields;
			expect(own.api.sent).toEqual([expect.objectContaining({ method: 'PATCH', body: sent })]);
			expect(json).toEqual([{ id: 'c1', name: 'Books', ...sent }]);
		},
	);

	test.each([[{}], [{ name: '' }], [{ customProperties: '[]' }]])(
		'are not changed by %j',
		async (updateFields) => {
			const own = service();
			const { errors } = await runOperation(own, updateCard, { cardId, updateFields });
			expect(errors).toHaveLength(1);
			expect(own.api.sent).toEqual([]);
		},
	);

	test('are deleted, or shown in a dry run', async () => {
		const own = service();
		const dry = await runOperation(own, deleteCard, { cardId, dryRun: true });
		const before = { name: 'Books', fields: 2, records: 3 };
		expect(dry.json).toEqual([{ dry_run: true, action: 'delete', id: 'c1', before, after: null }]);
		expect(changes(own)).toEqual([]);
		const { json } = await runOperation(own, deleteCard, { cardId });
		expect(json).toEqual([{ deleted: true, id: 'c1' }]);
		expect(own.cards.map(({ id }) => id)).toEqual(['c2']);
		expect(own.api.sent.at(-1)).toMatchObject({ method: 'DELETE', deletes: 'card' });
	});
});

describe('fields', () => {
	test('are created in the order of the items, with all that was entered', async () => {
		const own = service();
		const additionalFields = { choices: 'a, b', customProperties: '{"hidden":true}' };
		const { json } = await runOperation(own, createField, [
			{ cardId, name: 'One', type: 'text' },
			{ cardId, name: 'Two', type: 'single_select', additionalFields },
		]);
		expect(json).toEqual([
			{ id: 'new1', name: 'One', type: 'text' },
			{ id: 'new2', name: 'Two', type: 'single_select', hidden: true, options: ['a', 'b'] },
		]);
		expect(own.api.sent).toEqual(
			['One', 'Two'].map(() =>
				expect.objectContaining({ method: 'POST', creates: 'field', maxParallel: 1 }),
			),
		);
	});

	test.each([
		[{ name: '', type: 'text' }, "'Name' is empty"],
		[{ name: 'A', type: ' ' }, 'is empty'],
		[{ name: 'A', type: 'text', additionalFields: { options: '{' } }, 'is not valid JSON'],
	])('%j are refused before anything is sent', async (given, message) => {
		const own = service();
		const { errors } = await runOperation(own, createField, { cardId, ...given });
		expect(errors).toEqual([
			expect.objectContaining({ message: expect.stringContaining(message) }),
		]);
		expect(own.api.sent).toEqual([]);
	});

	test('one field, and the first ones', async () => {
		const one = await runOperation(service(), getField, { cardId, fieldId: fieldId('f2') });
		expect(one.json).toEqual([
			{ id: 'f2', name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
		]);
		const ids = async (given: object) =>
			(await runOperation(service(), getManyFields, { cardId, ...given })).json.map(({ id }) => id);
		expect(await ids({ returnAll: true })).toEqual(['f1', 'f2']);
		expect(await ids({ limit: 1 })).toEqual(['f1']);
	});

	const update = async (own: Service, updateFields: object, dryRun = false) =>
		await runOperation(own, updateField, {
			cardId,
			fieldId: fieldId('f2'),
			updateFields,
			dryRun,
		});

	test.each<[object, object]>([
		[{ name: 'State' }, { name: 'State' }],
		[{ type: 'text' }, { type: 'text' }],
		[{ choices: 'Open, Late' }, { options: ['Open', 'Late'] }],
		[{ customProperties: '{"hidden":true}' }, { hidden: true }],
	])('are changed by %j only', async (updateFields, body) => {
		const own = service();
		const { json } = await update(own, updateFields);
		expect(own.api.sent.at(-1)).toMatchObject({ method: 'PATCH' });
		expect(own.api.sent.at(-1)?.body).toEqual(body);
		expect(json).toMatchObject([{ id: 'f2', ...body }]);
	});

	test.each([[{}], [{ name: ' ' }], [{ type: '' }]])(
		'are not changed by %j',
		async (updateFields) => {
			const own = service();
			expect((await update(own, updateFields)).errors).toHaveLength(1);
			expect(own.api.sent).toEqual([]);
		},
	);

	test('a dry run shows the choices that would be lost, with the records that have them', async () => {
		const own = service();
		const { json } = await update(own, { name: 'State', choices: 'Open, Late' }, true);
		expect(json).toEqual([
			{
				dry_run: true,
				action: 'update',
				id: 'f2',
				before: {
					name: 'Status',
					type: 'single_select',
					choices: ['Open', 'Done'],
					values: 2,
				},
				after: { name: 'State', type: 'single_select', choices: ['Open', 'Late'] },
				removed_choices: [{ choice: 'Done', records: 1 }],
			},
		]);
		expect(changes(own)).toEqual([]);
	});

	test('are deleted, or shown in a dry run', async () => {
		const own = service();
		const given = { cardId, fieldId: fieldId('f1') };
		const before = { name: 'Key', type: 'text', values: 3 };
		expect((await runOperation(own, deleteField, { ...given, dryRun: true })).json).toEqual([
			{ dry_run: true, action: 'delete', id: 'f1', before, after: null },
		]);
		expect(changes(own)).toEqual([]);
		expect((await runOperation(own, deleteField, given)).json).toEqual([
			{ deleted: true, id: 'f1' },
		]);
		expect(own.cards[0]?.fields.map(({ id }) => id)).toEqual(['f2']);
		expect(own.api.sent.at(-1)).toMatchObject({ method: 'DELETE', deletes: 'field' });
	});
});

describe('a card from items', () => {
	const rows = [
		{ Name: 'a', Pages: 1 },
		{ Name: 'b', Pages: 2.5, Extra: true },
	];
	const fromItems = async (
		own: Service,
		name: string,
		options: object = {},
		items: object[] = rows,
	) =>
		await runOperation(
			own,
			createCardFromItems,
			items.map(() => ({ name, options })),
			{ items: items as Array<Record<string, unknown>> },
		);

	test('has typed fields, and a record for each item', async () => {
		const own = service();
		const { outputs, errors } = await fromItems(own, 'Plays');
		expect(errors).toEqual([]);
		expect(outputs.map(([item]) => item?.fields)).toEqual(rows);
		const made = own.cards.find(({ name }) => name === 'Plays');
		expect(made?.fields.map(({ name, type }) => [name, type])).toEqual([
			['Name', 'text'],
			['Pages', 'number'],
			['Extra', 'boolean'],
		]);
		expect(made?.records).toHaveLength(2);
	});

	test('without records is one item, paired with the first', async () => {
		const own = service();
		const { outputs } = await fromItems(own, 'Plays', { createRecords: false });
		expect(outputs).toEqual([
			[
				{
					id: 'new1',
					name: 'Plays',
					fields: ['Name', 'Pages', 'Extra'].map((name) => expect.objectContaining({ name })),
				},
			],
			[],
		]);
		expect(own.cards.at(-1)?.records).toEqual([]);
	});

	test.each<[string, object, object[], object]>([
		[
			'Plays',
			{},
			rows,
			{
				action: 'create',
				id: null,
				before: null,
				after: { name: 'Plays', fields: [{ name: 'Name' }, { name: 'Pages' }, { name: 'Extra' }] },
			},
		],
		[
			'books',
			{ ifExists: 'reuse' },
			[{ Key: 'x', New: 1 }],
			{
				action: 'update',
				id: 'c1',
				before: { name: 'Books', fields: [{ name: 'Key' }, { name: 'Status' }] },
				after: { name: 'Books', fields: [{ name: 'Key' }, { name: 'Status' }, { name: 'New' }] },
			},
		],
		[
			'Books',
			{ ifExists: 'reuse' },
			[{ Key: 'x' }],
			{
				action: 'none',
				id: 'c1',
				after: { name: 'Books', fields: [{ name: 'Key' }, { name: 'Status' }] },
			},
		],
	])(
		'in a dry run of %s with %j is shown, and nothing is sent',
		async (name, options, items, expected) => {
			const own = service();
			const { json, hints } = await fromItems(own, name, { ...options, dryRun: true }, items);
			expect(json).toHaveLength(1);
			expect(json).toMatchObject([{ dry_run: true, ...expected }]);
			expect(hints).toEqual([
				expect.stringMatching(
					/^Dry run: card '\w+' (exists|would be created)\. \d fields would be added/,
				),
			]);
			expect(changes(own)).toEqual([]);
		},
	);

	test('is refused where it exists already, unless it is reused', async () => {
		const own = service();
		expect((await fromItems(own, 'Books')).errors).toHaveLength(2);
		expect(changes(own)).toEqual([]);
		const { errors } = await fromItems(own, 'Books', { ifExists: 'reuse' }, [{ Key: 'z', New: 1 }]);
		expect(errors).toEqual([]);
		expect(own.cards[0]?.fields.map(({ name }) => name)).toEqual(['Key', 'Status', 'New']);
		expect(own.cards[0]?.records).toHaveLength(4);
	});

	test('gets new choices only where the option says so', async () => {
		const late = [{ Key: 'z', Status: 'Late' }];
		const refused = service();
		expect((await fromItems(refused, 'Books', { ifExists: 'reuse' }, late)).errors).toHaveLength(1);
		const own = service();
		const options = { ifExists: 'reuse', missingChoices: 'add' };
		expect((await fromItems(own, 'Books', options, late)).errors).toEqual([]);
		expect(own.cards[0]?.fields[1]?.options).toEqual(['Open', 'Done', 'Late']);
	});

	test.each([[[{}]], [[{ '': '' }, {}]]])(
		'is not made of items without values: %j',
		async (items) => {
			const own = service();
			const { errors } = await fromItems(own, 'Plays', {}, items);
			expect(errors).toContainEqual(
				expect.objectContaining({ message: 'The items have no values' }),
			);
			expect(own.api.sent).toEqual([]);
		},
	);

	test.each([
		['Plays', {}, /^Card 'Plays' \(new1\) exists now\. .*'Reuse the Card'/],
		['Books', { ifExists: 'reuse' }, /^Card 'Books' keeps the fields that were added\.$/],
	])('%s whose record is refused: the message says what exists', async (name, options, note) => {
		const own = service();
		const refusal = new ApiFailure({ status: 403, title: 'No' });
		own.hooks.refuse = ({ path }) => {
			if (path.at(-1) === 'records') throw refusal;
		};
		const { errors, noteOn } = await fromItems(own, name, options, [{ Key: 'z', New: 1 }]);
		expect(errors).toEqual([refusal]);
		expect(noteOn(refusal)).toMatch(note);
	});
});
