import { Container } from '@n8n/di';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { ExecuteContext, HookContext, TriggerContext, WebhookContext } from 'n8n-core';
import { Logger } from '@n8n/backend-common';
import {
	createRunExecutionData,
	type Workflow,
	type IDataObject,
	type INode,
	type ITriggerResponse,
	type IWebhookResponseData,
	type WorkflowActivateMode,
} from 'n8n-workflow';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import { actionNode, additionalData, loadWorkflow, type TestCredentials } from './n8n';

/** Type name of the trigger node, as a community package gives it. */
export const TRIGGER_TYPE = 'n8n-nodes-workspace-data.workspaceDataTrigger';

/** A request to n8n's webhook address. */
export interface DeliveryRequest {
	body: Buffer;
	headers: Record<string, string>;
	/** As a request whose body n8n has not read yet. */
	unread?: boolean;
	/** The status that n8n responds with if the node leaves it to n8n; 500 is a failed save. */
	n8nStatus?: number;
	/** True if the sender hangs up before n8n responds. */
	hungUp?: boolean;
	/** n8n responds when this resolves. */
	respondAfter?: Promise<unknown>;
}

export type TestTrigger = ReturnType<typeof triggerNode>;

let workflows = 0;

/** Static data as the database keeps them. */
const asSaved = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;

