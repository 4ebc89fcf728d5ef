/** Filters and watched fields of the trigger: which events start the workflow. The rules: test/rules/trigger/relevance. */
import type { IDataObject } from 'n8n-workflow';
import { signed, useDeliveries } from '../support/deliveries';
import { triggerNode, type watchWarnings } from '../support/trigger';
import type { TestCard, TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let warnings: ReturnType<typeof watchWarnings>;
const { activated, eventBody } = useDeliveries((made) => ({ workspace, warnings } = made));

describe('filters', () => {
	let own: TestCard;
	beforeEach(async () => {
		own = await workspace.card('Filtered', { Title: 'text', Pages: 'number', Due: 'datetime' });
	});

	/** Delivers events with values to a node with these conditions. */
	async function filtered(conditions: IDataObject[], watch = 'oneCard') {
		const trigger = await activated({
			watch,
			cardId: { __rl: true, mode: 'id', value: own.id },
			options: { filters: { conditions } },
		});
		return async (values: IDataObject, more: IDataObject = {}) => {
			const data = Object.fromEntries(
				Object.entries(values).map(([name, value]) => [own.fieldIds[name] ?? name, value]),
			);
			const body = eventBody({ card_id: own.id, data, ...more } as IDataObject);
			const { status, items } = await trigger.deliver(signed(trigger, body));
			expect(status).toBe(200);
			return items !== undefined;
		};
	}

	it.each([
		['an unknown field', { field: 'Nope', condition: 'equals', value: 1 }, "no field 'Nope'"],
		['a value of no use', { field: 'Pages', condition: 'equals', value: 'x' }, 'can\'t hold "x"'],
		['an unknown condition', { field: 'Pages', condition: 'isLike' }, "'Condition' can't be"],
	])(
		'%s is told to whoever publishes, and nothing is subscribed',
		async (_, condition, message) => {
			const before = workspace.service.control.subscriptions().length;
			await expect(filtered([condition])).rejects.toThrow(message);
			expect(workspace.service.control.subscriptions()).toHaveLength(before);
		},
	);

	it.each([
		['an expression that gives nothing', { condition: 'equals', value: '={{ undefined }}' }],
		['an expression that gives an empty text', { condition: 'equals', value: '={{ "" }}' }],
		['an empty value', { condition: 'greaterThan', value: '' }],
		['no value', { condition: 'isAnyOf' }],
	])('with all cards, %s is refused when the workflow is published', async (_, condition) => {
		workspace.service.control.resetRequests();
		const conditions = [{ field: 'Title', ...condition }];
		await expect(filtered(conditions, 'allCards')).rejects.toThrow(
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

	it('a choice that was removed from its field is compared; publishing asks for one that it has', async () => {
		const options = ['Open', 'Gone'];
		own = await workspace.card('Chosen', { Status: { type: 'single_select', options } });
		const equals = (value: string) => [{ field: 'Status', condition: 'equals', value }];
		await expect(filtered(equals('Never'))).rejects.toThrow('can\'t hold "Never"');
		const deliver = await filtered(equals('Gone'));
		const path = `/cards/${own.id}/fields/${own.fieldIds.Status}`;
		await workspace.send('PATCH', path, { options: ['Open'] });
		expect(await deliver({ Status: 'Gone' })).toBe(true);
		expect(await deliver({ Status: 'Open' })).toBe(false);
	});

	it("publishing succeeds although the fields can't be read", async () => {
		workspace.fail('GET', '/fields$', { status: 500, times: 5 });
		const deliver = await filtered([{ field: 'Pages', condition: 'isEmpty' }]);
		workspace.service.control.reset();
		expect(await deliver({ Pages: 2 })).toBe(false);
	});
});

describe('watched fields', () => {
	const updated = (data: IDataObject) => eventBody({ event: 'record.updated', data });

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
});
