/** Runs the node against a service in memory, from its parameters to its output: without n8n and HTTP. */
import type { IExecuteFunctions, IHttpRequestOptions, INode } from 'n8n-workflow';
import { RESOURCES } from '../../../nodes/WorkspaceData/actions/registry';
import { route } from '../../../nodes/WorkspaceData/actions/router';
import type { JsonObject } from '../../../nodes/WorkspaceData/model/answer/shapes';
import { ApiFailure } from '../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiRequest } from '../../../nodes/WorkspaceData/transport/request';
import type { Given, MemoryService } from '../../support/memoryService';

/** Each service has a separate address: the node remembers what it wrote there. */
const addresses = new WeakMap<object, string>();
let services = 0;
let keys = 0;

/** What a run is given, besides its parameters. */
interface Surroundings {
	node?: Partial<INode>;
	/** The input items; one for each entry of `given` by default. */
	items?: Array<{ json: JsonObject; binary?: unknown }>;
	cancel?: AbortController;
}

/** @param given the parameters, of all items or of each */
export async function routed(
	{ api }: MemoryService,
	[resource, operation]: [string, string],
	given: Given | Given[],
	{ node = {}, items, cancel = new AbortController() }: Surroundings = {},
) {
	const base = addresses.get(api) ?? `https://data${(services += 1)}.example.com/api/v1`;
	addresses.set(api, base);
	const hints: string[] = [];
	const logged: unknown[] = [];
	const inputs = items ?? [given].flat().map(() => ({ json: {} }));
	const properties = RESOURCES.flatMap(({ value, operations }) =>
		value === resource ? operations : [],
	).find(({ value }) => value === operation)?.properties;
	const defaults = new Map(properties?.map(({ name, default: initial }) => [name, initial]));

	/** The service behind n8n's request helper. */
	async function answer({ url, method, body, qs }: IHttpRequestOptions) {
		const path = url.replace(`${base}/workspaces/w1/`, '').split('/');
		const request = { method, path, query: qs, ...(body && { body: JSON.parse(String(body)) }) };
		try {
			const { body: answered } = await api.request(request as unknown as ApiRequest);
			return {
				statusCode: 200,
				headers: {},
				body: JSON.parse(JSON.stringify(answered)) as unknown,
			};
		} catch (error) {
			if (!(error instanceof ApiFailure)) return await Promise.reject(error as Error);
			const { status, kind, title, detail } = error.problem;
			const type = kind && `https://data.example.com/problems/${kind}`;
			return { statusCode: status, headers: {}, body: { status, type, title, detail } };
		}
	}

	const ownNode = {
		name: 'Data',
		type: 'n8n-nodes-workspace-data.workspaceData',
		credentials: { workspaceDataApi: { id: '1', name: 'Test' } },
		...node,
	} as INode;
	const credential = { baseUrl: base, workspaceId: 'w1', apiKey: `routed-${(keys += 1)}` };
	const context = {
		getNode: () => ownNode,
		getInputData: () => inputs,
		getNodeParameter(
			name: string,
			itemIndex: number,
			_fallback?: unknown,
			{ rawExpressions = false } = {},
		) {
			if (name === 'resource') return resource;
			if (name === 'operation') return operation;
			if (name === 'authentication') return 'apiKey';
			const own = (Array.isArray(given) ? given[itemIndex] : given) ?? {};
			// Each item has its own value, as where a parameter is an expression.
			const value = Object.hasOwn(own, name) ? own[name] : defaults.get(name);
			return Array.isArray(given) && rawExpressions ? '={{ $json }}' : value;
		},
		continueOnFail: () => ownNode.onError?.startsWith('continue') ?? false,
		getExecutionCancelSignal: () => cancel.signal,
		addExecutionHints: ({ message }: { message: string }) => hints.push(message),
		getTimezone: () => 'UTC',
		getMode: () => 'trigger',
		getWorkflowStaticData: () => ({}),
		getWorkflow: () => ({ id: 'wf1' }),
		getExecutionId: () => 'ex1',
		logger: { info: (...line: unknown[]) => logged.push(line) },
		getCredentials: async () => await Promise.resolve(credential),
		helpers: {
			httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
				await answer(options),
		},
	} as unknown as IExecuteFunctions;
	const [outcome] = await Promise.allSettled([route(context)]);
	const error = outcome.status === 'rejected' ? (outcome.reason as Error) : undefined;
	return {
		items: outcome.status === 'fulfilled' ? (outcome.value[0] ?? []) : [],
		error: error as (Error & { description?: string; context?: JsonObject }) | undefined,
		hints,
		logged,
	};
}
