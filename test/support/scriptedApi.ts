import type { Session } from '../../nodes/WorkspaceData/transport/session';
import type { ApiResponse, ApiRequest } from '../../nodes/WorkspaceData/transport/request';

/** A service whose answers a test gives, and the requests that came. */
export interface ScriptedApi extends Session {
	readonly sent: ApiRequest[];
}

/** @param answer gets each request; what it throws is the failure of the request */
export function scriptedApi(
	answer: (request: ApiRequest) => Partial<ApiResponse> | Promise<Partial<ApiResponse>>,
	place: Partial<Session> = {},
): ScriptedApi {
	const sent: ApiRequest[] = [];
	const session: Partial<ScriptedApi> = {
		baseUrl: 'https://data.example.com/api/v1',
		workspaceId: 'w1',
		...place,
		sent,
		async request(request) {
			sent.push(request);
			return { status: 200, body: undefined, headers: {}, ...(await answer(request)) };
		},
	};
	return session as ScriptedApi;
}
