/** The memory of returned records, in thousands of histories of a card. */
import fc from 'fast-check';
import type { DataRecord } from '../../../nodes/WorkspaceData/model/response/record';
import { ageOf, byAge } from '../../../nodes/WorkspaceData/model/response/record';
import {
	isOld,
	readSeen,
	remember,
	type Seen,
	type SeenBy,
	type SeenEntry,
	tokenOf,
	type ValueText,
	writeSeen,
} from '../../../nodes/WorkspaceData/model/recordMemory';
import { cases } from '../../support/cases';

const jsonOf: ValueText = (id, value) => [id, JSON.stringify(value)];

const NOTHING_SEEN: Seen = { tokens: new Set(), floor: undefined };

const isSeen = (seen: Seen, one: SeenEntry): boolean =>
	seen.tokens.has(one.token) || isOld(seen, one);

/** So few that they run out soon. */
const MOST = { new: 4, newOrChanged: 12 };

interface Row {
	id: string;
	at: number;
	value: number;
	/** Whether its value is another one than when it was returned, or was meanwhile. */
	touched: boolean;
	/** How many newer records had been listed when this one was added, those deleted since included. */
	late: number;
}

/** The state of the card, and the records that the node has returned. */
interface World {
	rows: Row[];
	saved: string;
	/** The values with which records were returned last, by id. */
	returned: Map<string, number>;
	/** The time of the newest record. */
	time: number;
	/** The times of all records that there ever were. */
	times: number[];
	ids: number;
}

const emptyWorld = (saved = '{}'): World => ({
	rows: [],
	saved,
	returned: new Map(),
	time: 1_700_000_000_000,
	times: [],
	ids: 0,
});

const toRecord = ({ id, at, value }: Row): DataRecord => {
	const createdAt = new Date(at).toISOString();
	return { id, data: { f1: value }, createdAt, raw: {} };
};

/** One run of the node, as `since.ts` does it. @returns ids and values, and what would be saved */
function runOnce(world: World, by: SeenBy, limit: number, below: number) {
	const before: Seen = readSeen(JSON.parse(world.saved)) ?? NOTHING_SEEN;
	const listed = world.rows
		.map((row) => {
			const record = toRecord(row);
			return { ...ageOf(record), token: tokenOf(record, by, jsonOf), row };
		})
		.sort(byAge);
	const unseen = listed.filter((one) => one.row.value < below && !isSeen(before, one));
	const tokens = (entries: typeof unseen) => new Set(entries.map(({ token }) => token));
	const [returned, left] = [unseen.slice(0, limit), unseen.slice(limit)];
	const outcome = { returned: tokens(returned), left: tokens(left) };
	return {
		rows: returned.map(({ row }) => row),
		left: left.length,
		saved: JSON.stringify(writeSeen(remember(by, before, listed, outcome, MOST))),
	};
}

type Command = fc.Command<World, World>;

/** A record is added. @param newer so many records are newer: it is listed late, with the time that it got before them */
const add = (value: number, newer: number): Command => ({
	check: () => true,
	run(world) {
		const times = world.rows.map((row) => row.at).sort((a, b) => b - a);
		const place = Math.min(newer, times.length);
		const at = place === 0 ? (world.time += 1_000) : (times[place - 1] ?? 0) - 1;
		const late = world.times.filter((time) => time > at).length;
		world.times.push(at);
		// Sortable, as the interface says.
		const id = `r${String((world.ids += 1)).padStart(3, '0')}`;
		world.rows.push({ id, at, value, late, touched: false });
	},
	toString: () => `add(${value}, ${newer} newer)`,
});

const change = (which: number, value: number): Command => ({
	check: ({ rows }) => rows.length > 0,
	run({ rows }) {
		const row = rows[which % rows.length];
		if (!row || row.value === value) return;
		row.value = value;
		row.touched = true;
	},
	toString: () => `change(${which}, ${value})`,
});

const remove = (which: number): Command => ({
	check: ({ rows }) => rows.length > 0,
	run({ rows }) {
		rows.splice(which % rows.length, 1);
	},
	toString: () => `remove(${which})`,
});

