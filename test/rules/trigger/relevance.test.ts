/** Which events start the workflow: in doubt too many rather than too few, with a line in the log that says why. */
import { FieldIndex } from '../../../nodes/WorkspaceData/records/fieldIndex';
import type { DeliveredEvent, Delivery } from '../../../nodes/WorkspaceData/trigger/event';
import { isRelevant } from '../../../nodes/WorkspaceData/trigger/relevance';
import type { JsonObject } from '../../../nodes/WorkspaceData/values/json';
import { eventOf, settingsOf } from '../../support/triggerSettings';
import { field } from '../records/fields';

const title = field('Title', 'text', [], 'f1');
const pages = field('Pages', 'number', [], 'f2');
const oneCard = { watch: 'oneCard', cardId: 'c1' };
const allCards = {};

const created = (data: JsonObject, more: Partial<DeliveredEvent> = {}) =>
	eventOf('record.created', data, more);
const updated = (data: JsonObject) => eventOf('record.updated', data);
const is = (name: string, value: unknown) => ({ field: name, condition: 'equals', value });
const isEmpty = (name: string) => ({ field: name, condition: 'isEmpty', value: '' });

/** Whether an event is relevant, and what the log says. */
function judge(
	event: DeliveredEvent,
	parameters: Record<string, unknown>,
	fields: FieldIndex | undefined,
): [boolean, string[]] {
	const lines: string[] = [];
	const node = { log: (_context: unknown, line: string) => lines.push(line) };
	const context = { getTimezone: () => 'UTC' };
	const delivery = { context, node, settings: settingsOf(parameters), event, signer: {} };
	return [isRelevant(delivery as unknown as Delivery, fields), lines];
}

describe('watched fields', () => {
	const twin = field('Title', 'text', [], 'f3');
	const index = new FieldIndex([title, twin, pages], 'c1');

	test.each<[string, string[], DeliveredEvent, boolean, object?]>([
		['by name', ['Title'], updated({ f1: 'x' }), true],
		['by a name that two fields have', ['Title'], updated({ f3: 'x' }), true],
		['by ID', ['f1'], updated({ f1: 'x' }), true],
		['one of two', ['Pages', 'Title'], updated({ f1: 'x' }), true],
		['another field', ['Title'], updated({ f2: 1 }), false],
		['nothing changed', ['Title'], updated({}), false],
		["an ID that the listing doesn't have yet", ['f9'], updated({ f9: 1 }), true],
		['no update, so nothing changed', ['Title'], created({ f2: 1 }), true],
		['with all cards, a field of another card', ['Old'], updated({ f2: 1 }), false, allCards],
	])('%s', (_, watchFields, event, expected, card = oneCard) => {
		expect(judge(event, { ...card, options: { watchFields } }, index)).toEqual([expected, []]);
	});

	test('without a listing every update starts', () => {
		const options = { watchFields: ['Title'] };
		expect(judge(updated({ f2: 1 }), { ...oneCard, options }, undefined)).toEqual([true, []]);
	});

	test('an update that changes no watched field is ignored even if it meets the conditions', () => {
		const options = { watchFields: ['f1'], filters: { conditions: [is('Pages', 1)] } };
		const starts = [{ f2: 1 }, { f1: 'a', f2: 1 }, { f1: 'a', f2: 2 }].map(
			(data) => judge(updated(data), { ...oneCard, options }, index)[0],
		);
		expect(starts).toEqual([false, true, false]);
	});

	test('a name that the card no longer has: every update starts, and the log names it', () => {
		const options = { watchFields: ['Old', 'Title', 'Older'] };
		const line =
			"Card c1 has no field 'Old', 'Older' to watch: every update of a record starts the workflow";
		expect(judge(updated({ f2: 1 }), { ...oneCard, options }, index)).toEqual([true, [line]]);
	});
});

describe('conditions', () => {
	const index = new FieldIndex([title, pages], 'c1');
	const any = { matchType: 'anyCondition' };
	const record = created({ f1: 'a', f2: 2 });
	const since = { field: 'created_at', condition: 'greaterThan', value: '2026-01-01' };
	const [early, late] = ['2025-01-02T00:00:00Z', '2026-01-02T00:00:00Z'];
	const notOfCard = [is('Title', 'a'), is('Old', 1)];

	test.each<[string, DeliveredEvent, object[], boolean, object?, object?]>([
		['all are met', record, [is('Title', 'a'), is('Pages', 2)], true],
		["one isn't met", record, [is('Title', 'a'), is('Pages', 3)], false],
		['one of any is met', record, [is('Title', 'b'), is('Pages', 2)], true, any],
		['none of any is met', record, [is('Title', 'b'), is('Pages', 3)], false, any],
		['the record’s own ID', record, [is('id', 'r1')], true],
		['another ID', record, [is('id', 'r2')], false],
		['no ID is empty', created({}, { record_id: undefined }), [isEmpty('id')], true],
		["a value that the event doesn't carry is empty", created({}), [isEmpty('Title')], true],
		['so is it without any values', eventOf('record.deleted', undefined), [isEmpty('Title')], true],
		['a value that the event carries', record, [isEmpty('Title')], false],
		['created at the time of a creation', created({}, { timestamp: late }), [since], true],
		['created earlier', created({}, { timestamp: early }), [since], false],
		['created nobody knows when', created({}, { timestamp: undefined }), [since], false],
		['nor at the time of an update', { ...updated({}), timestamp: late }, [since], false],
		["with all cards, a field that this card doesn't have", record, notOfCard, false, {}, allCards],
		['or another one is met', record, notOfCard, true, any, allCards],
		['and none is met', created({ f1: 'b' }), notOfCard, false, any, allCards],
		['with all cards, and none of the fields', record, [is('Old', 1)], false, any, allCards],
		['are about records only', eventOf('card.created', {}), [is('Title', 'a')], true],
	])('%s', (_, event, conditions, expected, more = {}, card = oneCard) => {
		const options = { filters: { conditions }, ...more };
		expect(judge(event, { ...card, options }, index)).toEqual([expected, []]);
	});

	test('without a listing every event starts, and the log says so', () => {
		const options = { filters: { conditions: [is('Title', 'b')] } };
		const line = expect.stringContaining("couldn't be read");
		expect(judge(record, { ...oneCard, options }, undefined)).toEqual([true, [line]]);
	});
});
