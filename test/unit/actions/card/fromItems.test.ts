/** A card from items: what a dry run shows, what several items share, and what a failure leaves. */
import { createCardFromItems } from '../../../../nodes/WorkspaceData/actions/card/createFromItems.operation';
import type { InputError } from '../../../../nodes/WorkspaceData/model/inputError';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { cardOf, memoryService, runOperation, type Given } from '../../../support/memoryService';
import { FIELDS, ROWS, changes } from '../record/books';

const service = () => memoryService(cardOf(FIELDS, ROWS));
type Service = ReturnType<typeof service>;
type Items = Array<Record<string, unknown>>;

const fromItems = async (own: Service, items: Items, given: Given | Given[]) => {
	const all = Array.isArray(given) ? given : items.map(() => given);
	return await runOperation(own, createCardFromItems, all, { items });
};
const reuse = { ifExists: 'reuse' };

describe('a dry run', () => {
	const states = Array.from({ length: 20 }, (_, n) => ({
		State: n % 2 === 0 ? 'in' : 'out',
		Nr: n,
	}));

	test('of a new card shows its fields, with the choices and the reasons', async () => {
		const own = service();
		const options = { dryRun: true };
		const { json, hints } = await fromItems(own, states, { name: 'Plays', options });
		const fields = [
			{
				name: 'State',
				type: 'single_select',
				choices: ['in', 'out'],
				why: '20 values, 2 different',
			},
			{ name: 'Nr', type: 'number', why: expect.stringMatching(/^each is /) },
		];
		expect(json).toEqual([
			{ dry_run: true, action: 'create', id: null, before: null, after: { name: 'Plays', fields } },
		]);
		expect(hints).toEqual([
			expect.stringMatching(
				/^Dry run: card 'Plays' would be created\. 2 fields would be added: 'State' \(single_select: .+\), 'Nr' \(number: .+\)$/,
			),
		]);
	});

	test('of a card that exists shows its fields, and those that come', async () => {
		const own = service();
		const options = { ...reuse, dryRun: true };
		const items = [{ Key: 'x', New: 1 }];
		const { json, hints } = await fromItems(own, items, { name: 'books', options });
		const before = FIELDS.map(({ name, type }) => ({ name, type }));
		expect(json).toEqual([
			{
				dry_run: true,
				action: 'update',
				id: 'c1',
				before: { name: 'Books', fields: before },
				after: {
					name: 'Books',
					fields: [...before, { name: 'New', type: 'number', why: expect.any(String) }],
				},
			},
		]);
		expect(hints[0]).toMatch(/^Dry run: card 'Books' exists\. 1 fields would be added: 'New' /);
	});

	test('of a card that lacks nothing ends its sentence there', async () => {
		const options = { ...reuse, dryRun: true };
		const { json, hints } = await fromItems(service(), [{ Key: 'x' }], { name: 'Books', options });
		expect(json).toMatchObject([{ action: 'none' }]);
		expect(hints).toEqual(["Dry run: card 'Books' exists. 0 fields would be added"]);
	});

	test.each([
		['a text that the field would keep in part', { Pages: '007' }, "'Pages'"],
		['a choice that the field does not have', { Status: 'Late' }, "'Status'"],
		['two keys for one field', { Key: 'x', f1: 'y' }, "both refer to field 'Key'"],
	])('refuses %s as the real run does (M18)', async (_, value, named) => {
		const items = [{ Key: 'x' }, value];
		const errorsOf = async (more: object) => {
			const options = { ...reuse, ...more };
			const { errors } = await fromItems(service(), items, { name: 'Books', options });
			return (errors as InputError[]).map(({ message, description }) => ({ message, description }));
		};
		const real = await errorsOf({});
		const dry = await errorsOf({ dryRun: true });
		expect(real).toMatchObject([{ message: expect.stringContaining(named) }]);
		expect(dry).toEqual(real);
	});

	test('accepts the same values as the real run, and names the choices that would be added (M18)', async () => {
		const options = { ...reuse, missingChoices: 'add', dryRun: true };
		const items = [
			{ Status: 'Late', Pages: '7', New: 'x' },
			{ Pages: '', New: 5 },
		];
		const { errors, hints } = await fromItems(service(), items, { name: 'Books', options });
		expect(errors).toEqual([]);
		expect(hints).toContain(
			"Dry run: choices would be added to field 'Status' of card 'Books': 'Late'",
		);
	});

	test('of a new card asks nothing about its records (M18)', async () => {
		const own = service();
		const items = [
			{ At: '2026-01-31T10:00:00Z', Nr: 1 },
			{ At: '2026-01-31T10:00', Nr: '2' },
		];
		const { errors } = await fromItems(own, items, { name: 'Plays', options: { dryRun: true } });
		expect(errors).toEqual([]);
		expect(own.requests().filter((line) => line.includes('records'))).toEqual([]);
	});

	test('without records refuses no values: none would be sent (M18)', async () => {
		const options = { ...reuse, createRecords: false, dryRun: true };
		const items = [{ Pages: 'many' }];
		const { errors, json } = await fromItems(service(), items, { name: 'Books', options });
		expect(errors).toEqual([]);
		expect(json).toMatchObject([{ action: 'none' }]);
	});

	test('fails where the card exists and must not', async () => {
		const own = service();
		const { errors } = await fromItems(own, [{ Key: 'x' }], {
			name: 'Books',
			options: { dryRun: true },
		});
		expect(errors).toMatchObject([{ message: "A card called 'Books' exists already" }]);
	});
});

