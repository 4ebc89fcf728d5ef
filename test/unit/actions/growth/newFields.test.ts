/** How a card gets the fields and choices that it lacks: in order, once each, and a message that says what exists now. */
import type { IExecuteFunctions } from 'n8n-workflow';
import {
	changeCard,
	growCard,
	previewChanges,
} from '../../../../nodes/WorkspaceData/actions/growth/cardChanges';
import {
	createFields,
	describePlan,
	planFields,
	quoted,
	type PlannedField,
} from '../../../../nodes/WorkspaceData/actions/growth/newFields';
import { createRun } from '../../../../nodes/WorkspaceData/actions/run/run';
import type { Write } from '../../../../nodes/WorkspaceData/actions/writing/recordData';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/answer/shapes';
import {
	ApiFailure,
	Unreachable,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';
import { scriptedApi } from '../../../support/scriptedApi';

const card = { id: 'c1', name: 'Books' };

interface Kept {
	id: string;
	name: string;
	type: string;
	options?: string[];
}

/** A service with one card. `refuse` may throw before a request is carried out, `lose` after it. */
function world(initial: Kept[] = [], types?: string[]) {
	const fields: Kept[] = initial.map((field) => ({ ...field }));
	const hooks: { refuse(request: ApiRequest): void; lose(request: ApiRequest): void } = {
		refuse: () => {},
		lose: () => {},
	};
	function carryOut({ method, path, body }: ApiRequest): unknown {
		if (String(path[0]).startsWith('openapi')) {
			if (!types) throw new ApiFailure({ status: 404, title: 'No' });
			const type = { enum: types };
			return { components: { schemas: { Field: { properties: { type } } } } };
		}
		const last = path.at(-1);
		if (method === 'GET') return { fields };
		const given = body as unknown as Kept;
		if (method === 'POST') {
			const made = { ...given, id: `new${fields.length}` };
			fields.push(made);
			return made;
		}
		const changed = fields.find(({ id }) => typeof last === 'object' && id === last.value);
		return Object.assign(changed ?? {}, given);
	}
	const api = scriptedApi(
		(request) => {
			hooks.refuse(request);
			const body = carryOut(request);
			hooks.lose(request);
			return { body };
		},
		{ redact: (text) => text, baseUrl: `https://data${(services += 1)}.example.com/api/v1` },
	);
	const hints: string[] = [];
	const context = {
		getInputData: () => [{ json: {} }, { json: {} }],
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: ({ message }: { message: string }) => hints.push(message),
		getTimezone: () => 'UTC',
	} as unknown as IExecuteFunctions;
	const run = createRun(context, api, async () => {});
	const sent = (method: string) =>
		api.sent.filter((request) => request.method === method).map(({ body }) => body);
	return { run, fields, hooks, hints, sent, api };
}
let services = 0;

const plan = (name: string, type = 'text', more: Partial<PlannedField> = {}): PlannedField => ({
	name,
	type,
	why: 'because',
	textType: 'text',
	...more,
});

const writeOf = (values: Record<string, unknown>, options: Write['options'] = {}): Write => ({
	card,
	columns: {
		entries: Object.entries(values),
		matchingKeys: [],
		label: 'Values',
		hints: new Map(),
	},
	options,
	request: {},
	dryRun: false,
	skipsUnchanged: true,
});

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
		expect(created).toEqual(planned);
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
		expect(created).toEqual([
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
		expect(created).toEqual([plan('A')]);
		expect(sent('POST')).toHaveLength(1);
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
		await expect(createFields(run, card, [plan('A')], {})).rejects.toMatchObject({
			message: "Card 'Books' has 2 fields called 'A' now",
			description: expect.stringContaining('(new0, other)'),
		});
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
			"Card 'Books' has the new fields 'New'. Choices were to be added to 'Status', 'Place'.",
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
		expect(run.messages.noteOn(refusal)).toBe("Choices were to be added to 'Status'.");
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
			async (item) => await growCard(run, item, writeOf(values[item] ?? {}, options), isDry),
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
});
