/**
 * A probe: a request by which n8n asks, at its own webhook address, whether a subscription is saved. It is
 * signed like a delivery. The answers are such that no other server gives them by accident.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod/v3';
import { parseJsonText } from '../answer/json';
import { sign } from '../signature';
import type { StoredSubscriptions } from './stored';
import type { ProbeAnswer } from './events';

/** Header that marks a probe, in lower case as Node.js gives it; its value is a number used once. */
export const PROBE_HEADER = 'x-workspace-data-probe';

const probeSchema = z.object({
	probe: z.string(),
	/** Ids of the other subscriptions that may be saved. */
	known: z.array(z.string()),
});

/** The body of a probe. */
export const writeProbe = (nonce: string, known: readonly string[]): string =>
	JSON.stringify({ probe: nonce, known });

/**
 * The ids that a probe names as known; undefined if it is not one, or not that of its header.
 *
 * @param text the body, whose signature has been verified
 */
export function readProbe(text: string, nonce: unknown): string[] | undefined {
	const probe = probeSchema.safeParse(parseJsonText(text)).data;
	return probe?.probe === nonce ? probe?.known : undefined;
}

/** Proves that the subscription's secret is saved. No body of a delivery begins like this. */
export const savedProof = (nonce: string, secret: string): string =>
	sign(Buffer.from(`saved ${nonce}`), secret);

/** Tells that the answer comes from this node. Whoever has no secret can make no better proof. */
export const notSavedMark = (nonce: string): string =>
	createHash('sha256').update(`not saved ${nonce}`).digest('hex');

/** Whether a probe's subscription is all that is saved, apart from the ones named in the probe. */
export const isAllSaved = ({ retired }: StoredSubscriptions, known: readonly string[]): boolean =>
	retired.every(({ id }) => known.includes(id));

/** Reads the answer to a probe; anything but the two that this node gives is `unknown`. */
export function readProbeAnswer(
	{ status, body }: { status: number; body: unknown },
	nonce: string,
	secret: string,
): ProbeAnswer {
	if (status === 200 && body === savedProof(nonce, secret)) return 'confirmed';
	return status === 401 && body === notSavedMark(nonce) ? 'refused' : 'unknown';
}
