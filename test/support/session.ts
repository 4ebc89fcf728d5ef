import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import type { Clock } from '../../nodes/WorkspaceData/transport/http/clock';
import { openSession, type Session } from '../../nodes/WorkspaceData/transport/session';

/**
 * The session of an execution whose requests a test responds to, in place of n8n's request helper.
 *
 * @param apiKey executions with the same key share their pace
 * @param signal is aborted when the execution is canceled
 */
export async function sessionOf(
	apiKey: string,
	clock: Clock,
	respond: (options: IHttpRequestOptions) => Promise<unknown>,
	signal?: AbortSignal,
): Promise<Session> {
	const credential = { baseUrl: 'https://data.example.com/api/v1/', workspaceId: 'w 1', apiKey };
	const context = {
		getNode: () => ({ credentials: { workspaceDataApi: { id: '1', name: 'Test' } } }),
		getCredentials: async () => await Promise.resolve(credential),
		getExecutionCancelSignal: () => signal,
		helpers: {
			httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) =>
				await respond(options),
		},
	};
	return await openSession(context as unknown as IExecuteFunctions, 'apiKey', clock);
}
