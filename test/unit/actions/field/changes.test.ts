/** What becomes of a change of a field: what is sent, what a dry run shows, and what an answer that tells little means. */
import { createField } from '../../../../nodes/WorkspaceData/actions/field/create.operation';
import { deleteField } from '../../../../nodes/WorkspaceData/actions/field/delete.operation';
import { updateField } from '../../../../nodes/WorkspaceData/actions/field/update.operation';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { cardOf, memoryService, runOperation } from '../../../support/memoryService';
import { FIELDS, ROWS, cardId, changes } from '../record/books';

const PAGE = '<!DOCTYPE html><html><body>Sign in</body></html>';
const BROKEN = '{"id": "f3", "na';

const service = () => memoryService(cardOf(FIELDS, ROWS));
type Service = ReturnType<typeof service>;
const saying = (answer: object) => {
	const own = service();
	own.hooks.say = ({ method }) => (method === 'GET' ? {} : answer);
	return own;
};

const fieldId = (value: string) => ({ __rl: true, mode: 'id', value });
const create = async (own: Service, additionalFields: object = {}) =>
	await runOperation(own, createField, { cardId, name: 'New', type: 'text', additionalFields });
const update = async (own: Service, updateFields: object, dryRun = false) =>
	await runOperation(own, updateField, { cardId, fieldId: fieldId('f3'), updateFields, dryRun });
const remove = async (own: Service) =>
	await runOperation(own, deleteField, { cardId, fieldId: fieldId('f3') });

describe('an answer', () => {
	test('to a creation that is empty gives what was sent, and a hint that there is no ID', async () => {
		const { json, hints } = await create(saying({ body: '' }));
		expect(json).toEqual([{ name: 'New', type: 'text' }]);
		expect(hints).toEqual([
			'The service created a field, but its answer shows no ID, so the output has none. Do not create the field again: look for it in the service.',
		]);
	});

	test('to a creation whose header tells the ID needs no hint', async () => {
		const headers = { location: '/workspaces/w1/cards/c1/fields/new1' };
		const { json, hints } = await create(saying({ body: '', headers }));
		expect(json).toEqual([{ id: 'new1', name: 'New', type: 'text' }]);
		expect(hints).toEqual([]);
	});

	test('to a change that is empty gives what was sent', async () => {
		const own = saying({ body: '' });
		expect((await update(own, { name: 'State' })).json).toEqual([{ id: 'f3', name: 'State' }]);
		expect((await remove(saying({ body: '' }))).json).toEqual([{ deleted: true, id: 'f3' }]);
	});

	test.each([
		['a web page', PAGE, /^The answer is not a field$/, /^The service returned a web page/],
		[
			'JSON that ends in the middle',
			BROKEN,
			/field may not have been changed/,
			/field may not have been deleted/,
		],
	])('that is %s does not count as done', async (_, body, onUpdate, onDelete) => {
		const updated = await update(saying({ body }), { name: 'State' });
		expect(updated.errors).toMatchObject([{ message: expect.stringMatching(onUpdate) }]);
		const deleted = await remove(saying({ body }));
		expect(deleted.errors).toMatchObject([{ message: expect.stringMatching(onDelete) }]);
	});
});

describe('choices', () => {
	test.each<[object]>([[{}], [{ choices: [] }], [{ choices: [' ', null] }], [{ choices: {} }]])(
		'are not sent where none are entered: %j',
		async (entered) => {
			const own = service();
			await create(own, entered);
			expect(own.api.sent.at(-1)?.body).toEqual({ name: 'New', type: 'text' });
		},
	);

	test.each(['["b"]', '{}', '"b"'])('and the JSON %s are refused together', async (options) => {
		const own = service();
		for (const { errors } of [
			await create(own, { options, choices: 'a' }),
			await update(own, { options, choices: 'a' }),
		]) {
			expect(errors).toMatchObject([
				{ message: "'Choices' and 'Options (JSON)' are both filled in" },
			]);
		}
		expect(own.requests()).toEqual([]);
	});

	test('of a field that has one with a comma are told apart by it', async () => {
		const [key, pages] = FIELDS;
		if (!key || !pages) throw new Error('The fields of the test are missing');
		const own = memoryService(
			cardOf([key, pages, { name: 'Status', type: 'single_select', options: ['a, b', 'c'] }]),
		);
		const { json } = await update(own, { choices: 'a, b, d' });
		expect(json).toMatchObject([{ options: ['a, b', 'd'] }]);
	});

	test('as JSON replace those of a field', async () => {
		const own = service();
		const { json } = await update(own, { options: '["x"]' });
		expect(json).toMatchObject([{ id: 'f3', options: ['x'] }]);
		expect(changes(own)).toEqual(['PATCH cards/c1/fields/f3']);
	});
});

