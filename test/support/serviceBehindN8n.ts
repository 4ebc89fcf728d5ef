/** The service as a request sees it that goes through n8n: n8n adds the token, sends, and gives its full response. */
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { WorkspaceDataApi } from '../../credentials/WorkspaceDataApi.credentials';
import { WorkspaceDataServiceAccountApi } from '../../credentials/WorkspaceDataServiceAccountApi.credentials';
import { openSession, type Session } from '../../nodes/WorkspaceData/transport/session';
import { createTestClock, type TestClock } from './clock';

/** n8n's full response. */
export const answer = (statusCode: number, headers: object = {}, body: unknown = {}) => ({
	statusCode,
	headers,
	body,
});

interface Behaviour {
	authentication?: 'apiKey' | 'serviceAccount';
	/** Answers a request to the service with n8n's full response, or an error; `place` counts from 0. */
	toRequest(options: IHttpRequestOptions, place: number): unknown;
	/** Answers a request to the auth server. */
	toTokenRequest?: (place: number) => unknown;
	/** What n8n does before it asks for a token. */
	before?: () => void;
}

let credentials = 0;

/** Opens a service with a separate credential, so that nothing is known of it. */
export async function serviceBehindN8n({
	authentication = 'apiKey',
	toRequest,
	toTokenRequest = (place) => answer(200, {}, { access_token: `token-${place + 1}` }),
	before = () => {},
}: Behaviour): Promise<{
	session: Session;
	clock: TestClock;
	cancel: AbortController;
	sent: IHttpRequestOptions[];
	tokenRequests: IHttpRequestOptions[];
}> {
	credentials += 1;
	const clock = createTestClock();
	const cancel = new AbortController();
	const sent: IHttpRequestOptions[] = [];
	const tokenRequests: IHttpRequestOptions[] = [];
	const common = { baseUrl: `https://data${credentials}.example.com/api/v1`, workspaceId: ' w1 ' };
	const credential: ICredentialDataDecryptedObject =
		authentication === 'apiKey'
			? { ...common, apiKey: `key-${credentials}` }
			: {
					...common,
					authUrl: `https://auth${credentials}.example.com`,
					realm: 'r',
					clientId: 'client',
					clientSecret: `secret-${credentials}`,
				};
	const give = async (response: unknown): Promise<unknown> => {
		await clock.sleep(10);
		const given = await response;
		if (given instanceof Error) throw given;
		return given;
	};
	const n8n = {
		helpers: {
			httpRequest: async (options: IHttpRequestOptions) =>
				await give(toTokenRequest(tokenRequests.push(options) - 1)),
		},
	} as unknown as IHttpRequestHelper;
	const account = new WorkspaceDataServiceAccountApi();
	const key = new WorkspaceDataApi();

	async function httpRequestWithAuthentication(
		type: string,
		options: IHttpRequestOptions,
		{ credentialsDecrypted: { data } }: { credentialsDecrypted: { data: typeof credential } },
	): Promise<unknown> {
		before();
		if (type === account.name) await account.preAuthentication.call(n8n, data);
		const hook = type === account.name ? account : key;
		const ready = await hook.authenticate(data, options);
		return await give(toRequest(ready, sent.push(ready) - 1));
	}

	const context = {
		getNode: () => ({ credentials: { [account.name]: { id: '1' }, [key.name]: { id: '2' } } }),
		getCredentials: async () => await Promise.resolve(credential),
		getExecutionCancelSignal: () => cancel.signal,
		helpers: { httpRequestWithAuthentication },
	} as unknown as IExecuteFunctions;
	return {
		session: await openSession(context, authentication, clock),
		clock,
		cancel,
		sent,
		tokenRequests,
	};
}
