/** What is written to a card, from its fields to its plan. */
import type { DataRecord, RequestOptions } from '../transport/api';
import type { Entry } from './entry';
import { FieldIndex } from './fieldIndex';
import type { Growth } from './growth';
import type { Plan } from './overlay';
import type { CardReference, Run } from './run';
import { StepOutput } from './stepOutput';

export interface CardWork {
	card: CardReference;
	entries: Entry[];
	isDry: boolean;
	request: RequestOptions;
	/** True if the items only decide what is added to the card. */
	growsOnly?: boolean;
	/** True if the output isn't that of its records. */
	isSilent?: boolean;
	/** Creates the card, if it doesn't exist. */
	create?: () => Promise<CardReference>;
	index: FieldIndex;
	/** What is added to the card first. */
	growth?: Growth | undefined;
	records?: DataRecord[] | undefined;
	plan: Plan;
	output: StepOutput;
}

/** Begins what is written to a card, with its first item. */
export function newWork(run: Run, first: Entry): CardWork {
	const { card, isDry, settings } = first;
	const index = new FieldIndex([], card.name);
	const output = new StepOutput({ ...first, run, index });
	const plan = { items: [], deletions: [] };
	return { card, entries: [first], isDry, request: settings.request, index, plan, output };
}

/** True if an item of a card has no error so far. */
export const hasWork = ({ entries }: Pick<CardWork, 'entries'>): boolean =>
	entries.some(({ result }) => result.error === undefined);
