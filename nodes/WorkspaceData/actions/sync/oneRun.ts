/** Sync with deletion runs once for a card in an execution: each run would delete what the others have written. */
import type { IExecuteFunctions, INode } from 'n8n-workflow';
import { InputError } from '../../model/inputError';
import { hasSynced, rememberSync } from '../run/acrossRuns';
import type { CardReference, Run } from '../run/run';
import { hasConditions } from '../writing/changeMany';

/** The settings of Sync, which must be the same for all items of a card. */
export interface SyncSettings {
	filters: unknown;
	matchType: unknown;
	isDry: boolean;
	/** True if the records without an item are deleted. */
	deletes: boolean;
	/** The maximum number of deletions; undefined for no limit. */
	maxDeletions: number | undefined;
}

/** What the contexts of both majors of n8n have, and their types lack. */
interface Connected {
	getConnections?: (node: INode, type: 'main') => ReadonlyArray<readonly unknown[] | null>;
}

/** The number of wires into the node, two outputs of one node being two wires, and true if the node is in a loop. */
function connectionsOf(context: IExecuteFunctions) {
	const node = context.getNode();
	const { name } = node;
	const parents = context.getParentNodes(name, { connectionType: 'main', depth: 1 });
	const inputs = (context as Connected).getConnections?.(node, 'main') ?? [];
	const wires = inputs.reduce((sum, connections) => sum + (connections?.length ?? 0), 0);
	// n8n doesn't list a node among its own ancestors.
	const isInLoop = parents.some((parent) =>
		context
			.getParentNodes(parent.name, { connectionType: 'main' })
			.some((ancestor) => ancestor.name === name),
	);
	return { wires: Math.max(parents.length, wires), isInLoop };
}

/** The records that take part, the same text for all nodes of an execution. */
const recordsOf = (run: Run, { id }: CardReference, { filters, matchType }: SyncSettings): string =>
	run.turns.address(id, JSON.stringify([filters ?? null, matchType ?? null]));

/**
 * Requires that n8n passes all items of a card at once, and for the first time in this execution, if records are deleted.
 *
 * @throws InputError before anything is sent
 */
export function requireOneRun(run: Run, card: CardReference, settings: SyncSettings): void {
	const { context } = run;
	if (!settings.deletes) return;
	if (context.getNode().executeOnce === true) {
		throw new InputError(
			"'Execute Once' is on, so Sync would delete the records of all items but the first",
			"Nothing was sent. Turn off 'Execute Once' in the node's settings.",
		);
	}
	const { wires, isInLoop } = connectionsOf(context);
	if (wires > 1) {
		throw new InputError(
			`${wires} connections lead to this node, so it runs for each of them, and each time Sync would delete the records of the others`,
			"Nothing was sent. Use a 'Merge' node to combine the items, and connect only that.",
		);
	}
	if (isInLoop && !hasConditions(settings.filters)) {
		throw new InputError(
			'This node is in a loop, and each time Sync would delete the records of the other times',
			"Nothing was sent. Use a 'Merge' node or 'Aggregate' to collect all items first, or add conditions to 'Filters' that differ each time.",
		);
	}
	if (!hasSynced(context.getExecutionCancelSignal(), recordsOf(run, card, settings))) return;
	throw new InputError(
		`This execution has already synced the records of card '${card.name}', and this Sync would delete what that one wrote`,
		"Nothing was sent. Use a 'Merge' node to combine the items, or add conditions to 'Filters' that differ.",
	);
}

/** Notes that a card was synced. */
export function noteSync(run: Run, card: CardReference, settings: SyncSettings): void {
	if (settings.isDry) return;
	rememberSync(run.context.getExecutionCancelSignal(), recordsOf(run, card, settings));
}
