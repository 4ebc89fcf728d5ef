import * as fc from 'fast-check';
import { createAlarms, type SetAlarm } from '../../../../nodes/WorkspaceData/transport/http/alarms';

/** Alarms on timers that ring when the test says so. */
function createWorld() {
	let now = 0;
	let timers: Array<{ at: number; callBack: () => void }> = [];
	const rung: number[] = [];
	const setAlarm: SetAlarm = createAlarms(
		() => now,
		(ms, callBack) => void timers.push({ at: now + ms, callBack }),
	);
	return {
		rung,
		/** Sets an alarm that tells its number. */
		set: (ms: number, number: number, more = () => {}) =>
			setAlarm(ms, () => {
				rung.push(number);
				more();
			}),
		/** Lets time pass; timers ring on time. */
		pass(ms: number) {
			const end = now + ms;
			for (;;) {
				const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
				if (!next) break;
				timers = timers.filter((timer) => timer !== next);
				now = Math.max(now, next.at);
				next.callBack();
			}
			now = end;
		},
		timers: () => timers.length,
	};
}

interface Model {
	now: number;
	next: number;
	pending: Array<{ number: number; due: number }>;
	rung: number[];
}
interface Real {
	world: ReturnType<typeof createWorld>;
	turnOff: Map<number, () => void>;
}
type Command = fc.Command<Model, Real>;

const LENGTHS = [10, 25, 30_000];

const set = (ms: number): Command => ({
	check: () => true,
	run(model, { world, turnOff }) {
		const number = model.next;
		turnOff.set(number, world.set(ms, number));
		model.next += 1;
		model.pending.push({ number, due: model.now + ms });
	},
	toString: () => `set(${ms})`,
});

const turnOff = (place: number): Command => ({
	check: ({ next }) => next > 0,
	run(model, real) {
		const number = place % model.next;
		real.turnOff.get(number)?.();
		model.pending = model.pending.filter((alarm) => alarm.number !== number);
	},
	toString: () => `turnOff(${place})`,
});

const pass = (ms: number): Command => ({
	check: () => true,
	run(model, { world }) {
		model.now += ms;
		const due = model.pending.filter((alarm) => alarm.due <= model.now);
		model.pending = model.pending.filter((alarm) => alarm.due > model.now);
		model.rung.push(...due.map(({ number }) => number));
		world.pass(ms);
		// Alarms of different lengths that are due at the same moment may ring in any order.
		expect([...world.rung].sort((a, b) => a - b)).toEqual([...model.rung].sort((a, b) => a - b));
		expect(world.timers()).toBeLessThanOrEqual(LENGTHS.length);
	},
	toString: () => `pass(${ms})`,
});

test('alarms ring once and on time, and never after they are turned off, in any order of calls', () => {
	const commands = fc.commands(
		[
			fc.constantFrom(...LENGTHS).map(set),
			fc.nat(50).map(turnOff),
			fc.integer({ min: 0, max: 40 }).map(pass),
			fc.constant(pass(30_000)),
		],
		{ maxCommands: 100 },
	);
	fc.assert(
		fc.property(commands, (steps) => {
			const model: Model = { now: 0, next: 0, pending: [], rung: [] };
			fc.modelRun(() => ({ model, real: { world: createWorld(), turnOff: new Map() } }), steps);
		}),
		{ numRuns: 1_000 },
	);
});

test('a thousand alarms need one timer, and none once all are off and their time is over', () => {
	const world = createWorld();
	const all = Array.from({ length: 1_000 }, (_, number) => world.set(30_000, number));
	expect(world.timers()).toBe(1);
	for (const turnAlarmOff of all) turnAlarmOff();
	world.pass(30_000);
	expect(world.timers()).toBe(0);
	expect(world.rung).toEqual([]);
});

test('an alarm that throws does not keep those after it from ringing', () => {
	const world = createWorld();
	world.set(10, 1, () => {
		throw new Error('of the first');
	});
	world.set(10, 2);
	expect(() => world.pass(10)).toThrow('of the first');
	world.pass(0);
	expect(world.rung).toEqual([1, 2]);
});

test('an alarm that sets another one of its length', () => {
	const world = createWorld();
	world.set(10, 1, () => void world.set(10, 2));
	world.pass(19);
	expect(world.rung).toEqual([1]);
	world.pass(1);
	expect(world.rung).toEqual([1, 2]);
	expect(world.timers()).toBe(0);
});
