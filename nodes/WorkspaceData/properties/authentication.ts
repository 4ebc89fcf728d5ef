import type { INodeProperties } from 'n8n-workflow';

/** Selects the kind of credential, in both nodes. */
export const authenticationProperty: INodeProperties = {
	displayName: 'Authentication',
	name: 'authentication',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'API Key',
			value: 'apiKey',
			description: 'A workspace API key, not tied to a user',
		},
		{
			name: 'Service Account',
			value: 'serviceAccount',
			description: 'A named identity with short-lived access tokens (OAuth 2.0)',
		},
	],
	default: 'apiKey',
};
