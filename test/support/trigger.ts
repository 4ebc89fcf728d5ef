import { Container } from '@n8n/di';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import {
	DataDeduplicationService,
	ExecuteContext,
	HookContext,
	TriggerContext,
	WebhookContext,
} from 'n8n-core';
import { Logger } from '@n8n/backend-common';
import {
	createRunExecutionData,
	Workflow,
	type DeduplicationItemTypes,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type IRun,
	type IWebhookResponseData,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import type * as NodeModule from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import type { Clock } from '../../nodes/WorkspaceData/transport/http/clock';
import { receiveDelivery } from '../../nodes/WorkspaceData/trigger/delivery/receive';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import { inAnotherProcess } from './anotherProcess';
import { actionNode, additionalData, nodeTypesOf, prepareN8n, type TestCredentials } from './n8n';

/** Type name of the trigger node, as a community package gives it. */
export const TRIGGER_TYPE = 'n8n-nodes-workspace-data.workspaceDataTrigger';

/** The effects of a delivery. */
export interface DeliveryResult {
	/** Status of an answer that the node gave itself; else 200, which n8n gives. */
	status: number;
	/** Items of the execution that n8n starts; undefined where it starts none. */
	items: IDataObject[] | undefined;
	/** The body of an answer that the node gave itself; undefined where that is empty. */
	text?: string;
}

/** A request to n8n's webhook address. */
export interface DeliveryRequest {
	body: Uint8Array;
	headers: Record<string, string>;
	/** As a request whose body n8n has not read yet. */
	unread?: boolean;
	/** The status that n8n answers with if the node leaves it to n8n; 500 is a failed save. */
	n8nStatus?: number;
	/** Whether the sender has hung up before n8n answers. */
	hungUp?: boolean;
	/** How long n8n takes to answer, in ms. */
	answerAfterMs?: number;
	/** The clock by which the node works on it; the system's unless told otherwise. */
	clock?: Clock;
}

/** How an execution ends. */
interface Ending {
	status?: IRun['status'];
	/** The node that ran last; the trigger itself unless told otherwise; null if n8n doesn't know. */
	lastNodeExecuted?: string | null;
	/** n8n cannot even start it. */
	throws?: Error;
}

let workflows = 0;

/** Static data as the database keeps them. */
const asSaved = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;

/** The node in another process, which knows nothing but what n8n saved. */
function workerType(): WorkspaceDataTrigger {
	return inAnotherProcess(() => {
		const path = '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
		const loaded = jest.requireActual<typeof NodeModule>(path);
		return new loaded.WorkspaceDataTrigger();
	});
}

/** The keys that n8n remembers as processed, by node id; in real life a table of its database. */
const processed = new Map<string, Set<DeduplicationItemTypes>>();
let remembers = false;

/** Gives n8n's duplicate helper its memory. */
async function prepareMemory(): Promise<void> {
	if (remembers) return;
	remembers = true;
	const unused = async () => await Promise.reject(new Error('The node never calls this'));
	const entriesOf = (node: INode | undefined) => processed.get(node?.id ?? '') ?? new Set();
	const keep = (node: INode | undefined, entries: DeduplicationItemTypes[]) =>
		processed.set(node?.id ?? '', new Set(entries));
	await DataDeduplicationService.init({
		async checkProcessedAndRecord(items, _scope, { node }, { maxEntries = Infinity }) {
			const seen = entriesOf(node);
			const added = items.filter((item) => !seen.has(item));
			// As n8n's: reads, then writes; whoever asks in between is told the same.
			await new Promise(setImmediate);
			keep(node, [...seen, ...added].slice(-maxEntries));
			return { new: added, processed: items.filter((item) => seen.has(item)) };
		},
		async removeProcessed(items, _scope, { node }) {
			const removed = new Set(items);
			keep(
				node,
				[...entriesOf(node)].filter((entry) => !removed.has(entry)),
			);
		},
		clearAllProcessedItems: unused,
		getProcessedDataCount: async (_scope, { node }) => entriesOf(node).size,
	});
}

/**
 * The trigger node in a separate workflow, driven as n8n drives it. A new one is what n8n has after
 * loading the workflow from its database: the static data are handed over as JSON.
 */
export function triggerNode(
	credentials: TestCredentials,
	parameters: IDataObject,
	options: {
		staticData?: IDataObject;
		webhookBase?: string;
		/** Whether the executions of the trigger run in another process, as in queue mode. */
		queueMode?: boolean;
		/** Whether such a process gets no static data, as the workers of n8n 2.41. */
		blindWorkers?: boolean;
		/** Who answers at n8n's own webhook address: this n8n unless told otherwise; a real request is sent for `network`. */
		ownAddress?: 'network' | { receive(request: DeliveryRequest): Promise<DeliveryResult> };
		/** Same workflow and node as another one. */
		sameAs?: { workflowId: string };
		name?: string | undefined;
		/** The data that n8n saved for the workflow, if several triggers of it share them. */
		database?: { saved: IDataObject; loaded?: IDataObject };
	} = {},
) {
	prepareN8n();
	const [credential = {}] = Object.values(credentials);
	const workflowId = options.sameAs?.workflowId ?? `trigger-workflow-${(workflows += 1)}`;
	const { name = 'Trigger' } = options;
	const id = `${workflowId}-${options.name ?? 'node'}`;
	const webhookId = `${workflowId}-${options.name ?? 'webhook'}`;
	const node: INode = {
		...actionNode(credentials, parameters),
		id,
		name,
		webhookId,
		type: TRIGGER_TYPE,
	};
	const type = new WorkspaceDataTrigger();
	const load = (staticData: IDataObject | undefined) =>
		new Workflow({
			id: workflowId,
			name: 'Test',
			nodes: [node],
			connections: {},
			active: true,
			nodeTypes: nodeTypesOf({ [TRIGGER_TYPE]: type }),
			...(staticData && { staticData }),
			settings: { executionOrder: 'v1' },
		});
	let workflow = load(options.staticData);
	let test: Workflow | undefined;
	const database = options.database ?? { saved: options.staticData ?? {} };
	// As n8n: loaded once for all triggers of a workflow that it publishes.
	if (options.database) workflow.staticData = options.database.loaded ??= workflow.staticData;
	const webhook = type.description.webhooks?.[0];
	if (!webhook) throw new Error('The trigger has no webhook');

	const data = (mode: 'trigger' | 'webhook' | 'manual') => {
		const base = options.webhookBase ?? 'http://127.0.0.1:5678';
		return {
			...additionalData(credentials, mode, workflow),
			webhookBaseUrl: `${base}/webhook`,
			webhookTestBaseUrl: `${base}/webhook-test`,
		};
	};
	const here = () => workflow.getNode(node.name) ?? node;
	const webhookData = (isTest: boolean) => ({
		httpMethod: 'POST' as const,
		node: node.name,
		path: 'webhook',
		webhookDescription: webhook,
		workflowId,
		workflowExecuteAdditionalData: data('webhook'),
		isTest,
	});
	/** As n8n: the whole object, and only where something changed. */
	const save = (loaded = workflow) => {
		const changed = loaded.staticData as IDataObject & { __dataChanged?: boolean };
		const isChanged = changed.__dataChanged === true;
		if (isChanged) database.saved = asSaved(changed);
		changed.__dataChanged = false;
		return isChanged;
	};
	/** Requests and executions of the trigger that have not ended. */
	let underWay = 0;
	async function counted<Result>(work: () => Promise<Result>): Promise<Result> {
		underWay += 1;
		try {
			return await work();
		} finally {
			underWay -= 1;
		}
	}
	/** The context in which n8n calls the node, with its requests counted. */
	function watched<Context extends HookContext | TriggerContext | ExecuteContext>(
		context: Context,
	): Context {
		const { httpRequestWithAuthentication: request } = context.helpers;
		context.helpers.httpRequestWithAuthentication = async function (...sent) {
			return (await counted(async () => await request.apply(this, sent))) as unknown;
		};
		if (options.ownAddress !== 'network') {
			const { httpRequest } = context.helpers;
			context.helpers.httpRequest = async (sent) =>
				await counted(async () =>
					sent.url.includes(`/${node.webhookId}/`)
						? await askSelf(sent)
						: ((await httpRequest(sent)) as unknown),
				);
		}
		return context;
	}
	/** n8n's own webhook address: each request reads the workflow from the database first. */
	let asked = 0;
	async function askSelf({ body, headers }: IHttpRequestOptions) {
		asked += 1;
		const { ownAddress } = options;
		const request = { body: Buffer.from(String(body)), headers: headers as Record<string, string> };
		const address = typeof ownAddress === 'object' ? ownAddress : { receive };
		const { status, text = '' } = await address.receive(request);
		return { statusCode: status, headers: {}, body: Readable.from([Buffer.from(text)]) };
	}
	const receive = async (request: DeliveryRequest): Promise<DeliveryResult> =>
		await deliverTo(load(asSaved(database.saved)), request);

	async function deliverTo(
		receiving: Workflow,
		request: DeliveryRequest,
		isTest = false,
	): Promise<DeliveryResult> {
		const response = new TestResponse();
		const context = data(isTest ? 'manual' : 'webhook');
		const body = Buffer.from(request.body);
		const httpRequest = {
			headers: request.headers,
			params: {},
			query: {},
			method: 'POST',
			rawBody: request.unread ? undefined : body,
			async readRawBody() {
				httpRequest.rawBody = body;
			},
		};
		Object.assign(context, { httpRequest, httpResponse: response });
		// As Node's: whoever keeps the response keeps the request.
		Object.assign(response, { req: httpRequest });
		const own = new WebhookContext(
			receiving,
			receiving.getNode(node.name) ?? node,
			context,
			isTest ? 'manual' : 'webhook',
			webhookData(isTest),
			[],
			createRunExecutionData(),
		);
		const result: IWebhookResponseData = request.clock
			? await receiveDelivery(own, request.clock)
			: await type.webhook.call(own);
		const { answerAfterMs = 0 } = request;
		if (answerAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, answerAfterMs));
		if (request.hungUp) response.close();
		// As n8n: saves the execution, then responds.
		if (result.noWebhookResponse !== true) response.status(request.n8nStatus ?? 200).end();
		return {
			status: response.statusCode,
			items: result.workflowData?.[0]?.map(({ json }) => json),
			...(response.text !== '' && { text: response.text }),
		};
	}
	const hook = (
		activation: WorkflowActivateMode,
		isTest = activation === 'manual',
		mode: 'manual' | 'trigger' | 'internal' = isTest ? 'manual' : 'trigger',
	) => {
		const executionData = data(mode === 'manual' ? mode : 'trigger');
		return watched(
			new HookContext(workflow, here(), executionData, mode, activation, webhookData(isTest)),
		);
	};
	const methods = type.webhookMethods.default;
	const crons: Array<() => void> = [];
	/** When n8n is to call the trigger. */
	const expressions: string[] = [];
	const emitted: INodeExecutionData[][] = [];
	/** The errors that n8n 2 shows in failed executions of the workflow. */
	const failed: Error[] = [];
	let unheardEnds = 0;
	/** How the next executions end that the trigger starts, after the node has run. */
	const endings: Ending[] = [];

	/** What n8n tells of an execution that has run. */
	function ended(run: Pick<IRun, 'data'>): IRun {
		const { status = 'success', lastNodeExecuted = node.name } = endings.shift() ?? {};
		if (lastNodeExecuted !== null) run.data.resultData.lastNodeExecuted = lastNodeExecuted;
		return { ...run, status } as IRun;
	}

	/** The context of an execution with these items. */
	function executing(loaded: Workflow, mode: WorkflowExecuteMode, items: INodeExecutionData[]) {
		const runData = createRunExecutionData();
		const own = loaded.getNode(node.name) ?? node;
		const input = { main: [items] };
		const context = new ExecuteContext(
			loaded,
			own,
			data(mode === 'manual' ? mode : 'trigger'),
			mode,
			runData,
			0,
			items,
			input,
			{ data: input, node: own, source: null },
			[],
		);
		return { runData, context };
	}

	/** n8n's execution of what the trigger emitted: with static data as they are in the database. */
	async function runSaving(items: INodeExecutionData[]): Promise<IRun> {
		const given = options.blindWorkers ? {} : database.saved;
		const fresh = load(asSaved(given));
		const { runData, context } = executing(fresh, 'trigger', items);
		const runner = options.queueMode ? workerType() : type;
		expect(await runner.execute.call(watched(context))).toEqual([[]]);
		save(fresh);
		return ended({ data: runData });
	}

	return {
		node,
		givenName: options.name,
		workflowId,
		/** The secret of the credential as it is now; what the node saves is sealed with it. */
		ownSecret(): string {
			return String(credential.apiKey ?? credential.clientSecret);
		},
		/** Saved static data, as n8n's database has them. */
		saved: () => database.saved,
		/** An execution that ran long saves all static data as it found them. */
		overwrite(staticData: IDataObject) {
			database.saved = asSaved(staticData);
		},
		/** The data that an execution of the workflow saves, a Code node for example. */
		saveElsewhere(staticData: IDataObject) {
			database.saved = { ...database.saved, ...staticData };
		},
		/** As n8n: asks whether it exists, creates it otherwise, saves. */
		async activate(activation: WorkflowActivateMode = 'activate') {
			const context = hook(activation);
			if (!(await methods.checkExists.call(context))) await methods.create.call(context);
			save();
		},
		async deactivate(activation: WorkflowActivateMode = 'update') {
			const result = await methods.delete.call(hook(activation, false, 'internal'));
			save();
			return result;
		},
		/** As n8n when somebody listens for a test event: with static data of their own. */
		async beginTest() {
			const production = workflow;
			workflow = load({});
			await methods.create.call(hook('manual'));
			test = workflow;
			workflow = production;
		},
		/** As n8n ends a test: with the mode in which it unpublishes, whatever the node had saved by then. */
		async endTest() {
			const production = workflow;
			workflow = test ?? load({});
			const result = await methods.delete.call(hook('update', true, 'internal'));
			workflow = production;
			return result;
		},
		/** Waits until the trigger rests: nothing of it is under way, and nothing follows at once. */
		async idle() {
			for (let turns = 0; turns < 20; turns += 1) {
				if (underWay > 0) turns = 0;
				// With a timer: the first change of a key waits for one before it is sent.
				await new Promise((resolve) => setTimeout(resolve, 1));
			}
		},
		/** Loads the workflow as n8n does for each delivery and after each start. */
		reload(staticData: IDataObject = database.saved) {
			workflow = load(asSaved(staticData));
		},
		deliver: async (request: DeliveryRequest, isTest = false): Promise<DeliveryResult> =>
			await deliverTo(workflow, request, isTest),
		/** As `deliver`, with the workflow as n8n reads it from its database. */
		receive,
		/** Whether anything in the static data changed since it was loaded. */
		changed: () => save(),
		/** `trigger()`; its ticks come from `tick`. */
		async start(activation: WorkflowActivateMode = 'init') {
			const context = new TriggerContext(
				workflow,
				here(),
				data('trigger'),
				'trigger',
				activation,
				(items, _response, done) => {
					save();
					emitted.push(items[0] ?? []);
					if (endings[0]?.throws) throw endings.shift()?.throws;
					const isSaving = items[0]?.[0]?.json.event === 'subscription_renewed';
					if (!isSaving && endings.length > 0) {
						done?.resolve(ended({ data: createRunExecutionData() }));
					}
					if (!isSaving) return;
					void counted(async () => {
						await new Promise(setImmediate);
						return await runSaving(items[0] ?? []);
					}).then(
						(run) => {
							if (unheardEnds > 0) unheardEnds -= 1;
							else done?.resolve(run);
						},
						(error: Error) => done?.reject(error),
					);
				},
				undefined,
				(error) => failed.push(error),
			);
			// As n8n, which ends a trigger before it starts it again.
			crons.length = 0;
			// The tests turn the clock themselves; n8n 1 takes no scheduler of ours.
			Object.assign(context.helpers, {
				registerCron({ expression }: { expression: string }, onTick: (at: Date) => void) {
					expressions.push(expression);
					crons.push(() => onTick(new Date()));
					return true;
				},
			});
			return await type.trigger.call(watched(context));
		},
		tick: () => crons.forEach((onTick) => onTick()),
		emitted,
		failed,
		expressions,
		/** How often the node asked n8n's own webhook address. */
		asked: () => asked,
		/** n8n's main process does not hear of the end of the next execution that the trigger starts. */
		missEnd() {
			unheardEnds += 1;
		},
		/** How the next execution ends that the trigger starts; of a search for missed records only this is told. */
		endNext(ending: Ending) {
			endings.push(ending);
		},
		/** `execute()`, as part of the execution that a delivery or the trigger started. */
		async execute(
			items: IDataObject[],
			mode: 'webhook' | 'trigger' | 'manual' | 'retry' = 'webhook',
		): Promise<IDataObject[]> {
			await prepareMemory();
			const input = items.map((json) => ({ json }));
			const { context } = executing(workflow, mode, input);
			const [output] = await type.execute.call(context);
			return (output ?? []).map(({ json }) => json);
		},
	};
}

/** Two triggers in one workflow. */
export function triggerPair(
	credentials: TestCredentials,
	parameters: IDataObject,
	options: { queueMode?: boolean; blindWorkers?: boolean } = {},
) {
	const shared = { ...options, database: { saved: {} } };
	const first = triggerNode(credentials, parameters, { name: 'First', ...shared });
	const second = triggerNode(credentials, parameters, { name: 'Second', ...shared, sameAs: first });
	return [first, second];
}

export type TestTrigger = ReturnType<typeof triggerNode>;

/** n8n's response, as far as a webhook node is concerned. */
class TestResponse extends EventEmitter {
	statusCode = 200;

	text = '';

	private isClosed = false;

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	end(text = ''): void {
		this.text = text;
		this.close();
	}

	/** Also if the sender hangs up. */
	close(): void {
		if (!this.isClosed) this.emit('close');
		this.isClosed = true;
	}
}

/** Collects what the nodes write to n8n's log. */
export function watchWarnings(): { lines: string[]; stop: () => void } {
	const lines: string[] = [];
	const spy = jest.spyOn(Container.get(Logger), 'warn').mockImplementation((message: string) => {
		lines.push(message);
	});
	return { lines, stop: () => spy.mockRestore() };
}
