/** What the trigger reads from the body of a delivery. */
import { readEvent } from '../../../nodes/WorkspaceData/trigger/event';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const event = {
	event: 'record.created',
	timestamp: '2026-01-31T12:00:00.000Z',
	workspace_id: 'wsp_1',
	card_id: 'crd_1',
	record_id: 'rec_1',
	data: { fld_1: 'é 🌍' },
};

test('reads a record event', () => {
	expect(readEvent(bytes(JSON.stringify(event)))).toEqual({
		...event,
		happenedAt: Date.UTC(2026, 0, 31, 12),
		body: event,
		key: expect.stringMatching(/^[0-9a-f]{64}$/),
	});
});

test('takes an event that has only a name, and members of other types', () => {
	const odd = { event: 'card.created', timestamp: 5, workspace_id: null, card_id: [], data: 'x' };
	const none = { happenedAt: undefined, workspace_id: undefined, card_id: undefined };
	const expected = { ...none, event: 'card.created', data: undefined, body: odd };
	expect(readEvent(bytes(JSON.stringify(odd)))).toMatchObject(expected);
});

test('takes numbers as identifiers, with all their digits', () => {
	const numbers = '{"event":"a","workspace_id":7,"card_id":0,"record_id":12345678901234567890}';
	const ids = { workspace_id: '7', card_id: '0', record_id: '12345678901234567890' };
	expect(readEvent(bytes(numbers))).toMatchObject(ids);
});
