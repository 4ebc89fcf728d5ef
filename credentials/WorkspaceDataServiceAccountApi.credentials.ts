import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { authorize, entryText } from '../nodes/WorkspaceData/transport/credential';
import type { Send } from '../nodes/WorkspaceData/transport/response';
import { sharedBy } from '../nodes/WorkspaceData/transport/shared';

export class WorkspaceDataServiceAccountApi implements ICredentialType {
	name = 'workspaceDataServiceAccountApi';

	displayName = 'Workspace Data Service Account API';

	icon: Icon = {
		light: 'file:../icons/workspaceData.svg',
		dark: 'file:../icons/workspaceData.dark.svg',
	};

	documentationUrl =
		'https://github.com/n8n-nodes-workspace-data/n8n-nodes-workspace-data#credentials';

	properties: INodeProperties[] = [
		{
			// n8n asks for a token before each request because this is empty.
			displayName: 'Session Token',
			name: 'sessionToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://data.example.com/api/v1',
			description:
				'The address of the API, which ends in /api/v1. With http instead of https, tokens can be read in transit.',
		},
		{
			displayName: 'Workspace ID',
			name: 'workspaceId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. wsp_01J9Z3V8QK',
			description: 'The ID of the workspace that the service account may access',
		},
		{
			displayName: 'Auth URL',
			name: 'authUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://auth.example.com',
			description:
				'The address of the identity provider that issues access tokens. If you limit this credential to certain domains, include the host of this address.',
		},
		{
			displayName: 'Realm',
			name: 'realm',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. workspace-data',
			description: 'The realm of the identity provider that the service account belongs to',
		},
		{
			displayName: 'Client ID',
			name: 'clientId',
			type: 'string',
			required: true,
			default: '',
			description: 'The client ID of the service account',
		},
		{
			displayName: 'Client Secret',
			name: 'clientSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'The client secret of the service account, shown once when the account is created',
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

	/**
	 * Gets a token for n8n's own nodes, such as HTTP Request. It stands in n8n's copy of the credential for one request, and
	 * isn't returned, because n8n would store it. A copy that comes again belongs to a request that failed.
	 */
	preAuthentication = async function (
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const { token } = sharedBy(credentials);
		const send: Send = async (options) => await this.helpers.httpRequest(options);
		const used = entryText(credentials.accessToken);
		if (used !== '') token.refuse(used);
		credentials.accessToken = await token.get(credentials, send);
		return {};
	};

	/** A property, because n8n copies credential types without their methods, and HTTP Request lists only types that have it. */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		credentials.accessToken ??= sharedBy(credentials).token.recent[0] ?? '';
		return authorize(credentials, requestOptions, entryText(credentials.accessToken));
	};
}
