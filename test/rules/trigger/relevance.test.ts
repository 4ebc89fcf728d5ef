/** Which events start the workflow: in doubt too many rather than too few, with a line in the log that says why. */
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import type { DeliveredEvent, Delivery } from '../../../nodes/WorkspaceData/trigger/event';
import { isRelevant, misdirection } from '../../../nodes/WorkspaceData/trigger/relevance';
import { eventOf, settingsOf } from '../../support/triggerSettings';
import { field } from '../records/fields';

const title = field('Title', 'text', [], 'f1');
const pages = field('Pages', 'number', [], 'f2');
const index = new FieldIndex([title, pages], 'c1');
const oneCard = { watch: 'oneCard', cardId: 'c1' };

/** A delivery of an event, and what the node writes into the log. */
function deliveryOf(
	event: DeliveredEvent,
	parameters: Record<string, unknown>,
	signer: object = {},
) {
	const lines: string[] = [];
	const node = { log: (_context: unknown, line: string) => lines.push(line) };
	const context = { getTimezone: () => 'UTC' };
	const delivery = { context, node, settings: settingsOf(parameters), event, signer };
	return { delivery: delivery as unknown as Delivery, lines };
}

/** Whether an event is relevant, and what the log says. */
function judge(
	event: DeliveredEvent,
	parameters: Record<string, unknown>,
	fields: FieldIndex | null = index,
): [boolean, string[]] {
	const { delivery, lines } = deliveryOf(event, parameters);
	return [isRelevant(delivery, fields ?? undefined), lines];
}

describe("an event that isn't for this node", () => {
	const place = { workspace: 'w1', cardId: 'c1' };
	const anyCard = { workspace: 'w1' };
	test.each<[string, Partial<DeliveredEvent>, object, string | undefined]>([
		['its own', {}, place, undefined],
		['of another workspace', { workspace_id: 'w2' }, place, 'it is from another workspace'],
		['that names no workspace', { workspace_id: undefined }, place, undefined],
		['of another card', { card_id: 'c2' }, place, 'it is from another card'],
		['that names no card', { card_id: undefined }, place, undefined],
		['of any card, watching all', { card_id: 'c2' }, anyCard, undefined],
	])('%s', (_, more, signer, expected) => {
		const { delivery } = deliveryOf(eventOf('record.created', {}, more), {}, signer);
		expect(misdirection(delivery)).toBe(expected);
	});

	test.each([
		['card.created', 'Card Created'],
		['ping', 'ping'],
	])("of a kind that wasn't asked for: %s", (event, shown) => {
		const { delivery } = deliveryOf(eventOf(event, {}), {}, place);
		expect(misdirection(delivery)).toBe(`'Trigger On' doesn't include the event '${shown}'`);
	});
});

describe('watched fields', () => {
	const options = (watchFields: string[]) => ({ ...oneCard, options: { watchFields } });

	test.each([
		['by name', ['Title'], { f1: 'x' }, true],
		['by ID', ['f1'], { f1: 'x' }, true],
		['one of two', ['Pages', 'Title'], { f1: 'x' }, true],
		['another field', ['Title'], { f2: 1 }, false],
		['nothing changed', ['Title'], {}, false],
		["an ID that the listing doesn't have yet", ['f9'], { f9: 1 }, true],
	])('%s', (_, watchFields, data, expected) => {
		expect(judge(eventOf('record.updated', data), options(watchFields))).toEqual([expected, []]);
	});

	test('a name that two fields have: each of them starts', () => {
		const twins = new FieldIndex([title, field('Title', 'text', [], 'f3'), pages], 'c1');
		const changes = ['f1', 'f3', 'f2'].map((id) => eventOf('record.updated', { [id]: 'x' }));
		const starts = changes.map((event) => judge(event, options(['Title']), twins)[0]);
		expect(starts).toEqual([true, true, false]);
	});

	test('other events have no changed fields, and start', () => {
		expect(judge(eventOf('record.created', { f2: 1 }), options(['Title']))).toEqual([true, []]);
	});

	test('without a listing every update starts', () => {
		const event = eventOf('record.updated', { f2: 1 });
		expect(judge(event, options(['Title']), null)).toEqual([true, []]);
	});

	test('an update that changes no watched field is ignored even if it meets the conditions', () => {
		const filters = { conditions: [{ field: 'Pages', condition: 'equals', value: 1 }] };
		const watching = { ...oneCard, options: { watchFields: ['Title'], filters } };
		const starts = [{ f2: 1 }, { f1: 'a', f2: 1 }, { f1: 'a', f2: 2 }].map(
			(data) => judge(eventOf('record.updated', data), watching)[0],
		);
		expect(starts).toEqual([false, true, false]);
	});

	test('a name that the card no longer has: every update starts, and the log names it', () => {
		const event = eventOf('record.updated', { f2: 1 });
		const line =
			"Card c1 has no field 'Old', 'Older' to watch: every update of a record starts the workflow";
		expect(judge(event, options(['Old', 'Title', 'Older']))).toEqual([true, [line]]);
	});

	test('with all cards, such a name is the field of another card', () => {
		const event = eventOf('record.updated', { f2: 1 });
		expect(judge(event, { options: { watchFields: ['Old'] } })).toEqual([false, []]);
	});
});