describe('several items', () => {
	test('make a card for each name, with the fields of their own items', async () => {
		const own = service();
		const items = [{ A: 1 }, { B: 'x' }, { A: 2 }];
		const names = ['One', 'Two', 'One'];
		const { errors } = await fromItems(
			own,
			items,
			names.map((name) => ({ name })),
		);
		expect(errors).toEqual([]);
		const made = own.cards.slice(1).map(({ name, fields, records }) => ({
			name,
			fields: fields.map((one) => one.name),
			records: records.length,
		}));
		expect(made).toEqual([
			{ name: 'One', fields: ['A'], records: 2 },
			{ name: 'Two', fields: ['B'], records: 1 },
		]);
	});

	test('of which one asks for no record get one each, but it', async () => {
		const own = service();
		const given = [{ options: reuse }, { options: { ...reuse, createRecords: false } }].map(
			(one) => ({
				name: 'Plays',
				...one,
			}),
		);
		const { outputs } = await fromItems(own, [{ A: 1 }, { A: 2 }], given);
		expect(own.cards.at(-1)?.records.map(({ data }) => Object.values(data))).toEqual([[1]]);
		expect(outputs[1]).toMatchObject([{ name: 'Plays', fields: [{ name: 'A' }] }]);
	});

	test('where only the second has values, both count', async () => {
		const own = service();
		const { errors, outputs } = await fromItems(own, [{}, { A: 1 }], { name: 'Plays' });
		expect(errors).toEqual([]);
		expect(outputs.map((one) => one.length)).toEqual([1, 1]);
	});
});

test('its requests keep to the options; fields are still created in their order', async () => {
	const own = service();
	const options = { maxParallel: 3, timeout: 7, requestsPerSecond: 2 };
	await fromItems(own, [{ A: 1, B: 2 }], { name: 'Plays', options });
	const limits = own.api.sent
		.filter(({ path }) => path[0] === 'cards')
		.map(({ method, path, maxParallel, timeoutMs, requestsPerSecond }) => [
			`${method} ${String(path.at(-1))}`,
			maxParallel,
			timeoutMs,
			requestsPerSecond,
		]);
	expect(limits.filter(([, , ...rest]) => rest.join() !== '7000,2')).toEqual([]);
	expect(
		limits.filter(([what, parallel]) => parallel !== (what === 'POST fields' ? 1 : 3)),
	).toEqual([]);
	expect(limits.map(([what]) => what)).toEqual(
		expect.arrayContaining(['POST cards', 'POST fields', 'POST records']),
	);
});

test('a record is refused rather than kept in part: 007 is no number', async () => {
	const own = service();
	const { errors } = await fromItems(own, [{ Pages: '007' }], { name: 'Books', options: reuse });
	expect(errors).toMatchObject([{ message: expect.stringContaining("'Pages'") }]);
	expect(changes(own)).toEqual([]);
});

test('the advice to add a choice comes where it would help', async () => {
	const choose = async (Status: unknown, missingChoices?: string) => {
		const options = { ...reuse, ...(missingChoices && { missingChoices }) };
		const { errors } = await fromItems(service(), [{ Key: 'z', Status }], {
			name: 'Books',
			options,
		});
		expect(errors).toHaveLength(1);
		return errors[0];
	};
	const advice = expect.stringContaining("Or choose 'Add to the Field'") as string;
	expect(await choose('Late')).toMatchObject({ description: advice });
	expect(await choose('Late', 'error')).toMatchObject({ description: advice });
	expect(await choose('late and later')).toMatchObject({ description: advice });
});

test('a cell of blanks is an empty one, in a field that holds no blanks', async () => {
	const own = service();
	const { errors } = await fromItems(own, [{ Key: 'z', Status: '\u00a0 ', Pages: ' ' }], {
		name: 'Books',
		options: reuse,
	});
	expect(errors).toEqual([]);
});

describe('a field that the service refuses', () => {
	const refusal = new ApiFailure({ status: 403, title: 'No' });
	const refusing = () => {
		const own = service();
		own.hooks.refuse = ({ method, path }) => {
			if (method === 'POST' && path.at(-1) === 'fields') throw refusal;
		};
		return own;
	};

	test('leaves a new card: the message says so, and how to go on', async () => {
		const { errors, noteOn } = await fromItems(refusing(), [{ A: 1 }], { name: 'Plays' });
		expect(errors).toEqual([refusal]);
		expect(noteOn(refusal)).toBe(
			"Not created: 'A'. Card 'Plays' (new1) exists now. To continue with it, choose 'Reuse the Card' in 'If Card Exists'.",
		);
	});

	test('leaves a card that was there as it was', async () => {
		const { noteOn } = await fromItems(refusing(), [{ A: 1 }], { name: 'Books', options: reuse });
		expect(noteOn(refusal)).toBe(
			"Not created: 'A'. Card 'Books' keeps the fields that were added.",
		);
	});
});

test('where the fields cannot even be listed, the message begins with the card', async () => {
	const own = service();
	const refusal = new ApiFailure({ status: 403, title: 'No' });
	own.hooks.refuse = ({ path }) => {
		if (path.at(-1) === 'fields') throw refusal;
	};
	const { noteOn } = await fromItems(own, [{ A: 1 }], { name: 'Plays' });
	expect(noteOn(refusal)).toMatch(/^Card 'Plays' \(new1\) exists now\./);
});

test.each([
	[{ ifExists: 'create' }, "'If Card Exists' cannot be 'create'"],
	[{ missingChoices: 'maybe' }, "'Missing Choices' cannot be 'maybe'"],
	[{ dryRun: 'maybe' }, "'Dry Run' cannot be 'maybe'"],
	[{ createRecords: 'maybe' }, "'Create Records' cannot be 'maybe'"],
])('with %j nothing is sent', async (options, message) => {
	const own = service();
	const { errors } = await fromItems(own, [{ A: 1 }], { name: 'Plays', options });
	expect(errors).toMatchObject([{ message }]);
	expect(own.requests()).toEqual([]);
});
