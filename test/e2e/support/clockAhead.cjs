/**
 * Loaded into n8n by NODE_OPTIONS: its clock is ahead by the milliseconds in the file CLOCK_AHEAD_FILE, as if they
 * had passed. Read at the start and at each SIGUSR2, which also makes the crons tick that are due by then: one after the
 * other, as those of different nodes do.
 */
const { readFileSync } = require('node:fs');

const { setTimeout: set, clearTimeout: clear } = globalThis;
const now = Date.now;
let aheadMs = 0;
const APART_MS = 500;
/** The timers of crons, and when they are due by the clock that is ahead. */
const crons = new Map();

const isCron = () => /[\\/]cron[\\/]/.test(new Error().stack.split('\n')[3]);

function setAhead(callback, ms, ...rest) {
	if (!(ms > 1_000) || !isCron()) return set(callback, ms, ...rest);
	const tick = () => {
		crons.delete(timer);
		clear(timer);
		callback(...rest);
	};
	const timer = set(tick, ms);
	crons.set(timer, { tick, dueAt: Date.now() + ms });
	return timer;
}

function clearAhead(timer) {
	crons.delete(timer);
	clear(timer);
}

function read() {
	aheadMs = Number(readFileSync(process.env.CLOCK_AHEAD_FILE, 'utf8'));
	const due = [...crons].filter(([, { dueAt }]) => dueAt <= Date.now());
	for (const [place, [timer, { tick }]] of due.entries()) {
		crons.delete(timer);
		set(tick, place * APART_MS);
	}
}

Date.now = () => now() + aheadMs;
globalThis.setTimeout = Object.defineProperties(setAhead, Object.getOwnPropertyDescriptors(set));
globalThis.clearTimeout = clearAhead;
process.on('SIGUSR2', read);
read();
