/** What the items of a run share about one card. */
import type { FieldIndex } from '../../records/fieldIndex';
import { count, listed, quote } from '../../values/messageText';
import type { DataRecord } from '../../model/response/record';
import { type JsonObject, ownValue } from '../../model/response/jsonObject';
import { isEmpty } from '../../values/emptyValue';
import { systemClock } from '../../transport/http/clock';
import { closeLog, openLog } from './acrossRuns';
import { CardLog } from './cardLog';
import { ChangeTrial } from './changeTrial';
import type { CardReference, RunParts } from './listings';

/** The maximum number of fields in a hint. */
const MAX_NAMED = 20;

export class CardRun {
	readonly card: CardReference;
	readonly isDry: boolean;
	/** What this process does to the card; a dry run has a log of its own. */
	readonly log: CardLog;
	/** The number of records by what became of them. */
	readonly counts = { created: 0, updated: 0, deleted: 0, unchanged: 0 };
	/** Finds out what the service does with the values that a change doesn't name. */
	readonly trial: ChangeTrial;
	/** The keys of the items so far. A record with such a key belongs to its item. */
	readonly itemKeys = new Set<string>();
	/** The number of records whose key the service has stored in another spelling. */
	otherSpellings = 0;
	/** The number of records that a dry run would have created. */
	predicted = 0;
	/** The number of records that lost a value, by the key of its field. */
	private readonly cleared = new Map<string, number>();

	/** @param address the card's address */
	constructor(run: RunParts, card: CardReference, address: string, isDry: boolean) {
		this.card = card;
		this.isDry = isDry;
		this.trial = new ChangeTrial(run, card);
		this.log = isDry ? new CardLog() : openLog(address, this);
		if (isDry) this.log.open(this);
	}

	/**
	 * Counts the values that a change clears.
	 *
	 * @param sent the values that are sent, keyed by field ID
	 * @param earlier the record before the change, if it is known
	 */
	countCleared(index: FieldIndex, sent: JsonObject, earlier: DataRecord | undefined): void {
		for (const [id, value] of Object.entries(sent)) {
			const field = index.byId(id);
			const isLost = isEmpty(value) && !(earlier && isEmpty(ownValue(earlier.data, id)));
			if (!field || !isLost) continue;
			const key = index.keyOf(field);
			this.cleared.set(key, (this.cleared.get(key) ?? 0) + 1);
		}
	}

	/**
	 * The hint at the end of the run, for example `Card 'A': 1 record created, 2 updated; 3 unchanged; cleared 'Note' in 1
	 * record`; undefined if nothing counts.
	 */
	get hint(): string | undefined {
		const { unchanged, ...changes } = this.counts;
		const isCounted = Object.values(this.counts).some((number) => number > 0);
		const cleared = [...this.cleared].map(
			([key, number]) => `${quote(key)} in ${count(number, 'record')}`,
		);
		const told = [
			...(isCounted ? [changesInWords(changes, this.isDry)] : []),
			...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
			...(cleared.length > 0 ? [`cleared ${listed(cleared, MAX_NAMED)}`] : []),
		];
		if (told.length === 0) return undefined;
		return `${this.isDry ? 'Dry run of card' : 'Card'} '${this.card.name}': ${told.join('; ')}`;
	}

	/** Releases what it holds in the process. */
	close(): void {
		closeLog(this.log, this, systemClock.now());
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
