import { createHmac, timingSafeEqual } from 'node:crypto';
import { problem } from './problem.ts';

/** Turns the last record of a page into a cursor and back. */
export interface Cursors {
	encode(cardId: string, recordId: string): string;
	/** @throws ProblemError invalid-cursor: not one of ours, changed, or of another card */
	decode(cardId: string, cursor: string): string;
}

const macBytes = 12;

/**
 * Makes opaque cursors: the id of the last record seen, and a MAC over it and the card. As a page
 * starts after an id and not at an offset, records that come and go meanwhile shift nothing.
 * @param key kept with the data, so that cursors survive a restart
 */
export function createCursors(key: string): Cursors {
	const mac = (cardId: string, recordId: string) =>
		createHmac('sha256', key).update(`${cardId}\n${recordId}`).digest().subarray(0, macBytes);
	return {
		encode(cardId, recordId) {
			return Buffer.concat([mac(cardId, recordId), Buffer.from(recordId)]).toString('base64url');
		},
		decode(cardId, cursor) {
			const bytes = Buffer.from(cursor, 'base64url');
			const recordId = bytes.subarray(macBytes).toString();
			const given = bytes.subarray(0, macBytes);
			if (given.length !== macBytes || !timingSafeEqual(given, mac(cardId, recordId))) {
				throw problem(
					'invalid-cursor',
					`The cursor is not one that was given out for card "${cardId}".`,
				);
			}
			return recordId;
		},
	};
}
