import type { IConnections } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import type { JsonObject, Workflow, WorkflowNode } from './n8nClient.ts';

/** A node without the parts that can be filled in: id, version, position. */
export type NodeDraft = Pick<WorkflowNode, 'name' | 'type' | 'parameters'> & Partial<WorkflowNode>;

/** The node that "Execute workflow" starts from. */
export function manualTrigger(name = 'Start'): NodeDraft {
	return { name, type: 'n8n-nodes-base.manualTrigger', parameters: {} };
}

/** A Code node. */
export function code(name: string, jsCode: string): NodeDraft {
	return { name, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

/** A Code node that gives the items. */
export function codeItems(name: string, items: readonly JsonObject[]): NodeDraft {
	return code(name, `return ${JSON.stringify(items)};`);
}

/** A resource locator by id; the value may be an expression. */
export const byId = (value: string): JsonObject => ({ __rl: true, mode: 'id', value });

/** A resource locator by name. */
export const byName = (value: string): JsonObject => ({ __rl: true, mode: 'name', value });

/** "Map Each Column Manually". */
export const mapEach = (value: JsonObject, more: JsonObject = {}): JsonObject => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema: [],
	...more,
});

/** "Map Automatically". */
export const mapAutomatically = (matchingColumns: string[] = []): JsonObject => ({
	mappingMode: 'autoMapInputData',
	value: null,
	matchingColumns,
	schema: [],
});

/** A workflow of nodes that follow one another. */
export function chain(name: string, drafts: readonly NodeDraft[]): Workflow {
	const nodes = drafts.map(
		(draft, index): WorkflowNode => ({
			id: randomUUID(),
			typeVersion: 1,
			position: [220 * index, 0],
			...draft,
		}),
	);
	const connections: IConnections = {};
	for (const [index, node] of nodes.entries()) {
		const next = nodes[index + 1];
		if (next) connections[node.name] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
	}
	return { name, nodes, connections };
}
