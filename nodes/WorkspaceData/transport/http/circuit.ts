/** Who does not answer is not waited for again and again: a circuit breaker. */
import { BoundedMap } from '../../model/boundedMap';
import { systemClock, type Clock } from './clock';
import { Failure } from '../failure/failures';

/** How long nothing is sent once a circuit opens, in ms; doubles with each probe that gets no answer. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
/** The longest that somebody who cannot wait waits for a probe, in ms. */
export const PROBE_TIMEOUT_MS = 1_500;
const MAX_ORIGINS = 1_000;
/** A shorter silence, in ms, tells nothing about a service: somebody may just be in a hurry. */
const MIN_SILENCE_MS = 5_000;

/**
 * Remembers that a service is silent. Closed: everything passes. Open, after a number of time-outs in a row:
 * everything fails at once. Half-open, after a pause: one request passes, as a probe; an answer closes
 * the circuit, another time-out opens it again.
 */
export interface Circuit {
	/** Whether a request may be sent now: as the probe, or as any other; undefined: it may not. */
	enter(): boolean | undefined;
	/** Must follow each `enter` that let a request pass. */
	leave(sound: Sound, probe: boolean): void;
}

/** The service answered, or closed the connection; it kept silent; or neither is known. */
export type Sound = 'heard' | 'silent' | 'unknown';

/**
 * Creates a closed circuit.
 *
 * @param threshold time-outs in a row that open it
 */
export function createCircuit(threshold: number, clock: Clock = systemClock): Circuit {
	let silences = 0;
	let pause = FIRST_PAUSE_MS;
	let openUntil = 0;
	let probing = false;

	const isOpen = () => silences >= threshold;

	return {
		enter() {
			const probe = isOpen();
			if (probe && (probing || clock.now() < openUntil)) return undefined;
			probing ||= probe;
			return probe;
		},
		leave(sound, probe) {
			if (probe) probing = false;
			if (sound === 'heard') {
				silences = 0;
				pause = FIRST_PAUSE_MS;
			} else if (sound === 'silent') {
				silences += 1;
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
export function soundOf(outcome: unknown, waitedMs: number, probe: boolean): Sound {
	const code = outcome instanceof Failure ? outcome.httpCode : undefined;
	if (code !== 'ETIMEDOUT' && code !== 'ECONNABORTED') return 'heard';
	return probe || waitedMs >= MIN_SILENCE_MS ? 'silent' : 'unknown';
}

/** The servers that this process has asked lately, by the clock that tells when. */
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
