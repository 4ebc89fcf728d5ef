/** Filters and watched fields of the trigger: which events start the workflow. The rules: test/rules/trigger/relevance. */
import type { IDataObject } from 'n8n-workflow';
import { signed, useDeliveries } from '../support/deliveries';
import { triggerNode, type watchWarnings } from '../support/trigger';
import type { TestCard, TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
let warnings: ReturnType<typeof watchWarnings>;
const { activated, eventBody } = useDeliveries((made) => ({ workspace, card, warnings } = made));

describe('filters', () => {
	let own: TestCard;
	beforeEach(async () => {
		own = await workspace.card('Filtered', [
			{ name: 'Title', type: 'text' },
			{ name: 'Pages', type: 'number' },
			{ name: 'Due', type: 'datetime' },
			{ name: 'Code', type: 'text' },
		]);
	});

	interface Case {
		conditions: IDataObject[];
		watch?: 'allCards' | 'oneCard';
		matchType?: string;
	}
	/** The output of a node with these conditions for an event with these values. */
	async function filtered({ conditions, watch = 'oneCard', matchType }: Case) {
		const trigger = await activated({
			events: ['record.created', 'record.updated', 'record.deleted', 'card.updated'],
			watch,
			cardId: { __rl: true, mode: 'id', value: own.id },
			options: { filters: { conditions }, ...(matchType && { matchType }) },
		});
		return async (event: string, values: IDataObject | undefined, more: IDataObject = {}) => {
			const data =
				values &&
				Object.fromEntries(
					Object.entries(values).map(([name, value]) => [own.fieldIds[name] ?? name, value]),
				);
			const body = eventBody({ event, card_id: own.id, data, ...more } as IDataObject);
			const { status, items } = await trigger.deliver(signed(trigger, body));
			expect(status).toBe(200);
			return items !== undefined;
		};
	}
	const pages = (condition: string, value: unknown = '') =>
		({ field: 'Pages', condition, value }) as IDataObject;

	it.each<[string, Case, string, IDataObject | undefined, boolean]>([
		['met', { conditions: [pages('greaterThan', '9')] }, 'record.created', { Pages: 10 }, true],
		['not met', { conditions: [pages('greaterThan', '9')] }, 'record.created', { Pages: 9 }, false],
	])('%s', async (_, filters, event, values, starts) => {
		const deliver = await filtered(filters);
		expect(await deliver(event, values)).toBe(starts);
		expect(warnings.lines).toEqual([]);
	});

	it('compares with the record’s own id, and times in the time zone of the workflow', async () => {
		const deliver = await filtered({
			conditions: [{ field: 'id', condition: 'equals', value: 'rec_x' }],
		});
		expect(await deliver('record.created', {}, { record_id: 'rec_x' })).toBe(true);
		expect(await deliver('record.created', {}, { record_id: 'rec_y' })).toBe(false);
		const due = await filtered({
			conditions: [{ field: 'Due', condition: 'lessThan', value: '2026-01-01T12:00:00Z' }],
		});
		expect(await due('record.created', { Due: '2026-01-01T12:30:00+01:00' })).toBe(true);
		expect(await due('record.created', { Due: '2026-01-01T12:30:00Z' })).toBe(false);
	});

	const changeField = async (method: string, body?: IDataObject) =>
		await workspace.send(method, `/cards/${own.id}/fields/${own.fieldIds.Code ?? ''}`, body);

	it('a field that the card no longer has: every event starts, and the log says so', async () => {
		const deliver = await filtered({
			conditions: [{ field: 'Code', condition: 'equals', value: 1 }],
		});
		await changeField('DELETE');
		expect(await deliver('record.created', { Title: 'a' })).toBe(true);
		expect(warnings.lines).toEqual([expect.stringContaining("no field 'Code' to filter by")]);
	});

	it('a value that the field can no longer hold: every event starts, and the log says so', async () => {
		const deliver = await filtered({
			conditions: [{ field: 'Code', condition: 'equals', value: 'many' }],
		});
		await changeField('PATCH', { type: 'number' });
		expect(await deliver('record.created', { Code: 1 })).toBe(true);
		expect(warnings.lines).toEqual([expect.stringContaining('can\'t hold "many"')]);
	});

	it.each([
		['an unknown field', { field: 'Nope', condition: 'equals', value: 1 }, "no field 'Nope'"],
		['a value of no use', { field: 'Pages', condition: 'equals', value: 'x' }, 'can\'t hold "x"'],
		['an unknown condition', { field: 'Pages', condition: 'isLike' }, "'Condition' can't be"],
	])(
		'%s is told to whoever publishes, and nothing is subscribed',
		async (_, condition, message) => {
			const before = workspace.service.control.subscriptions().length;
			await expect(filtered({ conditions: [condition] })).rejects.toThrow(message);
			expect(workspace.service.control.subscriptions()).toHaveLength(before);
		},
	);

	it.each([
		['an expression that gives nothing', { condition: 'equals', value: '={{ undefined }}' }],
		['an expression that gives an empty text', { condition: 'equals', value: '={{ "" }}' }],
		['an empty value', { condition: 'greaterThan', value: '' }],
		['no value', { condition: 'isAnyOf' }],
	])('with all cards, %s is refused when the workflow is published (K17)', async (_, condition) => {
		workspace.service.control.resetRequests();
		const conditions = [{ field: 'Title', ...condition }];
		await expect(filtered({ conditions, watch: 'allCards' })).rejects.toThrow(
			"'Value' is empty in a condition of 'Filters'. Enter a value",
		);
		expect(workspace.requests()).toEqual([]);
	});

	it("n8n starts: conditions that fit no longer don't end a published trigger", async () => {
		const trigger = triggerNode(workspace.apiKey, {
			events: ['record.created'],
			watch: 'oneCard',
			cardId: { __rl: true, mode: 'id', value: own.id },
			options: { filters: { conditions: [{ field: 'Nope', condition: 'isEmpty' }] } },
		});
		await trigger.activate('init');
		trigger.reload();
		const { items } = await trigger.deliver(signed(trigger, eventBody({ card_id: own.id })));
		expect(items).toHaveLength(1);
	});

	it("publishing succeeds although the fields can't be read", async () => {
		workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 500, times: 5 });
		const deliver = await filtered({ conditions: [{ field: 'Pages', condition: 'isEmpty' }] });
		workspace.service.control.reset();
		expect(await deliver('record.created', { Pages: 2 })).toBe(false);
	});

	it.each([
		[
			{ filters: { conditions: [{ field: '', condition: 'equals' }] } },
			"'Field Name or ID' is empty in a condition of 'Filters'",
		],
		[{ matchType: 'some' }, "'Must Match' can't be 'some'"],
	])('%j is refused when the workflow is published', async (options, message) => {
		workspace.service.control.resetRequests();
		await expect(activated({ options })).rejects.toThrow(message);
		expect(workspace.requests()).toEqual([]);
	});
});

