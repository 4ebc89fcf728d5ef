import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { apiKeyOf, authorize } from '../nodes/WorkspaceData/transport/credential';

export class WorkspaceDataApi implements ICredentialType {
	name = 'workspaceDataApi';

	displayName = 'Workspace Data API';

	icon: Icon = {
		light: 'file:../icons/workspaceData.svg',
		dark: 'file:../icons/workspaceData.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-workspace-data/n8n-nodes-workspace-data#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://data.example.com/api/v1',
			description:
				'The address of the API, which ends in /api/v1. With http instead of https, the key can be read in transit.',
		},
		{
			displayName: 'Workspace ID',
			name: 'workspaceId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. wsp_01J9Z3V8QK',
			description: 'The ID of the workspace that the key belongs to',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'A workspace API key, from the settings of the service',
		},
		{
			displayName: 'Web URL',
			name: 'webUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://data.example.com/cards/{card}',
			description: 'Link to a card in the browser; {card} stands for its ID',
		},
	];

	/** A property, because n8n copies credential types without their methods, and HTTP Request lists only types that have it. */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => authorize(credentials, requestOptions, apiKeyOf(credentials));
}
