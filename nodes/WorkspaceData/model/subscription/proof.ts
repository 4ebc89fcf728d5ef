/**
 * A probe: a request by which n8n asks, at its own webhook address, whether a subscription is saved. It is
 * signed like a delivery. The answers are such that no other server gives them by accident.
 */
import { hkdfSync } from 'node:crypto';
import { z } from 'zod/v3';
import { parseJsonText } from '../answer/json';
import { isSigned, sign } from '../signature';
import type { StoredSubscriptions } from './stored';
import type { ProbeAnswer } from './eventsAndEffects';

const KEY_BYTES = 32;

/** Header that marks a probe, in lower case as Node.js gives it. See `writeProbeHeader`. */
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

/** The key by which the processes of one n8n know each other's probes: they have the credential in common. */
export const probeKey = (ownSecret: string): string =>
	Buffer.from(
		hkdfSync('sha256', ownSecret, '', 'n8n-nodes-workspace-data probe', KEY_BYTES),
	).toString('base64');

/** The header of a probe: its nonce, and a proof that it comes from a process with the credential. */
export const writeProbeHeader = (nonce: string, body: string, key: string): string =>
	`${nonce}.${sign(Buffer.from(`probe ${nonce} ${body}`), key)}`;

/** What the header of a probe says. */
export interface ProbeHeader {
	nonce: string;
	/** Comes from a process with the credential, if it is right. */
	proof: string;
}

/** Reads the header of a probe; undefined if it is none. */
export function readProbeHeader(header: unknown): ProbeHeader | undefined {
	if (typeof header !== 'string' || !/^[^.]+\.[0-9a-f]{64}$/.test(header)) return undefined;
	const [nonce = '', proof = ''] = header.split('.');
	return { nonce, proof };
}

/** Whether a probe comes from a process with the credential. */
export const isFromOwnNode = (
	{ nonce, proof }: ProbeHeader,
	body: Uint8Array,
	key: string,
): boolean => isSigned(Buffer.concat([Buffer.from(`probe ${nonce} `), body]), proof, [key]);

/** Says that a subscription is not saved. Nobody without the credential can make it. */
export const notSavedMark = (nonce: string, key: string): string =>
	sign(Buffer.from(`not saved ${nonce}`), key);

/** Whether a probe's subscription is all that is saved, apart from the ones named in the probe. */
export const isAllSaved = ({ retired }: StoredSubscriptions, known: readonly string[]): boolean =>
	retired.every(({ id }) => known.includes(id));

/** Reads the answer to a probe; anything but the two that this node gives is `unknown`. */
export function readProbeAnswer(
	{ status, body }: { status: number; body: unknown },
	nonce: string,
	{ secret, key }: { secret: string; key: string },
): ProbeAnswer {
	if (status === 200 && body === savedProof(nonce, secret)) return 'confirmed';
	return status === 401 && body === notSavedMark(nonce, key) ? 'refused' : 'unknown';
}
