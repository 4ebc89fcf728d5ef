/** Filters of the trigger: which events start the workflow. */
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
	const title = (condition: string, value = '') => ({ field: 'Title', condition, value });

	it.each<[string, Case, string, IDataObject | undefined, boolean]>([
		['met', { conditions: [pages('greaterThan', '9')] }, 'record.created', { Pages: 10 }, true],
		['not met', { conditions: [pages('greaterThan', '9')] }, 'record.created', { Pages: 9 }, false],
		[
			'one of two is not enough',
			{ conditions: [pages('equals', 1), title('equals', 'a')] },
			'record.created',
			{ Pages: 1, Title: 'b' },
			false,
		],
		[
			'one of two is enough',
			{ conditions: [pages('equals', 1), title('equals', 'a')], matchType: 'anyCondition' },
			'record.created',
			{ Pages: 1, Title: 'b' },
			true,
		],
		[
			'an update that does not carry the field',
			{ conditions: [pages('equals', 1)] },
			'record.updated',
			{ Title: 'b' },
			false,
		],
		[
			'what is not carried is empty',
			{ conditions: [pages('isEmpty')] },
			'record.updated',
			{ Title: 'b' },
			true,
		],
		[
			'a deletion without values',
			{ conditions: [pages('equals', 1)] },
			'record.deleted',
			undefined,
			false,
		],
		['an event of a card', { conditions: [pages('equals', 1)] }, 'card.updated', undefined, true],
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
		expect(warnings.lines).toEqual([expect.stringContaining('cannot hold "many"')]);
	});

	it.each([
		['an unknown field', { field: 'Nope', condition: 'equals', value: 1 }, "no field 'Nope'"],
		['a value of no use', { field: 'Pages', condition: 'equals', value: 'x' }, 'cannot hold "x"'],
		['an unknown condition', { field: 'Pages', condition: 'isLike' }, "'Condition' cannot be"],
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

	it('n8n starts: conditions that fit no longer do not end a published trigger', async () => {
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

	it('publishing succeeds although the fields cannot be read', async () => {
		workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 500, times: 5 });
		const deliver = await filtered({ conditions: [{ field: 'Pages', condition: 'isEmpty' }] });
		workspace.service.control.reset();
		expect(await deliver('record.created', { Pages: 2 })).toBe(false);
	});

	it('a field that other cards have: with all cards, the condition is not met', async () => {
		const conditions = [{ field: 'Gone', condition: 'isEmpty', value: '' }, title('equals', 'a')];
		const all = await filtered({ conditions, watch: 'allCards' });
		expect(await all('record.created', { Title: 'a' })).toBe(false);
		const any = await filtered({ conditions, watch: 'allCards', matchType: 'anyCondition' });
		expect(await any('record.created', { Title: 'a' })).toBe(true);
		expect(await any('record.created', { Title: 'b' })).toBe(false);
		expect(warnings.lines).toEqual([]);
	});

	it('starts when the fields cannot be read, and the log says so', async () => {
		const deliver = await filtered({ conditions: [pages('equals', 1)] });
		workspace.service.control.fail({ method: 'GET', path: '/fields$', status: 500, times: 5 });
		expect(await deliver('record.created', { Pages: 2 })).toBe(true);
		expect(warnings.lines).toEqual([expect.stringContaining('could not be read')]);
	});

	it.each([
		[
			{ filters: { conditions: [{ field: '', condition: 'equals' }] } },
			"'Field Name or ID' is empty in a condition of 'Filters'",
		],
		[{ matchType: 'some' }, "'Match' cannot be 'some'"],
	])('%j is refused when the workflow is published', async (options, message) => {
		workspace.service.control.resetRequests();
		await expect(activated({ options })).rejects.toThrow(message);
		expect(workspace.requests()).toEqual([]);
	});
});
