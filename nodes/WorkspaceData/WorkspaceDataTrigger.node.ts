import {
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ITriggerFunctions,
	type ITriggerResponse,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
} from 'n8n-workflow';
import { testWorkspaceAccess } from './methods/credentialTest';
import { searchCards, searchFilterValues } from './methods/listSearch';
import { getFieldNames, getFilterConditions, getFilterFields } from './methods/loadOptions';
import { receive } from './trigger/delivery';
import { create, remove } from './trigger/hooks';
import { triggerProperties } from './trigger/properties';
import { trigger } from './trigger/trigger';

export class WorkspaceDataTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Workspace Data Trigger',
		name: 'workspaceDataTrigger',
		icon: {
			light: 'file:../../icons/workspaceData.svg',
			dark: 'file:../../icons/workspaceData.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		// The nodes panel shows one entry for both nodes, with this text.
		description:
			'Work with records, cards and fields of a workspace, and start workflows when they change',
		defaults: { name: 'Workspace Data Trigger' },
		triggerPanel: {
			header: 'Wait for an event from the workspace: the service must be able to reach this n8n',
			executionsHelp: {
				inactive:
					'<b>While building the workflow</b>, click <b>Execute step</b>, then change something in a watched card. The event arrives at the test URL and appears here.<br /><br /><b>Once it is ready</b>, publish the workflow. It then runs on every event; its executions appear in the executions list, not here.',
				active:
					'<b>While building the workflow</b>, click <b>Execute step</b>, then change something in a watched card. The published workflow keeps running.<br /><br /><b>The published workflow</b> runs on every event; its executions appear in the <a data-key="executions">executions list</a>, not here.',
			},
			activationHint:
				'Once the workflow is ready, publish it. It then runs on every event, also after n8n restarts.',
		},
		inputs: [],
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
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				path: 'webhook',
				responseMode: 'onReceived',
				// Without it n8n responds with the word `firstEntryJson`.
				responseData: '',
			},
		],
		properties: triggerProperties,
	};

	methods = {
		credentialTest: { testWorkspaceAccess },
		listSearch: { searchCards, searchFilterValues },
		loadOptions: { getFieldNames, getFilterConditions, getFilterFields },
	};

	webhookMethods = {
		default: {
			/**
			 * Never reports an existing subscription, because a paused one can't be distinguished from a
			 * live one.
			 */
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await create(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await remove(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}

	/**
	 * n8n calls the lifecycle methods at every start because this exists. Otherwise it calls them only on
	 * publishing.
	 */
	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await trigger(this);
	}

	/** Passes the items of a delivery on. Without it, a node with `trigger()` never ends in a test. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}
