/** The addresses and secrets that the service tells when it has started. */
/** The first line of output of the service: its addresses, and the secrets that open it. */
export interface ServiceAddresses {
	/** API root, ends in /api/v1. */
	baseUrl: string;
	/** Address of the identity provider. */
	authUrl: string;
	realm: string;
	workspaceId: string;
	apiKey: string;
	clientId: string;
	clientSecret: string;
	/** Control over HTTP; null unless the options ask for it. */
	controlUrl: string | null;
	controlToken: string | null;
	/** Address and password of the settings page. */
	settingsUrl: string;
	settingsPassword: string;
}
