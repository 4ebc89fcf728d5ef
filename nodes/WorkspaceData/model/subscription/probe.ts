/**
 * A probe is a request to n8n's own webhook address. It checks that the address has what was saved last. A
 * copy of the database, or another n8n at this address, doesn't have it, and no other server sends these
 * responses by accident.
 */
import { randomBytes } from 'node:crypto';
import { isSigned, sign } from '../../trigger/signature';
import type { ProbeResult } from './subscriptionRules';

const NONCE_BYTES = 16;

/** The header that marks a probe, in lower case as in Node.js: its nonce, and a proof of the credential. */
export const PROBE_HEADER = 'x-workspace-data-probe';

/** The key with which the processes of one n8n recognize each other's probes: they share the credential. */
const probeKey = (ownSecret: string): string =>
	proofOf('n8n-nodes-workspace-data probe', ownSecret);

/** n8n accepts JSON only. */
const bodyOf = (mark: string): string => JSON.stringify({ mark });

const proofOf = (statement: string, key: string): string => sign(Buffer.from(statement), key);

/**
 * Creates a probe, and a function that reads its response. Any response that isn't from this node is
 * `none`.
 */
export function writeProbe(mark: string, ownSecret: string) {
	const key = probeKey(ownSecret);
	const nonce = randomBytes(NONCE_BYTES).toString('hex');
	const body = bodyOf(mark);
	const header = `${nonce}.${proofOf(`probe ${nonce} ${body}`, key)}`;
	return {
		body,
		nonce,
		headers: { [PROBE_HEADER]: header },
		read({ status, body: said }: { status: number; body: unknown }): ProbeResult {
			if (status === 200 && said === proofOf(`saved ${nonce}`, key)) return 'yes';
			return status === 401 && said === proofOf(`not saved ${nonce}`, key) ? 'no' : 'none';
		},
	};
}

/**
 * The response to a probe from a process with the credential; undefined for any other request.
 *
 * @param body the body as received
 * @param header the header that marks a probe
 * @param mark the saved mark; empty if there is none
 */
export function answerProbe(
	body: Uint8Array,
	header: unknown,
	mark: string,
	ownSecret: string,
): { status: 200 | 401; text: string; nonce: string } | undefined {
	const [, nonce = '', proof = ''] = /^([^.]+)\.([0-9a-f]{64})$/.exec(String(header)) ?? [];
	const key = probeKey(ownSecret);
	const sent = Buffer.concat([Buffer.from(`probe ${nonce} `), body]);
	if (!isSigned(sent, proof, [key])) return undefined;
	const isSaved = mark !== '' && Buffer.from(body).toString() === bodyOf(mark);
	const said = isSaved ? 'saved' : 'not saved';
	return { status: isSaved ? 200 : 401, text: proofOf(`${said} ${nonce}`, key), nonce };
}
