import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { operationProperties } from './actions/registry';
import { route } from './actions/router';
import { testWorkspaceAccess } from './methods/credentialTest';
import * as listSearch from './methods/listSearch';
import * as loadOptions from './methods/loadOptions';
import * as resourceMapping from './methods/resourceMapping';
import { authenticationProperty } from './properties/authentication';

export class WorkspaceData implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace Data',
		name: 'workspaceData',
		icon: {
			light: 'file:../../icons/workspaceData.svg',
			dark: 'file:../../icons/workspaceData.dark.svg',
		},
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Read and change records, cards and fields of a workspace',
		defaults: { name: 'Workspace Data' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'workspaceDataApi',
				required: true,
				displayOptions: { show: { authentication: ['apiKey'] } },
				testedBy: 'testWorkspaceAccess',
			},
			{
				name: 'workspaceDataServiceAccountApi',
				required: true,
				displayOptions: { show: { authentication: ['serviceAccount'] } },
				testedBy: 'testWorkspaceAccess',
			},
		],
		properties: [authenticationProperty, ...operationProperties()],
	};

	methods = {
		credentialTest: { testWorkspaceAccess },
		listSearch,
		loadOptions,
		resourceMapping,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await route(this);
	}
}
