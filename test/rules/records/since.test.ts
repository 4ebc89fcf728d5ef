/** What *Since Last Run* remembers of a card after a run. */
import { remember, type Seen } from '../../../nodes/WorkspaceData/records/since';
import type { DataRecord } from '../../../nodes/WorkspaceData/transport/api';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);
/** A record of this minute. */
const age = (minute: number) => ({ at: START + minute * MINUTE, id: `r${minute}` });
const NOTHING: Seen = { floor: { at: -Infinity, id: '' }, after: [] };
const state = (floor: Seen['floor'], ...after: number[]): Seen => ({
	floor,
	after: after.map(age),
});
const tenBefore = (minute: number) => ({ at: age(minute - 10).at, id: '' });
/** Records of these minutes, which an item has returned. */
const returned = (...minutes: number[]) =>
	minutes.map((minute) => ({ age: age(minute), record: undefined }));
/** One that no item has returned. */
const left = (minute: number) => ({ age: age(minute), record: {} as DataRecord });

test.each<[string, Seen, number[], Seen]>([
	['the newest ten minutes', NOTHING, [0, 5, 12, 20], state(tenBefore(20), 12, 20)],
	[
		'also what was seen before',
		state(tenBefore(20), 12, 20),
		[21],
		state(tenBefore(21), 12, 20, 21),
	],
	['a late one in its place', state(tenBefore(20), 12, 20), [15], state(tenBefore(20), 12, 15, 20)],
])('%s', (_, before, minutes, expected) => {
	expect(remember({ before, entries: returned(...minutes), end: Infinity })).toEqual(expected);
});

test('what a condition left out is seen', () => {
	const entries = [left(0), ...returned(1)];
	const expected = state(tenBefore(1), 0, 1);
	expect(remember({ before: NOTHING, entries, end: Infinity })).toEqual(expected);
});

test('what a limit has left is not seen; what another item has returned of it is', () => {
	const entries = [...returned(0, 1), left(2), ...returned(3)];
	const expected = state(tenBefore(1), 0, 1, 3);
	expect(remember({ before: NOTHING, entries, end: 2 })).toEqual(expected);
});

test('of more than 5,000 records the oldest count as seen without being remembered', () => {
	const many = Array.from({ length: 5_002 }, (_, n) => n / 1_000);
	const entries = returned(...many);
	const { floor, after } = remember({ before: NOTHING, entries, end: Infinity });
	expect([floor, after.length, after[0]]).toEqual([age(0.001), 5_000, age(0.002)]);
});
