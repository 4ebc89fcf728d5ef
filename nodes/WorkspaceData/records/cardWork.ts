/** What is written to a card, from its fields to its plan. */
import type { DataRecord } from '../transport/api';
import type { Entry } from './entry';
import { FieldIndex } from './fieldIndex';
import type { Growth } from './growth';
import type { MatchKey } from './matchKey';
import type { Plan, Wish } from './planned';
import type { CardReference, Run } from './run';
import { StepOutput, type Marks } from './stepOutput';

/** All that is written to a card. */
export interface CardWork {
	card: CardReference;
	entries: Entry[];
	isDry: boolean;
	marks: Marks;
	/** True if the items only decide what is added to the card. */
	growsOnly?: boolean;
	/** True if the output isn't that of its records. */
	isSilent?: boolean;
	/** Creates the card, if it doesn't exist. */
	create?: () => Promise<CardReference>;
	index: FieldIndex;
	/** What is added to the card first. */
	growth?: Growth | undefined;
	key?: MatchKey | undefined;
	/** What the items write; dropped once it is planned. */
	wishes: Wish[];
	records?: DataRecord[] | undefined;
	plan: Plan;
	output: StepOutput;
}

/** What is written to a card, begun with its first item. */
export function newWork(run: Run, card: CardReference, entry: Entry, marks: Marks): CardWork {
	const { isDry } = entry;
	const index = new FieldIndex([], card.name);
	const plan = { steps: [], refused: new Map(), missing: new Set<number>(), deletions: [] };
	const output = new StepOutput(run, card, index, { isDry, marks });
	return { card, entries: [entry], isDry, marks, index, wishes: [], plan, output };
}
