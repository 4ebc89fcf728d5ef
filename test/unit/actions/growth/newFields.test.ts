/** How a card gets the fields that it lacks: in order, once each, and a message that says what exists now. */
import {
	createFields,
	describePlan,
	planFields,
	quoted,
} from '../../../../nodes/WorkspaceData/actions/growth/newFields';
import {
	ApiFailure,
	Unreachable,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { indexFields } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import { field } from '../../../rules/model/fields';
import { card, plan, world, type Kept } from './world';

describe('the types of new fields', () => {
	const columns = [
		{ name: 'Pages', values: [1, 2, 3] },
		{ name: 'Read', values: [true, false] },
	];

	test('are those that the service describes', async () => {
		const { run, sent } = world([], ['string', 'numeric', 'checkbox']);
		const planned = await planFields(run, columns, [], {});
		expect(planned.map(({ name, type, textType }) => [name, type, textType])).toEqual([
			['Pages', 'numeric', 'string'],
			['Read', 'checkbox', 'string'],
		]);
		expect(sent('POST')).toEqual([]);
	});

	test('are text where the service offers nothing better, and the reason says so', async () => {
		const { run } = world([], ['text']);
		const [pages] = await planFields(run, columns, [], {});
		expect(pages).toMatchObject({ type: 'text' });
		expect(pages?.why).toMatch(/, and the service offers no number$/);
	});

	test('come with the choices that the values name, where the service has such a type', async () => {
		const values = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'Open' : 'Done'));
		const status = [{ name: 'Status', values }];
		const select = world([], ['text', 'single_select']);
		expect(await planFields(select.run, status, [], {})).toEqual([
			expect.objectContaining({ type: 'single_select', choices: ['Open', 'Done'] }),
		]);
		const plain = world([], ['text', 'number']);
		const [planned] = await planFields(plain.run, status, [], {});
		expect(planned).toMatchObject({ type: 'text', textType: 'text' });
		expect(planned).not.toHaveProperty('choices');
		const [free] = await planFields(select.run, [{ name: 'Note', values: ['a b'] }], [], {});
		expect(free).not.toHaveProperty('choices');
	});

	test('are spelt as those of other fields, where nothing is described', async () => {
		const { run } = world();
		const seen = indexFields([field('Old', 'Number'), field('Name', 'TEXT')], 'Books').fields;
		const planned = await planFields(run, columns, seen, {});
		expect(planned[0]).toMatchObject({ type: 'Number', textType: 'TEXT' });
	});

	test('are the usual ones where nothing is described', async () => {
		const { run } = world();
		const planned = await planFields(run, columns, [], {});
		expect(planned.map(({ type }) => type)).toEqual(['number', 'boolean']);
		expect(planned[0]?.why).not.toContain('offers no');
	});

	test.each([
		[{}, 10_000],
		[{ timeoutMs: 500 }, 500],
		[{ timeoutMs: 60_000 }, 10_000],
	])('with %j wait %d ms for the description', async (request, timeoutMs) => {
		const { run, api } = world([], ['text']);
		await planFields(run, columns, [], request);
		expect(api.sent[0]).toMatchObject({ impatient: true, timeoutMs });
	});
});

test.each([
	[50, /'Name 49' \(text: because\)$/],
	[51, /'Name 49' \(text: because\) and 1 more$/],
])('of %d fields a message describes fifty', (count, expected) => {
	const fields = Array.from({ length: count }, (_, n) => plan(`Name ${n}`));
	expect(describePlan(fields)).toMatch(expected);
	expect(quoted(fields.slice(0, 2))).toBe("'Name 0', 'Name 1'");
});

