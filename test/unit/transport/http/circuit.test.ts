import * as fc from 'fast-check';
import {
	circuitOf,
	createCircuit,
	replyOf,
} from '../../../../nodes/WorkspaceData/transport/http/circuit';
import { NetworkFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { createTestClock } from '../../../support/clock';

test('opens after so many silences in a row, lets one probe pass after five seconds, closes with an answer', () => {
	const clock = createTestClock();
	const circuit = createCircuit(2, clock);
	circuit.leave('timedOut', circuit.enter() ?? false);
	circuit.leave('answered', circuit.enter() ?? false);
	circuit.leave('timedOut', circuit.enter() ?? false);
	expect(circuit.enter()).toBe(false);
	circuit.leave('timedOut', false);
	expect(circuit.enter()).toBeUndefined();
	clock.pass(5_000);
	expect(circuit.enter()).toBe(true);
	expect(circuit.enter()).toBeUndefined();
	circuit.leave('answered', true);
	expect(circuit.enter()).toBe(false);
});

test('a probe without an answer doubles the pause, up to a minute; one that was cancelled makes way', () => {
	const clock = createTestClock();
	const circuit = createCircuit(1, clock);
	circuit.leave('timedOut', circuit.enter() ?? false);
	for (const pause of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
		clock.pass(pause - 1);
		expect(circuit.enter()).toBeUndefined();
		clock.pass(1);
		expect(circuit.enter()).toBe(true);
		circuit.leave('unknown', true);
		expect(circuit.enter()).toBe(true);
		circuit.leave('timedOut', true);
	}
});

test('any course of events: never two probes at once, closed after an answer, open within the pause', () => {
	const events = fc.array(
		fc.oneof(
			fc.constant<'enter'>('enter'),
			fc.constantFrom<'answered' | 'timedOut' | 'unknown'>('answered', 'timedOut', 'unknown'),
			fc.integer({ min: 1, max: 90_000 }),
		),
		{ maxLength: 60 },
	);
	fc.assert(
		fc.property(events, fc.integer({ min: 1, max: 4 }), (course, threshold) => {
			const clock = createTestClock();
			const circuit = createCircuit(threshold, clock);
			const under: boolean[] = [];
			let row = 0;
			let lastSilence = -Infinity;
			for (const event of course) {
				if (typeof event === 'number') clock.pass(event);
				else if (event === 'enter') {
					const passed = circuit.enter();
					if (row < threshold) expect(passed).toBe(false);
					else if (under.includes(true) || clock.now() - lastSilence < 5_000)
						expect(passed).toBeUndefined();
					else if (clock.now() - lastSilence >= 60_000) expect(passed).toBe(true);
					if (passed !== undefined) under.push(passed);
				} else if (under.length > 0) {
					circuit.leave(event, under.shift() ?? false);
					if (event === 'answered') row = 0;
					if (event === 'timedOut') {
						row += 1;
						lastSilence = clock.now();
					}
				}
				expect(under.filter(Boolean).length).toBeLessThanOrEqual(1);
			}
		}),
	);
});

test('C11: one circuit for each origin and clock, opened by the first time-out', () => {
	const clock = createTestClock();
	const circuit = circuitOf('https://data.example.com/api/v1', clock);
	circuit.leave('timedOut', circuit.enter() ?? false);
	expect(circuitOf('https://data.example.com/other', clock).enter()).toBeUndefined();
	expect(circuitOf('https://auth.example.com', clock).enter()).toBe(false);
	expect(circuitOf('https://data.example.com', createTestClock()).enter()).toBe(false);
});

test('only a silence of seconds counts, except for a probe', () => {
	const silence = new NetworkFailure('ETIMEDOUT', 'no answer', true, true);
	expect(replyOf(silence, 10_000, false)).toBe('timedOut');
	expect(replyOf(silence, 5_000, false)).toBe('timedOut');
	expect(replyOf(silence, 4_999, false)).toBe('unknown');
	expect(replyOf(silence, 200, false)).toBe('unknown');
	const aborted = new NetworkFailure('ECONNABORTED', 'no answer', true, true);
	expect(replyOf(aborted, 10_000, false)).toBe('timedOut');
	expect(replyOf(silence, 1_500, true)).toBe('timedOut');
	expect(replyOf(new NetworkFailure('ECONNREFUSED', 'refused', false, true), 9, false)).toBe(
		'answered',
	);
	expect(replyOf({ status: 500 }, 9_000, false)).toBe('answered');
});