describe('a dry run', () => {
	test('of another type shows it, and that no choice is lost', async () => {
		const own = service();
		const { json } = await update(own, { type: 'text' }, true);
		const shown = { name: 'Status', type: 'single_select', choices: ['Open', 'Done'] };
		expect(json).toEqual([
			{
				dry_run: true,
				action: 'update',
				id: 'f3',
				before: { ...shown, values: 3 },
				after: { ...shown, type: 'text' },
				removed_choices: [],
			},
		]);
		expect(changes(own)).toEqual([]);
	});

	test('whose properties leave no field that can be read shows it as it is', async () => {
		const { json } = await update(service(), { customProperties: '{"id": {}}' }, true);
		expect(json).toMatchObject([
			{
				before: { name: 'Status', type: 'single_select' },
				after: { name: 'Status', type: 'single_select', choices: ['Open', 'Done'] },
				removed_choices: [],
			},
		]);
	});

	test.each([
		['update', updateField, { updateFields: { name: 'x' } }],
		['delete', deleteField, {}],
	])('switched neither on nor off: %s sends nothing', async (_, operation, given) => {
		const own = service();
		const all = { cardId, fieldId: fieldId('f3'), dryRun: 'maybe', ...given };
		const { errors } = await runOperation(own, operation, all);
		expect(errors).toMatchObject([{ message: "'Dry Run' cannot be 'maybe'" }]);
		expect(own.requests()).toEqual([]);
	});
});

test('a name and a type among the custom properties count where no others are entered', async () => {
	const own = service();
	await update(own, { customProperties: '{"name":"Own","type":"text","options":["x"]}' });
	expect(own.api.sent.at(-1)?.body).toEqual({ name: 'Own', type: 'text', options: ['x'] });
	await update(own, {
		customProperties: '{"name":"Own","type":"text"}',
		name: 'N',
		type: 'number',
	});
	expect(own.api.sent.at(-1)?.body).toEqual({ name: 'N', type: 'number' });
});

test('a field is deleted by its exact name only; a change finds it in another case, too', async () => {
	const near = { cardId, fieldId: { __rl: true, mode: 'name', value: 'status' } };
	const own = service();
	expect((await runOperation(own, deleteField, near)).errors).toHaveLength(1);
	expect(changes(own)).toEqual([]);
	const { json } = await runOperation(own, updateField, { ...near, updateFields: { name: 'New' } });
	expect(json).toMatchObject([{ id: 'f3', name: 'New' }]);
});

describe('a list of choices that leaves some out', () => {
	const REMOVED = "field 'Status' of card 'c1': 'Done'";

	test('is told by a hint, in a dry run and in the real one', async () => {
		const dry = await update(service(), { choices: 'Open' }, true);
		expect(dry.hints).toEqual([`Dry run: choices would be removed from ${REMOVED}`]);
		const real = await update(service(), { choices: 'Open' });
		expect(real.hints).toEqual([`Choices were removed from ${REMOVED}`]);
		expect((await update(service(), { choices: 'Open, Done, New' })).hints).toEqual([]);
		expect((await update(service(), { name: 'State' })).hints).toEqual([]);
	});

	test('a choice that keeps its ID is renamed, not removed', async () => {
		const options = [
			{ id: 'o1', name: 'Open' },
			{ id: 'o2', name: 'Done' },
		];
		const own = memoryService(
			cardOf([...FIELDS.slice(0, 2), { ...FIELDS[2], options } as never], ROWS),
		);
		const changed = '[{ "id": "o1", "name": "New" }, { "id": "o2", "name": "Done" }]';
		expect((await update(own, { options: changed }, true)).hints).toEqual([]);
	});

	test('that the service refuses: the message names them, and what to list', async () => {
		const own = service();
		const refusal = new ApiFailure({ status: 409, title: 'Option in use' });
		own.hooks.refuse = ({ method }) => {
			if (method === 'PATCH') throw refusal;
		};
		const { errors, noteOn } = await update(own, { choices: 'Open' });
		expect(errors).toEqual([refusal]);
		expect(noteOn(refusal)).toBe(
			"The change would remove choices: 'Done'. List all choices that are to stay.",
		);
	});
});
