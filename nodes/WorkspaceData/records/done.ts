/** What a run has written so far. If it fails halfway, its error says so. */
import type { JsonObject } from '../values/jsonObject';

/** The approximate maximum of characters that an error's details hold. */
const MAX_CHARACTERS = 1_000_000;

export type WrittenAs = 'created' | 'updated' | 'deleted';

export class Done {
	/** What was added to cards, in words: the error that ends the run says so. */
	readonly additions: string[] = [];
	private readonly items: JsonObject[] = [];
	private readonly ids: Record<WrittenAs, string[]> = { created: [], updated: [], deleted: [] };
	private size = 0;

	/** Notes a written record, card or field. @param item its output item */
	add(as: WrittenAs, id: string, item: JsonObject): void {
		this.ids[as].push(id);
		if (this.size > MAX_CHARACTERS) return;
		this.size += JSON.stringify(item).length;
		if (this.size <= MAX_CHARACTERS) this.items.push(item);
	}

	/** The number of writes. */
	get count(): number {
		return Object.values(this.ids).reduce((sum, ids) => sum + ids.length, 0);
	}

	/** The first output items, as many as an error's details hold. */
	get details(): { done: JsonObject[]; doneCount: number; truncated: boolean } {
		const { count } = this;
		return { done: this.items, doneCount: count, truncated: this.items.length < count };
	}

	/** Lists the IDs by what became of them, each line with at most `most` of them. */
	lines(most: number): string[] {
		return Object.entries(this.ids).flatMap(([as, ids]) =>
			Array.from({ length: Math.ceil(ids.length / most) }, (_, place) => {
				const part = ids.slice(place * most, (place + 1) * most);
				return `${ids.length} ${as}: ${part.join(', ')}`;
			}),
		);
	}
}
