/** Sync with deletion runs once for a card in an execution: each run would delete what the others have written. */
import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { InputError } from '../../model/inputError';
import { hasSynced, rememberSync } from '../run/acrossRuns';
import type { CardReference, Run } from '../run/run';

/** What the contexts of both majors of n8n have, and their types lack. */
interface Connected {
	getConnections?: (node: INode, type: 'main') => ReadonlyArray<readonly unknown[] | null>;
}

/** The number of wires into the node. Two outputs of one node are two wires. */
function wiresInto(context: IExecuteFunctions): number {
	const node = context.getNode();
	const parents = context.getParentNodes(node.name, { connectionType: 'main', depth: 1 });
	const inputs = (context as Connected).getConnections?.(node, 'main') ?? [];
	const wires = inputs.reduce((sum, connections) => sum + (connections?.length ?? 0), 0);
	return Math.max(parents.length, wires);
}

/** Returns true if the node is in a loop. n8n doesn't list a node among its own ancestors. */
function isInLoop(context: IExecuteFunctions): boolean {
	const { name } = context.getNode();
	const main = { connectionType: 'main' } as const;
	const parents = context.getParentNodes(name, { ...main, depth: 1 });
	return parents.some((parent) =>
		context.getParentNodes(parent.name, main).some((ancestor) => ancestor.name === name),
	);
}

/** How n8n passes items to the node. */
export interface Input {
	isFirstOnly: boolean;
	wires: number;
	isInLoop: boolean;
}

/** Reads how n8n passes items to the node, the same for all items. */
export const readInput = (context: IExecuteFunctions): Input => ({
	isFirstOnly: context.getNode().executeOnce === true,
	wires: wiresInto(context),
	isInLoop: isInLoop(context),
});

/**
 * Requires that n8n passes all items at once, because the records of all others would be deleted.
 *
 * @param hasConditions true if only records that meet conditions take part
 * @throws InputError before anything is sent
 */
export function requireAllItems(input: Input, hasConditions: boolean): void {
	const { wires } = input;
	if (input.isFirstOnly) {
		throw new InputError(
			"'Execute Once' is on, so Sync would delete the records of all items but the first",
			"Nothing was sent. Turn off 'Execute Once' in the node's settings.",
		);
	}
	if (wires > 1) {
		throw new InputError(
			`${wires} connections lead to this node, so it runs for each of them, and each time Sync would delete the records of the others`,
			"Nothing was sent. Use a 'Merge' node to combine the items, and connect only that.",
		);
	}
	if (hasConditions || !input.isInLoop) return;
	throw new InputError(
		'This node is in a loop, and each time Sync would delete the records of the other times',
		"Nothing was sent. Use a 'Merge' node or 'Aggregate' to collect all items first, or add conditions to 'Filters' that differ each time.",
	);
}

/** The records that take part, the same text for all nodes of an execution. */
const recordsOf = (run: Run, { id }: CardReference, filters: unknown, matchType: unknown): string =>
	run.turns.address(id, JSON.stringify([filters ?? null, matchType ?? null]));

/** What a Sync does to some records. */
interface Synced {
	filters: unknown;
	matchType: unknown;
	deletes: boolean;
	isDry: boolean;
}

/** @throws InputError if this execution has synced the same records before, and this Sync may delete them */
export function requireFirstSync(run: Run, card: CardReference, settings: Synced): void {
	const { filters, matchType, deletes } = settings;
	const execution = run.context.getExecutionCancelSignal();
	if (!deletes || !hasSynced(execution, recordsOf(run, card, filters, matchType))) return;
	throw new InputError(
		`This execution has already synced the records of card '${card.name}', and this Sync would delete what that one wrote`,
		"Nothing was sent. Use a 'Merge' node to combine the items, or add conditions to 'Filters' that differ.",
	);
}

/** Notes that a card was synced. */
export function noteSync(run: Run, card: CardReference, settings: Synced): void {
	const { filters, matchType, isDry } = settings;
	if (isDry) return;
	rememberSync(run.context.getExecutionCancelSignal(), recordsOf(run, card, filters, matchType));
}
