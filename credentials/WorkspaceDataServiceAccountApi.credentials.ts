import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { authorize, exchangeOf } from '../nodes/WorkspaceData/transport/auth/credentialHooks';
import { AccessTokenError } from '../nodes/WorkspaceData/transport/failure/failureKinds';
import { tokenOf } from '../nodes/WorkspaceData/transport/sharedState';

/**
 * The credential objects of prepared requests. n8n decrypts one for each request, and calls again with the
 * same object if the request fails for any reason.
 */
const requests = new WeakSet<ICredentialDataDecryptedObject>();

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
			description: 'The address of the API, which ends in /api/v1',
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
			description:
				'Where people open a card in a browser, with {card} in place of its ID. Used for the link next to a chosen card only.',
		},
	];

	/**
	 * Makes sure that this process has a valid token. Returns nothing to store, because n8n would write it
	 * into the saved credential.
	 */
	preAuthentication = async function (
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const account = tokenOf(credentials);
		if (requests.has(credentials)) account.suspect();
		requests.add(credentials);
		await account
			.get(credentials, async (options) => await this.helpers.httpRequest(options))
			.catch((error: unknown) => {
				if (error instanceof AccessTokenError) exchangeOf(credentials).refusal = error;
				throw error;
			});
		return {};
	};

	/** A property, because n8n copies credential types without their methods, and HTTP Request lists only types that have it. */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> =>
		authorize(credentials, requestOptions, tokenOf(credentials).current ?? '');
}