/** The node runs. @param counts whether it is a published workflow's run that does not fail */
const runNode = (by: SeenBy, limit: number, counts: boolean): Command => ({
	check: ({ rows }) => by === 'new' || rows.length <= MOST.newOrChanged,
	run(_model, world) {
		const { rows, saved, left } = runOnce(world, by, limit, Infinity);
		const twice = rows.filter(
			({ id, touched }) => world.returned.has(id) && (by === 'new' || !touched),
		);
		expect(twice).toEqual([]);
		if (counts) {
			world.saved = saved;
			for (const row of rows) {
				world.returned.set(row.id, row.value);
				row.touched = false;
			}
		}
		if (left > 0) return;
		// Nothing is held back: whatever is in the card has come now or before.
		const now = new Map(rows.map(({ id, value }) => [id, value]));
		const missing = world.rows.filter(({ id, value, late }) => {
			const had = now.get(id) ?? world.returned.get(id);
			if (by === 'newOrChanged') return had !== value;
			return had === undefined && late < MOST.new;
		});
		expect(missing).toEqual([]);
	},
	toString: () => `run(${by}, ${limit}${counts ? '' : ', failed or by hand'})`,
});

const commandsFor = (by: SeenBy) =>
	fc.commands(
		[
			fc.tuple(fc.nat(3), fc.nat(3)).map(([value, late]) => add(value, late)),
			fc.nat(3).map((value) => add(value, 0)),
			fc.tuple(fc.nat(20), fc.nat(3)).map(([which, value]) => change(which, value)),
			fc.nat(20).map((which) => remove(which)),
			fc.nat(20).map((which) => remove(which)),
			fc
				.tuple(fc.constantFrom(1, 2, Infinity), fc.boolean())
				.map(([limit, counts]) => runNode(by, limit, counts)),
		],
		{ maxCommands: 60, size: 'max' },
	);

test.each<SeenBy>(['new', 'newOrChanged'])(
	'%s: no history returns a record twice or never',
	(by) => {
		fc.assert(
			fc.property(commandsFor(by), (commands) => {
				const world = emptyWorld(JSON.stringify(writeSeen(NOTHING_SEEN)));
				fc.modelRun(() => ({ model: world, real: world }), commands);
			}),
			cases(1_000),
		);
	},
);

test('the remembered records are bounded, whatever the card has', () => {
	const row = { value: 1, late: 0, touched: false };
	const rows = Array.from({ length: 50 }, (_, n) => ({ id: `r${n}`, at: n, ...row }));
	const world = { ...emptyWorld(), rows };
	const seen = readSeen(JSON.parse(runOnce(world, 'new', Infinity, 9).saved));
	expect(seen?.tokens.size).toBe(MOST.new);
	expect(seen?.floor).toEqual({ at: 45, id: 'r45' });
	const states = readSeen(JSON.parse(runOnce(world, 'newOrChanged', Infinity, 9).saved));
	expect(states?.tokens.size).toBe(MOST.newOrChanged);
});

test("records left over by a limit don't count as older than the remembered ones, however many newer ones exist", () => {
	const entry = (n: number) => ({ at: n, id: `r${n}`, token: `token-of-${n + 100}` });
	const listed = Array.from({ length: 9 }, (_, n) => entry(n));
	const [first, ...newer] = listed.map(({ token }) => token);
	const outcome = { returned: new Set(newer), left: new Set([String(first)]) };
	const seen = remember('new', NOTHING_SEEN, listed, outcome, MOST);
	expect(listed.filter((one) => !isSeen(seen, one))).toEqual([entry(0)]);
});

test('a record without values in a field is the same, however the service writes that', () => {
	const token = (data: DataRecord['data']) =>
		tokenOf({ id: 'r1', data, createdAt: null, raw: {} }, 'newOrChanged', jsonOf);
	expect(token({ a: 1, b: null, c: '', d: [] })).toBe(token({ a: 1 }));
	expect(token({ b: 2, a: 1 })).toBe(token({ a: 1, b: 2 }));
	expect(token({ a: 1 })).not.toBe(token({ a: '1' }));
	expect(token({ a: false })).not.toBe(token({}));
});

test.each([undefined, null, 'x', {}, { tokens: 1 }, { tokens: '', floor: 1 }])(
	"%j wasn't saved by us",
	(saved) => expect(readSeen(saved)).toBeUndefined(),
);

test('what is saved is read as the same, also where records have no time', () => {
	const tokens = new Set(['a'.repeat(12), 'b'.repeat(12)]);
	for (const at of [5, -Infinity]) {
		const seen = { tokens, floor: { at, id: 'r1' } };
		const saved: unknown = JSON.parse(JSON.stringify(writeSeen(seen)));
		expect(readSeen(saved)).toStrictEqual({ ...seen, names: {} });
	}
	expect(readSeen(writeSeen(NOTHING_SEEN))).toStrictEqual({ ...NOTHING_SEEN, names: {} });
});
