/** What a node remembers of the records that it returned: thousands of histories of a card. */
import fc from 'fast-check';
import type { DataRecord } from '../../../nodes/WorkspaceData/model/record';
import { ageOf, byAge } from '../../../nodes/WorkspaceData/model/recordAge';
import {
	isSeen,
	NOTHING_SEEN,
	readSeen,
	remember,
	type Seen,
	type SeenBy,
	tokenOf,
	writeSeen,
} from '../../../nodes/WorkspaceData/model/seenRecords';

/** So few that they run out soon. */
const MOST = { new: 4, newOrChanged: 12 };

interface Row {
	id: string;
	at: number;
	value: number;
	/** How many newer records had been listed when this one was added, those deleted since included. */
	late: number;
}

/** What is true of the card, and what the node has returned of it. */
interface World {
	rows: Row[];
	saved: string;
	/** Values by the id of the record that was returned, in the order of the returns. */
	returned: Map<string, number[]>;
	/** The time of the newest record. */
	time: number;
	/** The times of all records that there ever were. */
	times: number[];
	ids: number;
}

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
			return { ...ageOf(record), token: tokenOf(record, by, (id) => id), row };
		})
		.sort(byAge);
	const unseen = listed.filter((one) => one.row.value < below && !isSeen(before, one));
	const tokens = (entries: typeof unseen) => new Set(entries.map(({ token }) => token));
	const outcome = {
		returned: tokens(unseen.slice(0, limit)),
		left: tokens(unseen.slice(limit)),
	};
	return {
		rows: unseen.slice(0, limit).map(({ row }) => row),
		left: unseen.length - Math.min(limit, unseen.length),
		saved: JSON.stringify(writeSeen(remember(by, before, listed, outcome, MOST))),
	};
}

class Add implements fc.Command<World, World> {
	constructor(
		readonly value: number,
		readonly late: number,
	) {}
	check = () => true;
	run(world: World): void {
		const times = world.rows.map(({ at }) => at).sort((a, b) => b - a);
		// Listed late: the service gave it its time before those that are newer.
		const newer = Math.min(this.late, times.length);
		const at = newer === 0 ? (world.time += 1_000) : (times[newer - 1] ?? 0) - 1;
		const late = world.times.filter((time) => time > at).length;
		world.times.push(at);
		// Sortable, as the interface says.
		const id = `r${String((world.ids += 1)).padStart(3, '0')}`;
		world.rows.push({ id, at, value: this.value, late });
	}
	toString = () => `add(${this.value}, ${this.late} newer)`;
}

class Change implements fc.Command<World, World> {
	constructor(
		readonly which: number,
		readonly value: number,
	) {}
	check = ({ rows }: World) => rows.length > 0;
	run({ rows }: World): void {
		const row = rows[this.which % rows.length];
		if (row) row.value = this.value;
	}
	toString = () => `change(${this.which}, ${this.value})`;
}

class Delete implements fc.Command<World, World> {
	constructor(readonly which: number) {}
	check = ({ rows }: World) => rows.length > 0;
	run({ rows }: World): void {
		rows.splice(this.which % rows.length, 1);
	}
	toString = () => `delete(${this.which})`;
}

class Run implements fc.Command<World, World> {
	constructor(
		readonly by: SeenBy,
		readonly limit: number,
		readonly counts: boolean,
	) {}
	check = ({ rows }: World) => this.by === 'new' || rows.length <= MOST.newOrChanged;
	run(_model: World, world: World): void {
		const { rows, saved, left } = runOnce(world, this.by, this.limit, Infinity);
		const twice = rows.filter(({ id, value }) => {
			const values = world.returned.get(id);
			return this.by === 'new' ? values !== undefined : values?.at(-1) === value;
		});
		expect(twice).toEqual([]);
		if (this.counts) {
			world.saved = saved;
			for (const { id, value } of rows) {
				world.returned.set(id, [...(world.returned.get(id) ?? []), value]);
			}
		}
		if (left > 0) return;
		// Nothing is held back: whatever is in the card has come now or before.
		const now = new Map(rows.map(({ id, value }) => [id, value]));
		const missing = world.rows.filter(({ id, value, late }) => {
			const had = now.get(id) ?? world.returned.get(id)?.at(-1);
			const isLost = this.by === 'new' ? had === undefined : had !== value;
			return isLost && !(this.by === 'new' && late >= MOST.new);
		});
		expect(missing).toEqual([]);
	}
	toString = () => `run(${this.by}, ${this.limit}${this.counts ? '' : ', failed or by hand'})`;
}

const commandsFor = (by: SeenBy) =>
	fc.commands(
		[
			fc.tuple(fc.nat(3), fc.nat(3)).map(([value, late]) => new Add(value, late)),
			fc.nat(3).map((value) => new Add(value, 0)),
			fc.tuple(fc.nat(20), fc.nat(3)).map(([which, value]) => new Change(which, value)),
			fc.nat(20).map((which) => new Delete(which)),
			fc.nat(20).map((which) => new Delete(which)),
			fc
				.tuple(fc.constantFrom(1, 2, Infinity), fc.boolean())
				.map(([limit, counts]) => new Run(by, limit, counts)),
		],
		{ maxCommands: 60, size: 'max' },
	);

test.each<SeenBy>(['new', 'newOrChanged'])(
	'%s: no history returns a record twice or never',
	(by) => {
		fc.assert(
			fc.property(commandsFor(by), (commands) => {
				const world = {
					rows: [],
					saved: JSON.stringify(writeSeen(NOTHING_SEEN)),
					returned: new Map(),
					time: 1_700_000_000_000,
					times: [],
					ids: 0,
				};
				fc.modelRun(() => ({ model: world, real: world }), commands);
			}),
			{ numRuns: 1_000 },
		);
	},
);

test('what is remembered is bounded, whatever the card has', () => {
	const rows = Array.from({ length: 50 }, (_, n) => ({ id: `r${n}`, at: n, value: 1, late: 0 }));
	const world = { rows, saved: '{}', returned: new Map(), time: 0, times: [], ids: 0 };
	const seen = readSeen(JSON.parse(runOnce(world, 'new', Infinity, 9).saved));
	expect(seen?.tokens.size).toBe(MOST.new);
	expect(seen?.floor).toEqual({ at: 45, id: 'r45' });
	const states = readSeen(JSON.parse(runOnce(world, 'newOrChanged', Infinity, 9).saved));
	expect(states?.tokens.size).toBe(MOST.newOrChanged);
});

test('a record without values in a field is the same, however the service writes that', () => {
	const record = (data: DataRecord['data']): DataRecord => ({
		id: 'r1',
		data,
		createdAt: null,
		raw: {},
	});
	const token = (data: DataRecord['data']) => tokenOf(record(data), 'newOrChanged', (id) => id);
	expect(token({ a: 1, b: null, c: '', d: [] })).toBe(token({ a: 1 }));
	expect(token({ b: 2, a: 1 })).toBe(token({ a: 1, b: 2 }));
	expect(token({ a: 1 })).not.toBe(token({ a: '1' }));
	expect(token({ a: false })).not.toBe(token({}));
});

test.each([undefined, null, 'x', {}, { tokens: 1 }, { tokens: '', floor: 1 }])(
	'%j was not saved by us',
	(saved) => expect(readSeen(saved)).toBeUndefined(),
);
