/** What Catch Up remembers, in histories that are longer than n8n's memory. */
import fc from 'fast-check';
import {
	createKnownRecords,
	type DuplicatesTable,
	type MemoryBounds,
	recordKey,
} from '../../../nodes/WorkspaceData/trigger/catchUp/knownRecords';
import {
	type Candidate,
	findMissed,
} from '../../../nodes/WorkspaceData/trigger/catchUp/missedRecords';

/** n8n's memory: entries in their order, the oldest forgotten first. */
function createTable(): DuplicatesTable {
	const entries = new Set<string>();
	return {
		async add(keys, most) {
			const fresh = keys.filter((key) => !entries.has(key));
			for (const key of fresh) entries.add(key);
			for (const oldest of entries) {
				if (entries.size <= most) break;
				entries.delete(oldest);
			}
			return fresh;
		},
		async remove(keys) {
			for (const key of keys) entries.delete(key);
		},
		count: async () => entries.size,
	};
}

interface Row {
	id: string;
	at: number;
	/** Whether its event came; else it was created while n8n was down. */
	isLive: boolean;
	/** How often it started the workflow. */
	runs: number;
	/** How many searches had begun when it was created. */
	stretch: number;
}

/** A card, n8n's memory, and the searches at each start of n8n. */
class World {
	readonly rows: Row[] = [];

	private readonly listed = new Set<Row>();

	private readonly ends: number[] = [];

	private time = 1_700_000_000_000;

	private readonly from = this.time;

	/** The stretches before which all was searched. */
	searched = 0;

	private readonly known;

	constructor(bounds?: MemoryBounds) {
		this.known = createKnownRecords(createTable(), async (task) => await task(), bounds);
	}

	private add(isLive: boolean): Row {
		const id = `r${this.rows.length}`;
		const row = { id, at: (this.time += 7), isLive, runs: 0, stretch: this.ends.length };
		this.rows.push(row);
		this.listed.add(row);
		return row;
	}

	async come(count: number): Promise<void> {
		for (let n = 0; n < count; n += 1) {
			const row = this.add(true);
			const record = { key: recordKey('card', row.id), createdAt: row.at };
			const fresh = await this.known.take([record], [this.from, ...this.ends]);
			row.runs += fresh.size;
		}
	}

	miss(count: number): void {
		for (let n = 0; n < count; n += 1) this.add(false);
	}

	/** Somebody deletes some of the latest records. */
	remove(count: number): void {
		for (const row of [...this.listed].slice(-count)) this.listed.delete(row);
	}

	/** n8n starts; its search may die with it before it is done. */
	async start(completes: boolean): Promise<void> {
		const earlier = [...this.ends];
		const upTo = (this.time += 1_000);
		this.ends.push(upTo);
		const groups = (after: number, end: number) => this.between(after, end);
		const missed = await findMissed(groups, { from: this.from, earlier, upTo }, this.known);
		if (!completes) return;
		const found = missed.map((one) => ({
			key: recordKey('card', one.record.id),
			createdAt: one.createdAt,
		}));
		const delivered = await this.known.complete(upTo, found);
		for (const { record } of missed) {
			const row = this.rows.find(({ id }) => id === record.id);
			if (row && !delivered.has(recordKey('card', row.id))) row.runs += 1;
		}
		this.searched = this.ends.length;
	}

	private async *between(after: number, end: number): AsyncGenerator<Candidate[]> {
		yield [...this.listed]
			.filter(({ at }) => at > after && at <= end)
			.map(({ id, at }) => {
				const createdAt = new Date(at).toISOString();
				return { cardId: 'card', createdAt: at, record: { id, data: {}, createdAt, raw: {} } };
			});
	}

	/** Records on the card that never started the workflow although everything was searched. */
	get lost(): Row[] {
		return [...this.listed].filter(({ runs, stretch }) => runs === 0 && stretch < this.searched);
	}

	get repeated(): Row[] {
		return this.rows.filter(({ runs }) => runs > 1);
	}
}

test('K3 none of 300 records comes again after 2,100 newer ones were deleted, nor after another start', async () => {
	const world = new World();
	await world.come(300);
	await world.come(2_100);
	world.remove(2_100);
	world.miss(5);
	await world.start(true);
	expect(world.repeated).toEqual([]);
	expect(world.lost).toEqual([]);
	// The completed search stays known, although as many records come again.
	await world.come(2_100);
	world.remove(2_100);
	await world.start(true);
	await world.start(true);
	expect(world.repeated).toEqual([]);
	expect(world.lost).toEqual([]);
}, 60_000);

test('K4 the last completed search stays known over 21 starts whose searches do not complete', async () => {
	const world = new World();
	await world.come(50);
	world.miss(3);
	await world.start(true);
	for (let start = 0; start < 21; start += 1) {
		await world.come(3);
		await world.start(false);
	}
	await world.start(true);
	expect(world.repeated).toEqual([]);
	expect(world.lost).toEqual([]);
});

/** So few that they are forgotten soon; each record is a landmark, so that every stretch has one. */
const FEW: MemoryBounds = { entries: 60, isLandmark: () => true };

type Step = ['come' | 'miss' | 'remove', number] | ['start', boolean];

const history = fc.array(
	fc.oneof(
		fc.tuple(fc.constantFrom<'come' | 'miss' | 'remove'>('come', 'miss', 'remove'), fc.nat(30)),
		fc.tuple(fc.constant<'start'>('start'), fc.boolean()),
	) as fc.Arbitrary<Step>,
	{ maxLength: 12 },
);

async function play(steps: readonly Step[]): Promise<World> {
	const world = new World(FEW);
	let isDown = false;
	for (const [step, what] of steps) {
		// n8n hears of no record between its end and its start.
		if (step === 'start') await world.start(what);
		else if (step === 'remove') world.remove(what);
		else if (step === 'miss' || isDown) world.miss(what);
		else await world.come(what);
		isDown = step === 'miss' || (isDown && step !== 'start');
	}
	await world.start(true);
	return world;
}

test('K3 no history loses a record, whatever the memory has forgotten', async () => {
	await fc.assert(
		fc.asyncProperty(history, async (steps) => {
			expect((await play(steps)).lost).toEqual([]);
		}),
		{ numRuns: 500 },
	);
});

test('K3 no history returns a record twice, as long as searches complete', async () => {
	await fc.assert(
		fc.asyncProperty(history, async (steps) => {
			const completed = steps.map<Step>((step) => (step[0] === 'start' ? ['start', true] : step));
			expect((await play(completed)).repeated).toEqual([]);
		}),
		{ numRuns: 500 },
	);
});