describe('creating fields', () => {
	test('is in their order, with the choices of a select', async () => {
		const { run, sent, fields } = world();
		const planned = [plan('B', 'single_select', { choices: ['x', 'y'] }), plan('A')];
		const { created, index } = await createFields(run, card, planned, {});
		expect(sent('POST')).toEqual([
			{ name: 'B', type: 'single_select', options: ['x', 'y'] },
			{ name: 'A', type: 'text' },
		]);
		expect(created).toMatchObject(planned);
		expect(index.fields.map(({ name }) => name)).toEqual(fields.map(({ name }) => name));
	});

	test.each([400, 422])('a type that is refused with %d becomes text', async (status) => {
		const { run, sent, hooks } = world();
		hooks.refuse = ({ body }) => {
			if ((body as unknown as Kept | undefined)?.type === 'number') {
				throw new ApiFailure({ status, title: 'No such type' });
			}
		};
		const planned = [plan('Pages', 'number', { choices: ['1'] })];
		const { created } = await createFields(run, card, planned, {});
		expect(sent('POST')).toEqual([
			{ name: 'Pages', type: 'number', options: ['1'] },
			{ name: 'Pages', type: 'text' },
		]);
		expect(created).toMatchObject([
			{ ...plan('Pages'), why: 'the service refused number: No such type' },
		]);
	});

	test.each([
		['text is refused, too', plan('A'), 422],
		['the refusal is not about the type', plan('A', 'number'), 403],
	])('ends where %s; the message says what exists', async (_, field, status) => {
		const { run, sent, hooks } = world();
		const refusal = new ApiFailure({ status, title: 'No' });
		hooks.refuse = ({ body }) => {
			if ((body as unknown as Kept | undefined)?.name === 'A') throw refusal;
		};
		const failed = createFields(run, card, [plan('First'), field, plan('Last')], {});
		await expect(failed).rejects.toBe(refusal);
		expect(sent('POST')).toHaveLength(2);
		expect(run.messages.noteOn(refusal)).toBe(
			"Card 'Books' has the new fields 'First'. Not created: 'A', 'Last'.",
		);
	});

	test('is not sent again where the answer is lost and the field is there', async () => {
		const { run, sent, hooks } = world();
		hooks.lose = ({ method }) => {
			if (method === 'POST') throw new Unreachable('No answer', { transient: true });
		};
		const { created } = await createFields(run, card, [plan('A')], {});
		expect(created).toMatchObject([plan('A')]);
		expect(sent('POST')).toHaveLength(1);
	});

	test('finds the field among others, where the answer is lost', async () => {
		const others = ['B', 'C'].map((name) => ({ id: `id-${name}`, name, type: 'text' }));
		const { run, hooks, fields } = world(others);
		hooks.lose = ({ method }) => {
			if (method === 'POST') throw new Unreachable('No answer', { transient: true });
		};
		const { created } = await createFields(run, card, [plan('A')], {});
		expect(created).toMatchObject([plan('A')]);
		expect(fields).toHaveLength(3);
	});

	test('ends with the lost answer where the fields cannot be listed either', async () => {
		const { run, hooks, sent } = world();
		const lost = new Unreachable('No answer', { transient: true });
		hooks.lose = () => {
			throw lost;
		};
		hooks.refuse = ({ method }) => {
			if (method === 'GET') throw new ApiFailure({ status: 403, title: 'No' });
		};
		await expect(createFields(run, card, [plan('A')], {})).rejects.toBe(lost);
		expect(sent('POST')).toHaveLength(1);
	});

	test('ends where the service refuses the name, also if there is such a field', async () => {
		const { run, hooks, sent } = world([{ id: 'f1', name: 'A', type: 'text' }]);
		const refusal = new ApiFailure({ status: 409, title: 'Exists' });
		hooks.refuse = ({ method }) => {
			if (method === 'POST') throw refusal;
		};
		await expect(createFields(run, card, [plan('A')], {})).rejects.toBe(refusal);
		expect(sent('GET')).toEqual([]);
	});

	test('ends where the answer is lost and the field is not there', async () => {
		const { run, sent, hooks } = world([{ id: 'f0', name: 'B', type: 'text' }]);
		const lost = new Unreachable('No answer', { transient: true });
		hooks.refuse = ({ method }) => {
			if (method === 'POST') throw lost;
		};
		await expect(createFields(run, card, [plan('A')], {})).rejects.toBe(lost);
		expect(sent('POST')).toHaveLength(1);
		expect(run.messages.noteOn(lost)).toBe("Not created: 'A'.");
	});

	test('is refused afterwards where somebody else made one of that name', async () => {
		const { run, hooks, fields } = world();
		hooks.lose = ({ method }) => {
			if (method === 'POST') fields.push({ id: 'other', name: 'A', type: 'text' });
		};
		const error: unknown = await createFields(run, card, [plan('A')], {}).catch(
			(failure: unknown) => failure,
		);
		expect(error).toMatchObject({
			message: "Card 'Books' has 2 fields called 'A' now",
			description: expect.stringContaining('(new0, other)'),
		});
		expect(run.messages.noteOn(error)).toBe("Card 'Books' has the new fields 'A'.");
	});

	test('is refused afterwards where the card does not list the field', async () => {
		const { run, hooks, fields } = world();
		hooks.lose = ({ method }) => {
			if (method === 'POST') fields.length = 0;
		};
		await expect(createFields(run, card, [plan('A')], {})).rejects.toThrow(
			"Field 'A' was created, but card 'Books' does not list it",
		);
	});
});
