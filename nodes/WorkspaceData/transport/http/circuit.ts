/** Circuit breaker: after repeated time-outs, requests fail at once. */
import { BoundedMap } from '../../model/boundedMap';
import { systemClock, type Clock } from './clock';
import { Failure } from '../failure/failures';

/** Time-outs in a row after which the rest of an execution fails at once. */
export const MAX_TIMEOUTS = 3;
/** How long nothing is sent once a circuit opens, in ms; doubles with each probe that gets no answer. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
/** The time limit of a probe for an impatient request, in ms. */
export const PROBE_TIMEOUT_MS = 1_500;
const MAX_ORIGINS = 1_000;
/** A time-out after less than this, in ms, tells nothing about a service: the limit may just be short. */
const MIN_TIMEOUT_MS = 5_000;

/**
 * Remembers that a service does not answer. Closed: everything passes. Open, after a number of time-outs in a row:
 * everything fails at once. Half-open, after a pause: one request passes, as a probe; an answer closes
 * the circuit, another time-out opens it again.
 */
export interface Circuit {
	/** Whether a request may be sent now: as the probe, or as any other; undefined: it may not. */
	enter(): boolean | undefined;
	/** Must follow each `enter` that let a request pass. */
	leave(reply: Reply, probe: boolean): void;
}

/** The service answered, or closed the connection; it did not in time; or neither is known. */
export type Reply = 'answered' | 'timedOut' | 'unknown';

/**
 * Creates a closed circuit.
 *
 * @param threshold time-outs in a row that open it
 */
export function createCircuit(threshold: number, clock: Clock = systemClock): Circuit {
	let timeOuts = 0;
	let pause = FIRST_PAUSE_MS;
	let openUntil = 0;
	let probing = false;

	const isOpen = () => timeOuts >= threshold;

	return {
		enter() {
			const probe = isOpen();
			if (probe && (probing || clock.now() < openUntil)) return undefined;
			probing ||= probe;
			return probe;
		},
		leave(reply, probe) {
			if (probe) probing = false;
			if (reply === 'answered') {
				timeOuts = 0;
				pause = FIRST_PAUSE_MS;
			} else if (reply === 'timedOut') {
				timeOuts += 1;
				if (!isOpen()) return;
				if (probe) pause = Math.min(pause * 2, MAX_PAUSE_MS);
				openUntil = clock.now() + pause;
			}
		},
	};
}

/**
 * The outcome of one try, for a circuit.
 *
 * @param outcome of the try: an answer, or why there is none
 */
export function replyOf(outcome: unknown, waitedMs: number, probe: boolean): Reply {
	const code = outcome instanceof Failure ? outcome.httpCode : undefined;
	if (code !== 'ETIMEDOUT' && code !== 'ECONNABORTED') return 'answered';
	return probe || waitedMs >= MIN_TIMEOUT_MS ? 'timedOut' : 'unknown';
}

/** The circuits of servers that this process has sent requests to, by the clock that tells when. */
const origins = new WeakMap<Clock, BoundedMap<string, Circuit>>();

/**
 * The circuit of a service or an auth server, shared by this whole process: the first time-out
 * opens it. For calls that somebody waits for, such as those of the editor and of n8n's start.
 *
 * @param url any address of the server
 */
export function circuitOf(url: string, clock: Clock = systemClock): Circuit {
	const known = origins.get(clock) ?? new BoundedMap<string, Circuit>(MAX_ORIGINS);
	origins.set(clock, known);
	return known.getOrCreate(new URL(url).origin, () => createCircuit(1, clock));
}