/** Express's response, as far as a webhook node sees it. */
function createResponse() {
	const socket = new PassThrough() as unknown as Socket;
	const response = new ServerResponse(new IncomingMessage(socket));
	response.assignSocket(socket);
	socket.resume();
	return Object.assign(response, {
		status(code: number) {
			response.statusCode = code;
			return response;
		},
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
		/** The same workflow as another one, and the same node unless it has a name of its own. */
		sameAs?: { workflowId: string };
		name?: string | undefined;
		/** What n8n does after an `emitError`. */
		major?: 1 | 2;
	} = {},
) {
	const workflowId = options.sameAs?.workflowId ?? `trigger-workflow-${(workflows += 1)}`;
	const { name = 'Trigger', major = 2 } = options;
	const node: INode = {
		...actionNode(credentials, parameters),
		id: `${workflowId}-node`,
		name,
		webhookId: `${workflowId}-${name}`,
		type: TRIGGER_TYPE,
	};
	const type = new WorkspaceDataTrigger();
	const load = (staticData: IDataObject = {}) =>
		loadWorkflow(
			[node],
			{ [TRIGGER_TYPE]: type },
			{ id: workflowId, active: true, staticData: asSaved(staticData) },
		);
	let saved = options.staticData ?? {};
	let workflow = load(saved);
	let test = load();
	const webhook = type.description.webhooks?.[0];
	if (!webhook) throw new Error('The trigger has no webhook');

	/** Requests of the node that have not ended. */
	let underWay = 0;
	const data = (mode: 'trigger' | 'webhook' | 'manual') => {
		const base = options.webhookBase ?? 'http://127.0.0.1:5678';
		return {
			...additionalData(credentials, mode, workflow),
			webhookBaseUrl: `${base}/webhook`,
			webhookTestBaseUrl: `${base}/webhook-test`,
		};
	};
	/** A context whose requests are counted. */
	function counted<Context extends HookContext | TriggerContext | WebhookContext>(
		context: Context,
	): Context {
		const { httpRequestWithAuthentication: request } = context.helpers;
		context.helpers.httpRequestWithAuthentication = async function (...sent) {
			underWay += 1;
			try {
				return (await request.apply(this, sent)) as unknown;
			} finally {
				underWay -= 1;
			}
		};
		return context;
	}
	const here = (loaded: Workflow) => loaded.getNode(node.name) ?? node;
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
	const save = (loaded = workflow): void => {
		const changed = loaded.staticData as IDataObject & { __dataChanged?: boolean };
		if (changed.__dataChanged) saved = asSaved(changed);
		changed.__dataChanged = false;
	};
	const hook = (
		loaded: Workflow,
		activation: WorkflowActivateMode,
		mode: 'manual' | 'trigger' | 'internal',
		isTest = false,
	) => {
		const own = data(mode === 'manual' ? mode : 'trigger');
		const context = new HookContext(
			loaded,
			here(loaded),
			own,
			mode,
			activation,
			webhookData(isTest),
		);
		return counted(context);
	};
	const methods = type.webhookMethods.default;
	let running: ITriggerResponse = {};
	let crons: Array<() => void> = [];
	const expressions: string[] = [];
	const errors: string[] = [];
	const failed: Error[] = [];
	let recovery = Promise.resolve();

	/** What n8n does after `emitError`. */
	async function recover(): Promise<void> {
		await running.closeFunction?.();
		if (major === 1) {
			workflow = load(firstStaticData);
			await self.activate('activate');
		}
		await self.start('activate');
		save();
	}
	let firstStaticData = asSaved(saved);

	const self = {
		node,
		workflowId,
		/** Static data in n8n's database. */
		saved: () => saved,
		/** Static data of the test execution. */
		testData: () => test.staticData,
		/** An execution that ran long saves all static data as it found them. */
		overwrite(staticData: IDataObject) {
			saved = asSaved(staticData);
		},
		/** As n8n: asks whether it exists, creates it otherwise, saves. */
		async activate(activation: WorkflowActivateMode = 'activate') {
			firstStaticData = asSaved(workflow.staticData);
			const context = hook(workflow, activation, 'trigger');
			if (!(await methods.checkExists.call(context))) await methods.create.call(context);
			save();
		},
		/** As n8n, which closes what `trigger()` started as well. */
		async deactivate(activation: WorkflowActivateMode = 'update') {
			const result = await methods.delete.call(hook(workflow, activation, 'internal'));
			save();
			crons = [];
			await running.closeFunction?.();
			return result;
		},
		/** As n8n when somebody listens for a test event: with static data of their own. */
		async beginTest() {
			test = load();
			await methods.create.call(hook(test, 'manual', 'manual', true));
		},
		/** As n8n ends a test: with the mode in which it unpublishes. */
		async endTest() {
			return await methods.delete.call(hook(test, 'update', 'internal', true));
		},
		/** Waits until the trigger rests: nothing of it is under way, and nothing follows at once. */
		async idle() {
			for (let turns = 0; turns < 20; turns += 1) {
				if (underWay > 0) turns = 0;
				// With a timer: n8n's own helpers use some.
				await new Promise((resolve) => setTimeout(resolve, 1));
			}
			await recovery;
		},
		/** n8n's process or another one reads the workflow from the database. */
		reload(staticData: IDataObject = saved) {
			workflow = load(staticData);
		},
		/** As n8n, which reads the workflow from its database for each delivery. */
		async deliver(request: DeliveryRequest, isTest = false) {
			const receiving = isTest ? test : load(saved);
			const mode = isTest ? 'manual' : 'webhook';
			const response = createResponse();
			const httpRequest = {
				headers: request.headers,
				params: {},
				query: {},
				method: 'POST',
				rawBody: request.unread ? undefined : request.body,
				async readRawBody() {
					httpRequest.rawBody = request.body;
				},
			};
			// As Node's: whoever keeps the response keeps the request.
			Object.assign(response, { req: httpRequest });
			const context = Object.assign(data(mode), { httpRequest, httpResponse: response });
			const own = counted(
				new WebhookContext(
					receiving,
					here(receiving),
					context,
					mode,
					webhookData(isTest),
					[],
					createRunExecutionData(),
				),
			);
			const result: IWebhookResponseData = await type.webhook.call(own);
			await request.respondAfter;
			if (request.hungUp) {
				response.socket?.destroy();
				await new Promise((resolve) => response.once('close', resolve));
			}
			if (!isTest) save(receiving);
			// As n8n: saves the execution, then responds.
			if (result.noWebhookResponse !== true) response.status(request.n8nStatus ?? 200).end();
			if (!request.hungUp && !response.writableFinished) {
				await new Promise((resolve) => response.once('finish', resolve));
			}
			return {
				/** The status that the node sent, or else n8n's. */
				status: response.statusCode,
				/** Items of the execution that n8n starts; undefined where it starts none. */
				items: result.workflowData?.[0]?.map(({ json }) => json),
			};
		},
		/** `trigger()`; its ticks come from `tick`. */
		async start(activation: WorkflowActivateMode = 'init') {
			const context = new TriggerContext(
				workflow,
				here(workflow),
				data('trigger'),
				'trigger',
				activation,
				undefined,
				(error) => {
					errors.push(error.message);
					recovery = recover();
				},
				(error) => failed.push(error),
			);
			// As n8n, which ends a trigger before it starts it again.
			crons = [];
			// The tests turn the clock themselves; n8n 1 takes no scheduler of ours.
			Object.assign(context.helpers, {
				registerCron({ expression }: { expression: string }, onTick: (at: Date) => void) {
					expressions.push(expression);
					crons.push(() => onTick(new Date()));
					return true;
				},
			});
			if (major === 1) Object.assign(context, { saveFailedExecution: undefined });
			running = await type.trigger.call(counted(context));
		},
		/** The cron ticks. Waits until the trigger rests. */
		async tick() {
			for (const onTick of crons) onTick();
			await self.idle();
		},
		/** As `tick`, without a wait. */
		beginTick: () => crons.forEach((onTick) => onTick()),
		/** When n8n is to call the trigger. */
		expressions,
		/** The messages of `emitError`. */
		errors,
		/** The errors that n8n 2 shows in failed executions of the workflow. */
		failed,
		/** `execute()`, as part of the execution that a delivery started. */
		async execute(items: IDataObject[]): Promise<IDataObject[]> {
			const input = items.map((json) => ({ json }));
			const context = new ExecuteContext(
				workflow,
				here(workflow),
				data('manual'),
				'manual',
				createRunExecutionData(),
				0,
				input,
				{ main: [input] },
				{ data: { main: [input] }, node, source: null },
				[],
			);
			const [output] = await type.execute.call(context);
			return (output ?? []).map(({ json }) => json);
		},
	};
	return self;
}

/** Collects what the nodes write to n8n's log. */
export function watchWarnings(): string[] {
	const lines: string[] = [];
	jest.spyOn(Container.get(Logger), 'warn').mockImplementation((line) => void lines.push(line));
	return lines;
}
