/** One trigger node in a process of n8n that has nothing but this node, and a service whose answers a test can change. */
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { nodeOf } from '../../nodes/WorkspaceData/trigger/subscription/nodeState';
import { createTestClock } from './clock';

/** An answer of the service. */
interface Answer {
	statusCode: number;
	body?: unknown;
	headers?: Record<string, string>;
}
type Given = Answer | undefined;
/** A request as a test sees it: its method, and its path below the workspace. */
interface Sent {
	line: string;
	body: unknown;
	options: IHttpRequestOptions;
}
interface ListedRecord {
	id: string;
	data: IDataObject;
	created_at: string;
}
interface DuplicatesOptions {
	mode?: string;
	maxEntries?: number;
}
/** n8n keeps other memories apart, and refuses modes that it does not know. */
function expectEntriesOfNode(scope: string, { mode }: DuplicatesOptions): void {
	if (scope !== 'node' || mode !== 'entries')
		throw new Error(`There is no memory ${scope} ${mode}`);
}
/** What n8n does with an execution that the trigger starts. */
export type Execution = (
	item: IDataObject,
	done: { resolve(run: IRun | undefined): void; reject(error: Error): void },
) => void;

export const ADDRESS = 'https://n8n.example.com/webhook/x';

let hosts = 0;

/** @param parameters of the node; as n8n saves them */
export function triggerHost(parameters: IDataObject = {}) {
	const number = (hosts += 1);
	const clock = createTestClock();
	const state = {
		parameters: { events: ['record.created'], ...parameters } as IDataObject,
		address: ADDRESS as string | undefined,
		mode: 'trigger',
		activation: 'activate',
		apiKey: `key-of-host-${number}` as string | undefined,
		/** What the service answers; undefined: as usual. */
		answer: (_line: string, _body: unknown): Given | Promise<Given> => undefined,
		fields: [{ id: 'f1', name: 'Title', type: 'text' }],
		records: {} as Record<string, ListedRecord[]>,
		input: [] as INodeExecutionData[],
		execution: ((_item, { resolve }) => resolve(undefined)) as Execution,
	};
	const data: IDataObject = {};
	const sent: Sent[] = [];
	const lines: string[] = [];
	const emitted: IDataObject[] = [];
	const crons: Array<{ expression: string; tick: () => void }> = [];
	const custom = new Map<string, string>();
	let processed: string[] = [];
	let made = 0;

	function usual(line: string): Answer {
		const [, cardId = ''] = /^GET \/cards\/(\w+)\/records/.exec(line) ?? [];
		if (line === 'POST /webhooks') {
			made += 1;
			return { statusCode: 201, body: { id: `s${made}`, secret: `secret-${made}` } };
		}
		if (line.startsWith('DELETE')) return { statusCode: 204, body: '' };
		if (line.endsWith('/fields')) return { statusCode: 200, body: { fields: state.fields } };
		if (line === 'GET /cards') {
			const cards = ['Books', 'Films'].map((name, at) => ({ id: `c${at + 1}`, name }));
			return { statusCode: 200, body: { cards } };
		}
		if (cardId === '') return { statusCode: 404, body: {} };
		return { statusCode: 200, body: { records: state.records[cardId] ?? [], next_cursor: null } };
	}

	const parameter = (name: string, fallback: unknown) => state.parameters[name] ?? fallback;
	const context = {
		getNode: () => ({
			id: 'n1',
			name: 'Trigger',
			type: 't',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
			credentials: { workspaceDataApi: { id: '1', name: 'Test' } },
		}),
		getWorkflow: () => ({ id: `host-${number}`, name: 'Test', active: true }),
		getMode: () => state.mode,
		getActivationMode: () => state.activation,
		getTimezone: () => 'UTC',
		getNodeWebhookUrl: () => state.address,
		getWorkflowStaticData: () => data,
		getInputData: () => state.input,
		getNodeParameter: (name: string, ...rest: unknown[]) =>
			// An execution names the item, too.
			parameter(name, typeof rest[0] === 'number' ? rest[1] : rest[0]),
		async getCredentials(): Promise<ICredentialDataDecryptedObject> {
			if (state.apiKey === undefined) throw new Error('The credential is gone');
			const baseUrl = 'https://data.example.com/api/v1';
			return { baseUrl, workspaceId: 'w1', apiKey: state.apiKey };
		},
		customData: { set: (key: string, value: string) => custom.set(key, value) },
		logger: { warn: (line: string) => lines.push(line) },
		emit(items: INodeExecutionData[][], _response: unknown, done: Parameters<Execution>[1]) {
			const item = items[0]?.[0]?.json ?? {};
			emitted.push(item);
			state.execution(item, done);
		},
		helpers: {
			registerCron: ({ expression }: { expression: string }, tick: () => void) =>
				crons.push({ expression, tick }),
			createDeferredPromise() {
				let parts = {};
				const promise = new Promise((resolve, reject) => (parts = { resolve, reject }));
				return { promise, ...parts };
			},
			async httpRequestWithAuthentication(_type: string, options: IHttpRequestOptions) {
				const path = options.url.replace(/^.*\/workspaces\/\w+/, '').replace(/\?.*$/, '');
				const line = `${options.method} ${path}`;
				const body: unknown =
					typeof options.body === 'string' ? JSON.parse(options.body) : options.body;
				sent.push({ line, body, options });
				const answer = (await state.answer(line, body)) ?? usual(line);
				return { headers: {}, ...answer };
			},
			async checkProcessedAndRecord(keys: string[], scope: string, options: DuplicatesOptions) {
				expectEntriesOfNode(scope, options);
				const { maxEntries = Infinity } = options;
				const fresh = keys.filter((key) => !processed.includes(key));
				processed = [...processed, ...fresh].slice(-maxEntries);
				return { new: fresh, processed: keys.filter((key) => !fresh.includes(key)) };
			},
			async removeProcessed(keys: string[], scope: string, options: DuplicatesOptions) {
				expectEntriesOfNode(scope, options);
				processed = processed.filter((key) => !keys.includes(key));
			},
			async getProcessedDataCount(scope: string, options: DuplicatesOptions) {
				expectEntriesOfNode(scope, options);
				return processed.length;
			},
		},
	};
	/** Waits until nothing follows any more. */
	async function idle(): Promise<void> {
		for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
	}
	return {
		...{ clock, state, data, sent, lines, emitted, crons, custom, idle },
		hook: context as unknown as IHookFunctions,
		trigger: context as unknown as ITriggerFunctions,
		execution: context as unknown as IExecuteFunctions,
		webhook: context as unknown as IWebhookFunctions,
		/** The requests so far, and forgets them. */
		requests: (): string[] => sent.splice(0).map(({ line }) => line),
		/** What this process knows of the node. */
		node: () => nodeOf(context as unknown as IHookFunctions, 'production'),
		saved: () => JSON.parse(String(data.subscriptions ?? '{}')) as IDataObject,
		processed: () => processed,
		/** n8n's cron. */
		async tick(): Promise<void> {
			for (const { tick } of crons) tick();
			await idle();
		},
	};
}

export type TriggerHost = ReturnType<typeof triggerHost>;
