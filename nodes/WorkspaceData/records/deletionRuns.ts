/** A Sync deletes in a card once in an execution, and never in a loop: each run would delete what the others have written. */
import { InputError } from '../values/inputError';
import type { CardReference, Run } from './run';

/** The cards in which nodes have deleted, by execution: it has one signal for all of its nodes. */
const deletedIn = new WeakMap<AbortSignal, Set<string>>();

/**
 * Requires that a Sync may delete in a card.
 *
 * @throws InputError before anything is sent
 */
export function requireFirstDeletion({ context, api }: Run, card: CardReference): void {
	const { name } = context.getNode();
	if (api.signal && deletedIn.get(api.signal)?.has(keyOf(name, api.address, card))) {
		throw new InputError(
			`This node has already deleted records of card '${card.name}' in this execution, and would now delete what it wrote before`,
			"Nothing was sent. Use a 'Merge' or 'Aggregate' node to collect all items first, so that this node runs once.",
		);
	}
}

/** Notes that a Sync has deleted in a card. */
export function noteDeletion({ context, api }: Run, card: CardReference): void {
	if (!api.signal) return;
	const known = deletedIn.get(api.signal) ?? new Set();
	deletedIn.set(api.signal, known.add(keyOf(context.getNode().name, api.address, card)));
}

const keyOf = (node: string, address: string, { id }: CardReference): string =>
	JSON.stringify([node, address, id]);

/** @throws InputError if a Sync with deletions is in a loop, or gets the first item only */
export function requireOneRun({ context }: Pick<Run, 'context'>): void {
	const { name, executeOnce } = context.getNode();
	if (executeOnce === true) {
		throw new InputError(
			"'Execute Once' is on, so Sync would delete the records of all items but the first",
			"Nothing was sent. Turn off 'Execute Once' in the node's settings.",
		);
	}
	const leadsTo = (from: string) => context.getParentNodes(from).map((node) => node.name);
	if (!leadsTo(name).some((parent) => leadsTo(parent).includes(name))) return;
	throw new InputError(
		'This node is in a loop, and each time Sync would delete the records of the other times',
		"Nothing was sent. Use a 'Merge' or 'Aggregate' node to collect all items first, or select 'Keep' in 'If Record Has No Item'.",
	);
}
