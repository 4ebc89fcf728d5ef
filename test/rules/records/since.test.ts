/** What *Since Last Run* remembers of a card after a run. */
import { remember, type Seen } from '../../../nodes/WorkspaceData/records/since';

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);
/** A record of this minute. */
const age = (minute: number) => ({ at: START + minute * MINUTE, id: `r${minute}` });
const NOTHING: Seen = { newest: -Infinity, floor: { at: -Infinity, id: '' }, after: [] };
const state = (floor: Seen['floor'], ...after: number[]): Seen => ({
	newest: after.reduce((most, minute) => Math.max(most, age(minute).at), -Infinity),
	floor,
	after: after.map(age),
});
const tenBefore = (minute: number) => ({ at: age(minute - 10).at, id: '' });
const all = new Set<string>();

test.each<[string, Seen, number[], Seen]>([
	['nothing of an empty card', NOTHING, [], NOTHING],
	['the newest ten minutes', NOTHING, [0, 5, 12, 20], state(tenBefore(20), 12, 20)],
	[
		'also what was seen before',
		state(tenBefore(20), 12, 20),
		[21],
		state(tenBefore(21), 12, 20, 21),
	],
	['a late one in its place', state(tenBefore(20), 12, 20), [15], state(tenBefore(20), 12, 15, 20)],
	['what is gone since', state(tenBefore(20), 12, 20), [], state(tenBefore(20), 12, 20)],
])('%s', (_, before, minutes, expected) => {
	expect(remember({ before, ages: minutes.map(age), returned: all, end: undefined })).toEqual(
		expected,
	);
});

test('what a limit has left is not seen; what another item has returned of it is', () => {
	const given = { before: NOTHING, ages: [0, 1, 2, 3].map(age) };
	const rest = remember({ ...given, returned: new Set(['r0', 'r1', 'r3']), end: age(1) });
	expect(rest).toEqual({ newest: age(1).at, floor: tenBefore(1), after: [0, 1, 3].map(age) });
});

test('of more than 5,000 records the oldest count as seen without being remembered', () => {
	const many = Array.from({ length: 5_002 }, (_, n) => n / 1_000);
	const { floor, after } = remember({
		before: NOTHING,
		ages: many.map(age),
		returned: all,
		end: undefined,
	});
	expect([floor, after.length, after[0]]).toEqual([age(0.001), 5_000, age(0.002)]);
});
