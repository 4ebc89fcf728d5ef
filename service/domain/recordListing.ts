/** Reading the records of a card: pages for clients; counts and searches for people. */
import { heavyBytes, type Turn } from '../foundation/heavyWork.ts';
import type { Quotas } from '../foundation/quotas.ts';
import { inSlices } from '../foundation/slices.ts';
import { afterAll, type StoredRecord } from '../storage/recordRows.ts';
import type { Store } from '../storage/store.ts';
import type { Cards } from './cards.ts';
import { toShown } from './recordData.ts';

/** A record as the API shows it. */
export interface ApiRecord {
	id: string;
	data: Record<string, unknown>;
	created_at: string;
}

/** Longest time that a search takes, in ms. */
const maximumSearchMs = 2_000;

/** Whether one of the values has a text, in lower case. */
function hasText({ data }: ApiRecord, wanted: string): boolean {
	if (wanted === '') return true;
	return Object.values(data).some((value) => {
		const text = typeof value === 'string' ? value : JSON.stringify(value);
		return text.toLowerCase().includes(wanted);
	});
}

/** A record as the API shows it, with the present ids of its card's fields. */
export function showRecord({ fields }: Store, cardId: string, record: StoredRecord): ApiRecord {
	return {
		id: record.id,
		data: toShown(record.data, fields.of(cardId)),
		created_at: record.created_at,
	};
}

/** Gives the operations that read many records. Each serves others in between. */
export function createRecordListing(store: Store, cards: Cards, quotas: Pick<Quotas, 'pageBytes'>) {
	const { records } = store;

	return {
		/**
		 * At most `limit` records after an id ('' for the first), oldest first; fewer where they are large. A large page
		 * is read in pieces, each in its turn.
		 */
		async page(
			workspaceId: string,
			cardId: string,
			{ after, limit }: { after: string; limit: number },
			turn: Turn,
		) {
			cards.get(workspaceId, cardId);
			const found: ApiRecord[] = [];
			let [last, bytes, isLarge] = [after, 0, false];
			for (;;) {
				// The first piece is a small page. The rest of a larger one is read in pieces that wait for their turn.
				const room = (isLarge ? quotas.pageBytes : heavyBytes) - bytes;
				const takesOne = isLarge && found.length === 0;
				const piece = records.piece(cardId, last, limit - found.length, room, takesOne);
				for (const record of piece.records) found.push(showRecord(store, cardId, record));
				const { end } = piece;
				const isWhole = end === 'card' || end === 'limit' || (end === 'room' && isLarge);
				if (isWhole) return { records: found, more: end !== 'card' };
				last = piece.records.at(-1)?.id ?? last;
				bytes += piece.bytes;
				isLarge = true;
				await turn();
			}
		},
		/** Whether reading a record is a large piece of work. */
		isLarge: (cardId: string, id: string) => records.bytesOf(cardId, id) >= heavyBytes,
		/** How many records a card has; counted in slices. */
		async count(workspaceId: string, cardId: string): Promise<number> {
			cards.get(workspaceId, cardId);
			let [count, after] = [0, ''];
			await inSlices(() => {
				const { n, last } = records.countSome(cardId, after);
				count += n;
				after = last;
				return last !== '';
			});
			return count;
		},
		/**
		 * Records for a person to look at, newest first.
		 * @param query `text` that one of the values has, in any case ('' for all); only records `before` an id; at most
		 * `limit`
		 * @returns `next`: the id to continue before, null at the end. A long search ends early, with what it has found
		 */
		async search(
			workspaceId: string,
			cardId: string,
			query: { text: string; before?: string | undefined; limit: number },
		): Promise<{ records: ApiRecord[]; next: string | null }> {
			cards.get(workspaceId, cardId);
			const wanted = query.text.toLowerCase();
			const found: ApiRecord[] = [];
			let next: string | null = query.before ?? afterAll;
			const until = performance.now() + maximumSearchMs;
			await inSlices(() => {
				const some: StoredRecord[] = records.someBefore(cardId, next ?? '');
				for (const record of some) {
					if (found.length === query.limit) return false;
					next = record.id;
					const shown = showRecord(store, cardId, record);
					if (hasText(shown, wanted)) found.push(shown);
				}
				if (some.length === 0) next = null;
				return next !== null && performance.now() < until;
			});
			return { records: found, next };
		},
	};
}
