/** Sync with deletion runs once for a card in an execution: each run would delete what the others have written. */
import type { IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';
import { hasExpression } from '../../model/emptyExpressions';
import { InputError } from '../../values/inputError';
import { quote } from '../../values/messageText';
import type { FieldIndex } from '../../records/fieldIndex';
import { readConditions, readMatchType } from '../../records/filter';
import { syncedIn } from '../run/acrossRuns';
import type { CardReference, Run } from '../run/run';

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
	getConnections?: (node: { name: string }, type: 'main') => ReadonlyArray<readonly Wire[] | null>;
}

/** A wire into a node: the node and the output that it comes from. */
interface Wire {
	node: string;
	index: number;
}

/** The wires into each input of a node. */
const wiresInto = (context: IExecuteFunctions, name: string): ReadonlyArray<readonly Wire[]> =>
	((context as Connected).getConnections?.({ name }, 'main') ?? []).map((wires) => wires ?? []);

/** The wires that lead to a node, directly or not. @param end nothing before this node counts */
function wiresBefore(context: IExecuteFunctions, name: string, end?: string): Wire[] {
	const found: Wire[] = [];
	const names = new Set([name]);
	// Names that are added are looked at as well.
	for (const one of names) {
		for (const wire of wiresInto(context, one).flat()) {
			found.push(wire);
			if (wire.node !== end) names.add(wire.node);
		}
	}
	return found;
}

/** n8n's Loop Over Items. */
const LOOP_TYPE = 'n8n-nodes-base.splitInBatches';

/** Its output that passes on each batch: the second one since version 3. */
const loopOutput = ({ typeVersion }: NodeTypeAndVersion): number => (typeVersion >= 3 ? 1 : 0);

/** Returns true if the node runs in each pass of a loop: a part of it, or behind each batch. */
function isInLoop(context: IExecuteFunctions, name: string): boolean {
	if (wiresBefore(context, name).some(({ node }) => node === name)) return true;
	const loops = context.getParentNodes(name).filter(({ type }) => type === LOOP_TYPE);
	return loops.some((loop) =>
		wiresBefore(context, name, loop.name).some(
			({ node, index }) => node === loop.name && index === loopOutput(loop),
		),
	);
}

/**
 * Returns a node that runs more than once in an execution, and so this one: several wires lead to one of its inputs. Wires
 * from different triggers don't count, and neither does the way back of a loop.
 */
function repeatedBefore(context: IExecuteFunctions, name: string): string | undefined {
	const before = (one: string) => new Set(wiresBefore(context, one).map(({ node }) => node));
	return [...before(name)].find((one) =>
		wiresInto(context, one).some((wires) => {
			if (wires.length <= 1) return false;
			const origins = wires
				.map(({ node }) => before(node).add(node))
				.filter((origin) => !origin.has(one));
			const all = new Set(origins.flatMap((origin) => [...origin]));
			return all.size < origins.reduce((sum, { size }) => sum + size, 0);
		}),
	);
}

/** The conditions of the records that take part: the same text in any order, and with names or IDs of fields. */
function conditionsOf({ filters, matchType }: SyncSettings, index: FieldIndex): string {
	const conditions = readConditions(filters).map(({ key, condition, value }) =>
		JSON.stringify([index.find(key)?.id ?? key, condition, value]),
	);
	const all = [...new Set(conditions)].sort();
	return JSON.stringify(all.length > 1 ? [...all, readMatchType(matchType)] : all);
}

/** The conditions of a Sync of all records. */
const NONE = '[]';

const USE_MERGE =
	"Nothing was sent. Use a 'Merge' node to combine the items, and connect only that.";

/**
 * Requires that n8n passes all items of a card at once, and for the first time in this execution, if records are deleted.
 *
 * @throws InputError before anything is sent
 */
export function requireOneRun(
	run: Run,
	card: CardReference,
	settings: SyncSettings,
	index: FieldIndex,
): void {
	const { context } = run;
	if (!settings.deletes) return;
	if (context.getNode().executeOnce === true) {
		throw new InputError(
			"'Execute Once' is on, so Sync would delete the records of all items but the first",
			"Nothing was sent. Turn off 'Execute Once' in the node's settings.",
		);
	}
	const { name, parameters } = context.getNode();
	const wires = wiresInto(context, name).flat().length;
	if (wires > 1) {
		throw new InputError(
			`${wires} connections lead to this node, so it runs for each of them, and each time Sync would delete the records of the others`,
			USE_MERGE,
		);
	}
	const repeated = repeatedBefore(context, name);
	if (repeated !== undefined) {
		throw new InputError(
			`Several connections lead to the node ${quote(repeated)}, so this one runs for each of them, and each time Sync would delete the records of the others`,
			USE_MERGE,
		);
	}
	if (isInLoop(context, name) && !hasExpression(parameters.filters)) {
		throw new InputError(
			'This node is in a loop, and each time Sync would delete the records of the other times',
			"Nothing was sent. Use a 'Merge' node or 'Aggregate' to collect all items first, or add conditions to 'Filters' that differ each time, by an expression.",
		);
	}
	const synced = syncedIn(context.getExecutionCancelSignal(), run.turns.address(card.id));
	const own = conditionsOf(settings, index);
	const isSynced = synced.has(own) || synced.has(NONE) || (own === NONE && synced.size > 0);
	if (!isSynced) return;
	throw new InputError(
		`This execution has already synced the records of card '${card.name}', and this Sync would delete what that one wrote`,
		"Nothing was sent. Use a 'Merge' node to combine the items, or add conditions to 'Filters' that differ.",
	);
}

/** Notes that a card was synced. */
export function noteSync(
	run: Run,
	card: CardReference,
	settings: SyncSettings,
	index: FieldIndex,
): void {
	if (settings.isDry) return;
	const execution = run.context.getExecutionCancelSignal();
	syncedIn(execution, run.turns.address(card.id)).add(conditionsOf(settings, index));
}
