/** The kinds of problems, with the HTTP status of each. */

/** Every problem kind that the service answers with: last path segment of `type` → status and title. */
export const problemKinds = {
	'malformed-request': [400, 'Malformed request'],
	'malformed-json': [400, 'Malformed JSON'],
	'invalid-limit': [400, 'Invalid limit'],
	'invalid-cursor': [400, 'Invalid cursor'],
	'authentication-required': [401, 'Authentication required'],
	'invalid-credentials': [401, 'Invalid credentials'],
	'workspace-access-denied': [403, 'Workspace access denied'],
	'insufficient-role': [403, 'Insufficient role'],
	'cross-site-request': [403, 'Cross-site request refused'],
	'route-not-found': [404, 'Route not found'],
	'workspace-not-found': [404, 'Workspace not found'],
	'card-not-found': [404, 'Card not found'],
	'field-not-found': [404, 'Field not found'],
	'record-not-found': [404, 'Record not found'],
	'webhook-not-found': [404, 'Webhook not found'],
	'method-not-allowed': [405, 'Method not allowed'],
	'request-timeout': [408, 'Request timeout'],
	'field-type-conflict': [409, 'Field type conflict'],
	'option-in-use': [409, 'Option in use'],
	'body-too-large': [413, 'Body too large'],
	'unsupported-media-type': [415, 'Unsupported media type'],
	'expectation-failed': [417, 'Expectation failed'],
	'validation-failed': [422, 'Validation failed'],
	'unknown-field': [422, 'Unknown field'],
	'invalid-value': [422, 'Invalid value'],
	'rate-limit-exceeded': [429, 'Rate limit exceeded'],
	'headers-too-large': [431, 'Request headers too large'],
	'internal-error': [500, 'Internal error'],
	'service-unavailable': [503, 'Service unavailable'],
} as const satisfies Record<string, readonly [number, string]>;

/** Name of a problem kind, kebab-case. */
export type ProblemKind = keyof typeof problemKinds;
