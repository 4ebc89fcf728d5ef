/** Cursors: the last record of a page, bound to its card. */
import { problem } from '../foundation/problem.ts';

/**
 * Makes a cursor. As a page starts after an ID and not at an offset, records that come and go meanwhile shift nothing.
 * @param recordId the last record that was seen
 */
export function encodeCursor(cardId: string, recordId: string): string {
	return Buffer.from(`${cardId}\n${recordId}`).toString('base64url');
}

/** @throws ProblemError invalid-cursor: not one of ours, or of another card */
export function decodeCursor(cardId: string, cursor: string): string {
	const text = Buffer.from(cursor, 'base64url').toString();
	const recordId = text.slice(cardId.length + 1);
	if (encodeCursor(cardId, recordId) === cursor) return recordId;
	throw problem('invalid-cursor', `The cursor is not one that was returned for card "${cardId}".`);
}
