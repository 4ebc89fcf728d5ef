/** What the items of a run share about one card. */
import { systemClock } from '../../transport/http/clock';
import { closeLog, openLog } from './acrossRuns';
import { CardLog } from './cardLog';
import { ChangeTrial } from './changeTrial';
import { Counts } from './counts';
import type { CardReference, RunParts } from './listings';

export class CardRun {
	readonly card: CardReference;
	readonly isDry: boolean;
	/** What this process does to the card; a dry run has a log of its own. */
	readonly log: CardLog;
	readonly counts = new Counts();
	/** Finds out what the service does with the values that a change doesn't name. */
	readonly trial: ChangeTrial;
	/** The keys of the items so far. A record with such a key belongs to its item. */
	readonly itemKeys = new Set<string>();
	/** The number of records whose key the service has stored in another spelling. */
	otherSpellings = 0;
	/** The number of records that a dry run would have created. */
	predicted = 0;

	/** @param address the card's address */
	constructor(run: RunParts, card: CardReference, address: string, isDry: boolean) {
		this.card = card;
		this.isDry = isDry;
		this.trial = new ChangeTrial(run, card);
		this.log = isDry ? new CardLog() : openLog(address, this);
		if (isDry) this.log.open(this);
	}

	/** The hint at the end of the run; undefined if there is nothing to say. */
	get hint(): string | undefined {
		const told = this.counts.inWords(this.isDry);
		return told && `${this.isDry ? 'Dry run of card' : 'Card'} '${this.card.name}': ${told}`;
	}

	/** Releases what it holds in the process. */
	close(): void {
		closeLog(this.log, this, systemClock.now());
	}
}
