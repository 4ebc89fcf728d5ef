import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type INode, type INodeTypeDescription, NodeHelpers } from 'n8n-workflow';

import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';

/** Workflows as a version of this package saved them, in a folder for each version; never changed afterwards. */
const folder = resolve(__dirname, '../workflows');

const descriptions = new Map(
	[new WorkspaceData(), new WorkspaceDataTrigger()].map(({ description }) => [
		`n8n-nodes-workspace-data.${description.name}`,
		description as INodeTypeDescription,
	]),
);

/** The examples as they are now: the next release saves them. */
const NEXT = '../../examples';
const workflows = [...readdirSync(folder), NEXT].flatMap((version) =>
	readdirSync(join(folder, version)).map((file): [string, string] => [version, file]),
);

/** The node's type; n8n adds "Tool" where an AI agent uses it. */
const typeOf = ({ type }: INode): string => type.replace(/Tool$/, '');

/** The nodes of ours in a workflow. */
function savedNodes(version: string, file: string): INode[] {
	const { nodes } = JSON.parse(readFileSync(join(folder, version, file), 'utf8')) as {
		nodes: INode[];
	};
	return nodes.filter((node) => descriptions.has(typeOf(node)));
}

/** The parameters of a saved node as n8n has them after opening it. */
function openedParameters(node: INode) {
	const description = descriptions.get(typeOf(node));
	if (!description) throw new Error(`No node ${node.type}`);
	const { properties } = description;
	return NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, description);
}

describe.each(workflows)('a workflow that version %s saved: %s (N9)', (version, file) => {
	test.each(savedNodes(version, file).map((node): [string, INode] => [node.name, node]))(
		'%s keeps every parameter, and none is missing',
		(_name, node) => {
			const description = descriptions.get(typeOf(node));
			expect([description?.version].flat()).toContain(node.typeVersion);
			// n8n adds these two to a tool.
			const { descriptionType, toolDescription, ...ours } = node.parameters;
			expect(descriptionType === undefined).toBe(toolDescription === undefined);
			expect(openedParameters(node)).toMatchObject(ours);
			const issues = NodeHelpers.getNodeParametersIssues(
				description?.properties ?? [],
				node,
				description ?? null,
			);
			expect(issues).toBeNull();
		},
	);
});

test('the folder has a workflow of each version', () => {
	expect(workflows.length).toBeGreaterThan(5);
	const versions = workflows.flatMap(([version, file]) =>
		savedNodes(version, file).map(({ typeVersion }) => typeVersion),
	);
	expect(new Set(versions)).toEqual(new Set([1, 2]));
	expect(workflows.flatMap(([version, file]) => savedNodes(version, file)).length).toBeGreaterThan(
		8,
	);
});
