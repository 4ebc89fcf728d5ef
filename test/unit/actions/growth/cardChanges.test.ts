/** The fields and choices that a card gets for the values of a run: once, by what the options allow, and never in a preview. */
import {
	changeCard,
	growCard,
	previewChanges,
} from '../../../../nodes/WorkspaceData/actions/growth/cardChanges';
import type { Write } from '../../../../nodes/WorkspaceData/actions/writing/valueConversion';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/answer/shapes';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { card, world, itemOf, writeOf } from './world';

const status = { id: 'f1', name: 'Status', type: 'single_select', options: ['Open'] };
const place = { id: 'f2', name: 'Place', type: 'single_select', options: ['Here'] };
const both = { fields: true, choices: true };

describe('the additions for the values of a run', () => {
	test('are fields and choices, and a hint for each', async () => {
		const { run, sent, fields, hints } = world([status, place]);
		const writes = [
			writeOf({ New: 1, Status: 'Done' }),
			writeOf({ New: 2, Place: 'There', Status: 'Late' }),
		];
		const created = await changeCard(run, card, writes, both, {});
		expect(created.map(({ name, type }) => [name, type])).toEqual([['New', 'number']]);
		expect(fields.map(({ name, options }) => [name, options])).toEqual([
			['Status', ['Open', 'Done', 'Late']],
			['Place', ['Here', 'There']],
			['New', undefined],
		]);
		expect(sent('PATCH')).toHaveLength(2);
		expect(hints).toEqual([
			expect.stringMatching(/^Fields were added to card 'Books': 'New' \(number: .*\)$/),
			"Choices were added to field 'Status' of card 'Books': 'Done', 'Late'",
			"Choices were added to field 'Place' of card 'Books': 'There'",
		]);
		expect((await run.fields.of(card)).byId('f1')?.options.map(({ label }) => label)).toEqual([
			'Open',
			'Done',
			'Late',
		]);
	});

	test.each([
		[{ fields: true, choices: false }, 1, 0],
		[{ fields: false, choices: true }, 0, 1],
	])('are only what %j allows', async (allowed, posts, patches) => {
		const { run, sent } = world([status]);
		await changeCard(run, card, [writeOf({ New: 1, Status: 'Done' })], allowed, {});
		expect(sent('POST')).toHaveLength(posts);
		expect(sent('PATCH')).toHaveLength(patches);
	});

	test.each([
		['a field', writeOf({ New: 1 }), both, 2],
		[
			'a field, where choices are not looked at',
			writeOf({ New: 1, Status: 'Done' }),
			{ fields: true, choices: false },
			2,
		],
		['a choice', writeOf({ Status: 'Done' }), both, 2],
		['nothing', writeOf({ Status: 'Open' }), both, 1],
	])('of %s read the fields before and after, and no more', async (_, write, allowed, times) => {
		const { run, api } = world([status]);
		await changeCard(run, card, [write], allowed, {});
		const reads = api.sent.filter(
			({ method, path }) => method === 'GET' && path.at(-1) === 'fields',
		);
		expect(reads).toHaveLength(times);
	});

	test('keep what somebody else has added between two requests', async () => {
		const { run, sent, fields, hooks, hints } = world([status, place]);
		hooks.lose = ({ method }) => {
			if (method === 'PATCH') {
				for (const field of fields) if (field.id === 'f2') field.options = ['Here', 'There', 'Far'];
			}
		};
		await changeCard(run, card, [writeOf({ Status: 'Done', Place: 'There' })], both, {});
		expect(sent('PATCH')).toHaveLength(1);
		expect(fields[1]?.options).toEqual(['Here', 'There', 'Far']);
		expect(hints).toHaveLength(1);
	});

	test('are left out for a field that somebody has deleted between two requests', async () => {
		const { run, sent, fields, hooks } = world([status, place]);
		hooks.lose = ({ method }) => {
			if (method === 'PATCH') fields.splice(1, 1);
		};
		await changeCard(run, card, [writeOf({ Status: 'Done', Place: 'There' })], both, {});
		expect(sent('PATCH')).toHaveLength(1);
	});

	test('that are refused leave a note that says what exists, and what was wanted', async () => {
		const { run, hooks } = world([status, place]);
		const refusal = new ApiFailure({ status: 409, title: 'No' });
		hooks.refuse = ({ method }) => {
			if (method === 'PATCH') throw refusal;
		};
		const writes = [writeOf({ New: 1, Status: 'Done', Place: 'There' })];
		await expect(changeCard(run, card, writes, both, {})).rejects.toBe(refusal);
		expect(run.messages.noteOn(refusal)).toBe(
			"Card 'Books' has the new fields 'New'. Choices were to be added to 'Status' ('Done'), 'Place' ('There').",
		);
	});

	test('of choices only: the note names no new fields', async () => {
		const { run, hooks } = world([status]);
		const refusal = new ApiFailure({ status: 409, title: 'No' });
		hooks.refuse = ({ method }) => {
			if (method === 'PATCH') throw refusal;
		};
		await expect(changeCard(run, card, [writeOf({ Status: 'Done' })], both, {})).rejects.toBe(
			refusal,
		);
		expect(run.messages.noteOn(refusal)).toBe("Choices were to be added to 'Status' ('Done').");
	});

	test('that are refused are named, the first of many, and not at full length', async () => {
		const { run, hooks } = world([status]);
		const refusal = new ApiFailure({ status: 422, title: 'No' });
		hooks.refuse = ({ method }) => {
			if (method === 'PATCH') throw refusal;
		};
		const texts = ['x'.repeat(2_000), 'b', 'c', 'd', 'e', 'f', 'g'];
		const writes = texts.map((Status) => writeOf({ Status }));
		await expect(changeCard(run, card, writes, both, {})).rejects.toBe(refusal);
		expect(run.messages.noteOn(refusal)).toBe(
			`Choices were to be added to 'Status' ('${'x'.repeat(80)}…', 'b', 'c', 'd', 'e' and 2 more).`,
		);
	});

	test('in a preview are in the resulting fields, and nothing is sent', async () => {
		const { run, sent } = world([status]);
		const index = await run.fields.of(card);
		const writes = [writeOf({ New: 1, Status: 'Done' })];
		const preview = async (allowed: typeof both) => {
			const { planned, index: after } = await previewChanges(run, card, index, writes, allowed, {});
			const shown = after.fields.map(({ name, options }) => [
				name,
				options.map(({ label }) => label),
			]);
			return [planned.map(({ name }) => name), shown];
		};
		expect(await preview(both)).toEqual([
			['New'],
			[
				['Status', ['Open', 'Done']],
				['New', []],
			],
		]);
		expect(await preview({ fields: false, choices: false })).toEqual([[], [['Status', ['Open']]]]);
		expect([...sent('POST'), ...sent('PATCH')]).toEqual([]);
	});

	test('in a preview include the choices of new fields, as the values name them', async () => {
		const { run } = world([], ['text', 'single_select']);
		const index = await run.fields.of(card);
		const writes = Array.from({ length: 20 }, (_, n) => writeOf({ State: `${n % 2}a`, Note: n }));
		const { index: after } = await previewChanges(run, card, index, writes, both, {});
		expect(
			after.fields.map(({ name, options }) => [name, options.map(({ label }) => label)]),
		).toEqual([
			['State', ['0a', '1a']],
			['Note', []],
		]);
	});

	test('in a preview leave out a column without a name: no field can have none', async () => {
		const { run } = world([status]);
		const index = await run.fields.of(card);
		const { index: after } = await previewChanges(run, card, index, [writeOf({ '': 1 })], both, {});
		expect(after.fields.map(({ name }) => name)).toEqual(['Status']);
	});
});