describe('watched fields', () => {
	const updated = (data: IDataObject) => eventBody({ event: 'record.updated', data });

	it('starts only when a watched field changed, by name or id', async () => {
		const { Title, Pages } = card.fieldIds;
		for (const field of ['Pages', Pages, 'pages']) {
			const trigger = await activated({ options: { watchFields: [field] } });
			const title = await trigger.deliver(signed(trigger, updated({ [String(Title)]: 'x' })));
			expect(title).toEqual({ status: 200, items: undefined });
			const pages = await trigger.deliver(signed(trigger, updated({ [String(Pages)]: null })));
			expect(pages.items?.[0]?.fields).toEqual({ Pages: null });
			// Other events have no changed fields.
			const created = await trigger.deliver(signed(trigger, eventBody()));
			expect(created.items).toHaveLength(1);
		}
	});

	async function watching(fields: string[], watchFields: string[], watch = 'oneCard') {
		const own = await workspace.card(
			'Watched',
			fields.map((name) => ({ name, type: 'text' })),
		);
		const cardId = { __rl: true, mode: 'id', value: own.id };
		const trigger = await activated({ watch, cardId, options: { watchFields } });
		const change = async (fieldId: unknown) => {
			const body = { ...updated({ [String(fieldId)]: 'x' }), card_id: own.id };
			return (await trigger.deliver(signed(trigger, body))).items;
		};
		return { ...own, change };
	}

	it('that were added a moment ago, start the workflow', async () => {
		const { id, fieldIds, change } = await watching(['Other', 'A'], ['A', 'B']);
		expect(await change(fieldIds.A)).toHaveLength(1);
		const { id: added } = (await workspace.send('POST', `/cards/${id}/fields`, {
			name: 'B',
			type: 'text',
		})) as { id: string };
		expect(await change(added)).toHaveLength(1);
		expect(await change(fieldIds.Other)).toBeUndefined();
		expect(warnings.lines).toEqual([]);
	});

	it('whose name two fields have, start the workflow', async () => {
		const { id, fieldIds, change } = await watching(['A', 'Other'], ['A']);
		workspace.service.control.fail({
			method: 'GET',
			path: '/fields$',
			status: 200,
			body: 'json',
			json: {
				fields: [
					{ field_id: fieldIds.A, name: 'A', type: 'text', card_id: id },
					{ field_id: 'fld_second', name: 'A', type: 'text', card_id: id },
					{ field_id: fieldIds.Other, name: 'Other', type: 'text', card_id: id },
				],
			},
		});
		expect(await change('fld_second')).toHaveLength(1);
		expect(await change(fieldIds.A)).toHaveLength(1);
		expect(await change(fieldIds.Other)).toBeUndefined();
	});
});
