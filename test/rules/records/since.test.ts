/** What *Since Last Run* remembers of a card after a run. */
import { remember, type Seen } from '../../../nodes/WorkspaceData/records/since';

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