describe('the items of a run', () => {
	const grows: Write['options'] = { unknownFields: 'create', missingChoices: 'add' };
	const both = async (
		{ run }: ReturnType<typeof world>,
		values: Array<Record<string, unknown>>,
		options = grows,
		isDry = false,
	) =>
		await run.items.each(
			async (item) => await growCard(item, itemOf(run, isDry, values[item] ?? {}, options)),
		);

	test('add together what all of them need, once', async () => {
		const service = world([status]);
		const writes = await both(service, [{ New: 1 }, { New: 2.5, Status: 'Done' }]);
		expect(service.sent('POST')).toEqual([{ name: 'New', type: 'number' }]);
		expect(service.sent('PATCH')).toHaveLength(1);
		expect(writes.map((write: JsonObject | Write) => 'preview' in write)).toEqual([false, false]);
	});

	test('send nothing where nothing is missing', async () => {
		const service = world([status]);
		await both(service, [{ Status: 'Open' }, { Status: 'open' }]);
		expect(service.api.sent).toHaveLength(1);
	});

	test.each<[string, Write['options'], number]>([
		['fields only', { unknownFields: 'create' }, 1],
		['choices only', { missingChoices: 'add' }, 1],
		['nothing', {}, 0],
		['nothing', { unknownFields: 'ignore', missingChoices: 'error' }, 0],
	])('add %s with %j', async (_, options, changes) => {
		const service = world([status]);
		await both(service, [{ New: 1 }, { Status: 'Done' }], options);
		expect([...service.sent('POST'), ...service.sent('PATCH')]).toHaveLength(changes);
		if (changes === 0) expect(service.api.sent).toEqual([]);
	});

	test('in a dry run get the fields as they would be', async () => {
		const service = world([status]);
		const writes = await both(service, [{ New: 1 }, { Status: 'Done' }], grows, true);
		const [one, other] = writes.map(({ preview }) => preview?.fields.map(({ name }) => name));
		expect(one).toEqual(['Status', 'New']);
		expect(other).toEqual(one);
		expect([...service.sent('POST'), ...service.sent('PATCH')]).toEqual([]);
	});

	test('in a dry run are told what would be added, once for all of them (M18)', async () => {
		const service = world([status, place]);
		const values = [{ New: 1, Status: 'Done' }, { Status: 'Late' }];
		await both(service, values, grows, true);
		expect(service.hints).toEqual([
			expect.stringMatching(
				/^Dry run: fields would be added to card 'Books': 'New' \(number: .+\)$/,
			),
			"Dry run: choices would be added to field 'Status' of card 'Books': 'Done', 'Late'",
		]);
	});

	test('in a dry run are told nothing where the card lacks nothing (M18)', async () => {
		const service = world([status]);
		await both(service, [{ Status: 'Open' }, { Status: 'open' }], grows, true);
		expect(service.hints).toEqual([]);
	});

	test('in a dry run are refused where choices could be lost, as in the real run (M18)', async () => {
		const odd = { ...status, options: undefined, choices: { list: 'Open' } };
		for (const isDry of [true, false]) {
			const service = world([odd]);
			const growing = service.run.items.each(
				async (item) => await growCard(item, itemOf(service.run, isDry, { Status: 'Done' }, grows)),
			);
			await expect(growing).rejects.toThrow(
				"The choices of field 'Status' are in a form that this node does not know",
			);
			expect(service.sent('PATCH')).toEqual([]);
		}
	});
});