describe('conditions', () => {
	const filtered = (
		conditions: Array<{ field: string; condition: string; value: unknown }>,
		more: Record<string, unknown> = {},
		card: Record<string, unknown> = oneCard,
	) => ({ ...card, options: { filters: { conditions }, ...more } });
	const is = (name: string, value: unknown) => ({ field: name, condition: 'equals', value });
	const any = { matchType: 'anyCondition' };

	test.each([
		['all are met', [is('Title', 'a'), is('Pages', 2)], {}, true],
		["one isn't met", [is('Title', 'a'), is('Pages', 3)], {}, false],
		['one of any is met', [is('Title', 'b'), is('Pages', 2)], any, true],
		['none of any is met', [is('Title', 'b'), is('Pages', 3)], any, false],
		['the record’s own ID', [is('id', 'r1')], {}, true],
		['another ID', [is('id', 'r2')], {}, false],
	])('%s', (_, conditions, more, expected) => {
		const event = eventOf('record.created', { f1: 'a', f2: 2 });
		expect(judge(event, filtered(conditions, more))).toEqual([expected, []]);
	});

	test("a value that the event doesn't carry is empty", () => {
		const empty = filtered([{ field: 'Title', condition: 'isEmpty', value: '' }]);
		expect(judge(eventOf('record.created', {}), empty)).toEqual([true, []]);
		expect(judge(eventOf('record.deleted', undefined), empty)).toEqual([true, []]);
		expect(judge(eventOf('record.created', { f1: 'a' }), empty)).toEqual([false, []]);
	});

	const [early, late] = ['2025-01-02T00:00:00Z', '2026-01-02T00:00:00Z'];
	test.each([
		['that of the event of a creation', 'record.created', late, true],
		['which was earlier', 'record.created', early, false],
		['unknown, where the event is another one', 'record.updated', late, false],
		['unknown, where the event has no time', 'record.created', undefined, false],
	])('when a record was created: %s', (_, name, timestamp, expected) => {
		const since = { field: 'created_at', condition: 'greaterThan', value: '2026-01-01' };
		const event = eventOf(name, {}, { timestamp });
		expect(judge(event, filtered([since]))).toEqual([expected, []]);
	});

	test.each([
		['all must be met', {}, 'a', false],
		['one is enough, and is met', any, 'a', true],
		["one is enough, and isn't met", any, 'b', false],
	])("with all cards, a field that this card doesn't have: %s", (_, more, value, expected) => {
		const parameters = filtered([is('Title', 'a'), is('Old', 1)], more, {});
		const event = eventOf('record.created', { f1: value });
		expect(judge(event, parameters)).toEqual([expected, []]);
	});

	test('a record without an ID has none that anything equals', () => {
		const event = eventOf('record.created', {}, { record_id: undefined });
		const without = filtered([{ field: 'id', condition: 'isEmpty', value: '' }]);
		expect(judge(event, without)).toEqual([true, []]);
	});

	test('with all cards, and none of the fields, no condition is met', () => {
		const event = eventOf('record.created', {});
		expect(judge(event, filtered([is('Old', 1)], any, {}))).toEqual([false, []]);
	});

	test('are about records only', () => {
		expect(judge(eventOf('card.created', {}), filtered([is('Title', 'a')]))).toEqual([true, []]);
	});

	test('without a listing every event starts, and the log says so', () => {
		const event = eventOf('record.created', { f1: 'b' });
		const line = expect.stringContaining("couldn't be read");
		expect(judge(event, filtered([is('Title', 'a')]), null)).toEqual([true, [line]]);
	});
});
