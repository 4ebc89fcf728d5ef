/** n8n's context for the requests that its editor makes to a node. */
import { CredentialTestContext, LoadOptionsContext } from 'n8n-core';
import type { IDataObject, INodeType } from 'n8n-workflow';
import type { Clock } from '../../nodes/WorkspaceData/transport/clock';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { ACTION_TYPE, actionNode, additionalData, loadWorkflow, type TestCredentials } from './n8n';

/**
 * n8n's own context for calls of the editor.
 *
 * @param path the parameter that makes the call
 */
export function editorContext(
	credentials: TestCredentials,
	parameters: IDataObject,
	path = 'parameters',
	type: INodeType = new WorkspaceData(),
): LoadOptionsContext {
	const node = actionNode(credentials, {
		resource: 'record',
		operation: 'create',
		...parameters,
	});
	const workflow = loadWorkflow([node], { [ACTION_TYPE]: type });
	const additional = additionalData(credentials, 'internal', workflow);
	additional.currentNodeParameters = node.parameters;
	const stored = workflow.getNode(node.name);
	if (!stored) throw new Error('the workflow has lost its node');
	return new LoadOptionsContext(workflow, stored, additional, path);
}

/** Presses Test of a credential. @param credentials has one */
export async function pressTest(credentials: TestCredentials, clock?: Clock) {
	const [[type = '', data] = []] = Object.entries(credentials);
	const { testWorkspaceAccess } = new WorkspaceData().methods.credentialTest;
	const tested = { id: '1', name: 'Test', type, ...(data && { data }) };
	return await testWorkspaceAccess.call(new CredentialTestContext({} as never), tested, clock);
}
