/** Counts what a run does to the records of a card, for a hint at its end. */
import type { FieldIndex } from '../../model/fieldIndex';
import { count, listed, quote } from '../../model/messageText';
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/jsonObject';
import { isEmpty } from '../../model/value/emptyValue';

/** The maximum number of fields in a hint. */
const MAX_NAMED = 20;

export class Counts {
	/** The number of records by what became of them. */
	readonly records = { created: 0, updated: 0, deleted: 0, unchanged: 0 };
	/** The number of records that lost a value, by the key of its field. */
	private readonly cleared = new Map<string, number>();

	/**
	 * Counts the values that a change clears.
	 *
	 * @param sent the values that are sent, keyed by field ID
	 * @param earlier the record before the change, if it is known
	 */
	clear(index: FieldIndex, sent: JsonObject, earlier: DataRecord | undefined): void {
		for (const [id, value] of Object.entries(sent)) {
			const field = index.byId(id);
			const isLost = isEmpty(value) && !(earlier && isEmpty(ownValue(earlier.data, id)));
			if (!field || !isLost) continue;
			const key = index.keyOf(field);
			this.cleared.set(key, (this.cleared.get(key) ?? 0) + 1);
		}
	}

	/** For example `1 record would be created, 2 updated; 3 unchanged; cleared: 'Note' in 1 record`; empty if nothing counts. */
	inWords(isDry: boolean): string {
		const { unchanged, ...changes } = this.records;
		const isCounted = Object.values(this.records).some((number) => number > 0);
		const cleared = [...this.cleared].map(
			([key, number]) => `${quote(key)} in ${count(number, 'record')}`,
		);
		return [
			...(isCounted ? [changesInWords(changes, isDry)] : []),
			...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
			...(cleared.length > 0 ? [`cleared: ${listed(cleared, MAX_NAMED)}`] : []),
		].join('; ');
	}
}

function changesInWords(changes: Record<string, number>, isDry: boolean): string {
	const parts = Object.entries(changes).filter(([, number]) => number > 0);
	const told = parts.map(([what, number], place) =>
		place === 0
			? `${count(number, 'record')} ${isDry ? 'would be ' : ''}${what}`
			: `${number} ${what}`,
	);
	return told.join(', ') || (isDry ? 'nothing would change' : 'nothing changed');
}
