import { parse } from 'flatted';
import type { ExecutionStatus } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { until } from './deadline.ts';
import type { Major } from './folders.ts';

/** Anything JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

/** A JSON object. */
export type JsonObject = { [key: string]: Json | undefined };

/** A credential as a node refers to it. */
export interface CredentialReference {
	id: string;
	name: string;
}

/** A node of a workflow. */
export interface WorkflowNode {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: JsonObject;
	credentials?: Record<string, CredentialReference>;
	webhookId?: string;
	onError?: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	retryOnFail?: boolean;
	maxTries?: number;
	waitBetweenTries?: number;
	alwaysOutputData?: boolean;
	executeOnce?: boolean;
}

/** From a node's name to the nodes that follow, by output. */
export type Connections = Record<
	string,
	Record<string, Array<Array<{ node: string; type: string; index: number }>>>
>;

/** A workflow as it is imported. */
export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Connections;
	settings?: JsonObject;
}

/** A workflow as n8n keeps it. */
export interface SavedWorkflow extends Workflow {
	id: string;
	versionId: string;
	active: boolean;
}

/** One item of an execution. */
export interface Item {
	json: JsonObject;
	error?: JsonObject;
	pairedItem?: Json;
}

/** One run of a node in an execution. */
export interface NodeRun {
	/** In milliseconds. */
	executionTime?: number;
	executionStatus?: string;
	error?: JsonObject;
	data?: { main?: Array<Item[] | null> };
}

/** An execution with its data. */
export interface Execution {
	id: string;
	status: string;
	mode: string;
	workflowId: string;
	data: {
		resultData: {
			runData: Record<string, NodeRun[]>;
			error?: JsonObject;
			lastNodeExecuted?: string;
		};
	};
}

/** An execution in a list. */
export interface ExecutionSummary {
	id: string;
	status: string;
	mode: string;
}

/** n8n answered with an error. */
export class N8nError extends Error {
	override readonly name = 'N8nError';
	readonly status: number;
	readonly body: Json;

	constructor(message: string, status: number, body: Json) {
		super(message);
		this.status = status;
		this.body = body;
	}
}

const owner = {
	email: 'demo@example.com',
	password: 'Workspace-demo-1',
	firstName: 'Demo',
	lastName: 'Owner',
};

/** The sign-in that {@link N8nClient.signIn} sets up; it opens nothing beyond the loopback address. */
export const demoSignIn = { email: owner.email, password: owner.password };

/** The REST interface of n8n's own editor, as far as the demo and the tests need it. */
export type N8nClient = ReturnType<typeof createN8nClient>;

/** How a trigger fares after publishing. */
interface PublicationStatus {
	status: 'in_progress' | 'published' | 'partial' | 'failed' | 'not_published';
	liveVersionId: string | null;
	pendingVersionId: string | null;
	triggers: Array<{ nodeId: string; status: string; errorMessage: string | null }>;
}

const unfinished: ExecutionStatus[] = ['new', 'running', 'waiting'];
const ended: ExecutionStatus[] = ['success', 'error', 'crashed', 'canceled', 'unknown'];

/** The items that a node gave on one of its outputs, over all its runs. */
export function outputOf(execution: Execution, node: string, output = 0): Item[] {
	const runs = execution.data.resultData.runData[node] ?? [];
	return runs.flatMap((run) => run.data?.main?.[output] ?? []);
}

/** Why an execution failed, in the words that the editor shows. */
export function failureOf(execution: Execution): string {
	const runs = Object.values(execution.data.resultData.runData).flat();
	const error = execution.data.resultData.error ?? runs.find((run) => run.error)?.error;
	const parts = [error?.message, error?.description].filter((part) => typeof part === 'string');
	return parts.join(' — ') || JSON.stringify(error ?? execution.status);
}

/**
 * A client for the REST interface that n8n's editor uses; sign in first.
 *
 * @param baseUrl address of n8n without a final slash
 * @param major its major version: the two differ in a few bodies
 */
export function createN8nClient(baseUrl: string, major: Major) {
	// n8n ties a session to the browser it began in.
	const browserId = randomUUID();
	let cookie = '';

	/** Sends a request once. */
	async function send(
		method: string,
		path: string,
		body?: unknown,
		headers: Record<string, string> = {},
	): Promise<Json> {
		const response = await fetch(baseUrl + path, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': browserId,
				// n8n closes idle connections after 5 s; a busy n8n does so with a request under way.
				connection: 'close',
				...(cookie === '' ? {} : { cookie }),
				...headers,
			},
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(120_000),
		});
		const session = response.headers.getSetCookie().find((one) => one.startsWith('n8n-auth='));
		if (session !== undefined) cookie = session.split(';')[0] ?? '';
		const text = await response.text();
		let answer: Json = text;
		try {
			answer = JSON.parse(text) as Json;
		} catch {
			// Not JSON: the text itself is the answer.
		}
		if (!response.ok) {
			const message = `${method} ${path}: n8n answered ${response.status} ${text.slice(0, 800)}`;
			throw new N8nError(message, response.status, answer);
		}
		const hasData = typeof answer === 'object' && answer !== null && 'data' in answer;
		return hasData ? ((answer as JsonObject).data ?? null) : answer;
	}

	/** Sends a request. On a busy machine n8n loses sight of its database for a moment: then it is asked again. */
	async function request(...call: Parameters<typeof send>): Promise<Json> {
		const isBusy = (error: unknown) =>
			call[0] === 'GET' && error instanceof N8nError && error.status === 503;
		const ask = async () =>
			await send(...call).then(
				(answer) => ({ answer }),
				(error: unknown) => {
					if (isBusy(error)) return undefined;
					throw error;
				},
			);
		const { answer } = await until(`an answer to ${call[0]} ${call[1]}`, ask, 240_000);
		return answer;
	}

	async function ask<Answer>(
		method: string,
		path: string,
		body?: unknown,
		headers?: Record<string, string>,
	) {
		return (await request(method, path, body, headers)) as Answer;
	}

	/** Signs in as the owner, who is set up first if there is none. */
	async function signIn(): Promise<void> {
		try {
			await request('POST', '/rest/owner/setup', owner);
		} catch (error) {
			// 400: there is one.
			if (!(error instanceof N8nError) || error.status !== 400) throw error;
			const { email, password } = owner;
			await request('POST', '/rest/login', { emailOrLdapLoginId: email, password });
		}
	}

	/** Stores a credential. */
	async function createCredential(
		name: string,
		type: string,
		data: JsonObject,
	): Promise<CredentialReference> {
		const saved = await ask<CredentialReference>('POST', '/rest/credentials', { name, type, data });
		return { id: saved.id, name: saved.name };
	}

	/** All stored credentials. */
	async function credentials(): Promise<Array<CredentialReference & { type: string }>> {
		return await ask('GET', '/rest/credentials');
	}

	/** Replaces what a credential holds. */
	async function updateCredential(
		id: string,
		name: string,
		type: string,
		data: JsonObject,
	): Promise<void> {
		await request('PATCH', `/rest/credentials/${id}`, { name, type, data });
	}

	/** Presses the Test button of a credential; with `id` of a stored one, else of one not yet saved. */
	async function testCredential(
		type: string,
		data: JsonObject,
		id = '',
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		return await ask('POST', '/rest/credentials/test', {
			credentials: { id, name: 'Under test', type, data },
		});
	}

	/** Stores a workflow, not active. */
	async function createWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		return await ask('POST', '/rest/workflows', {
			settings: { executionOrder: 'v1' },
			pinData: {},
			active: false,
			...workflow,
		});
	}

	/** Stores changes of a workflow. An active one takes them with {@link publish} (2.x) or at once (1.x). */
	async function updateWorkflow(
		saved: SavedWorkflow,
		changes: Partial<Workflow>,
	): Promise<SavedWorkflow> {
		const { id, name, nodes, connections, settings, versionId } = saved;
		return await ask('PATCH', `/rest/workflows/${id}`, {
			name,
			nodes,
			connections,
			settings,
			versionId,
			...changes,
		});
	}

	/** A stored workflow. */
	async function workflow(id: string): Promise<SavedWorkflow> {
		return await ask('GET', `/rest/workflows/${id}`);
	}

	/** All stored workflows, without their nodes. */
	async function workflows(): Promise<Array<{ id: string; name: string; active: boolean }>> {
		return await ask('GET', '/rest/workflows');
	}

	/**
	 * Makes a workflow active and waits until its triggers are.
	 *
	 * @throws Error with what n8n shows, when a trigger cannot be activated
	 */
	async function publish(saved: SavedWorkflow): Promise<void> {
		const { id } = saved;
		const { versionId } = await workflow(id);
		await request('POST', `/rest/workflows/${id}/activate`, { versionId });
		// 1.x answers when the triggers are active, 2.x before.
		if (major === 1) return;
		await until(
			`workflow ${saved.name} to be published`,
			async () => {
				const answer = await ask<PublicationStatus>(
					'GET',
					`/rest/workflows/${id}/publication-status`,
				);
				const { status, triggers, pendingVersionId } = answer;
				if (status === 'published' && pendingVersionId === null) return true;
				if (status !== 'failed' && status !== 'partial') return undefined;
				const messages = triggers.map((trigger) => trigger.errorMessage).filter(Boolean);
				throw new Error(`Workflow ${saved.name} could not be published: ${messages.join('; ')}`);
			},
			240_000,
		);
	}

	/** Makes a workflow inactive and waits until its triggers are gone. */
	async function unpublish(id: string): Promise<void> {
		await request('POST', `/rest/workflows/${id}/deactivate`, {});
		if (major === 1) return;
		await until(
			`workflow ${id} to be unpublished`,
			async () => {
				const answer = await ask<PublicationStatus>(
					'GET',
					`/rest/workflows/${id}/publication-status`,
				);
				return answer.status === 'not_published' ? true : undefined;
			},
			240_000,
		);
	}

	/**
	 * Presses "Execute workflow".
	 *
	 * @param trigger the node to start from
	 * @returns the execution's id, or undefined where n8n now waits for a test event
	 */
	async function start(saved: SavedWorkflow, trigger: string): Promise<string | undefined> {
		const body = {
			triggerToStartFrom: { name: trigger },
			...(major === 1 ? { workflowData: saved } : {}),
		};
		const answer = await ask<{ executionId?: string }>(
			'POST',
			`/rest/workflows/${saved.id}/run`,
			body,
			{
				'push-ref': browserId,
			},
		);
		return answer.executionId;
	}

	/** An execution with its data. */
	async function execution(id: string): Promise<Execution> {
		const answer = await ask<Omit<Execution, 'data'> & { data: string }>(
			'GET',
			`/rest/executions/${id}`,
		);
		return { ...answer, data: parse(answer.data) as Execution['data'] };
	}

	/** Waits until an execution has ended. @param milliseconds how long */
	async function finished(id: string, milliseconds = 480_000): Promise<Execution> {
		return await until(
			`execution ${id} to end`,
			async () => {
				const { status } = await ask<{ status: ExecutionStatus }>('GET', `/rest/executions/${id}`);
				return unfinished.includes(status) ? undefined : await execution(id);
			},
			milliseconds,
			200,
		);
	}

	/** Runs a stored workflow from one of its triggers to the end, whatever the end is. */
	async function run(
		saved: SavedWorkflow,
		trigger: string,
		milliseconds?: number,
	): Promise<Execution> {
		const id = await start(saved, trigger);
		if (id === undefined)
			throw new Error(`${saved.name} waits for an event; it has no trigger to start by hand`);
		return await finished(id, milliseconds);
	}

	/** All executions of a workflow, each once, newest first. */
	async function executions(workflowId: string): Promise<ExecutionSummary[]> {
		const found = new Map<string, ExecutionSummary>();
		// Without a status, 1.x sorts by the start and pages by the id: two executions that started the
		// other way round at the end of a page would hide one of them. With one, it sorts by the id.
		const byId = major === 2 ? {} : { status: [...unfinished, ...ended] };
		const filter = encodeURIComponent(JSON.stringify({ workflowId, ...byId }));
		let position = '';
		do {
			const page = await ask<{ results: ExecutionSummary[]; nextCursor?: string | null }>(
				'GET',
				`/rest/executions?filter=${filter}&limit=100${position}`,
			);
			const before = found.size;
			for (const one of page.results) found.set(one.id, one);
			const oldest = page.results.at(-1);
			// 2.x hands out a cursor, 1.x goes by the last id; a page without news is the end.
			if (major === 2) position = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
			else position = oldest && found.size > before ? `&lastId=${oldest.id}` : '';
		} while (position !== '');
		return [...found.values()];
	}

	/** The names of all node types. */
	async function nodeTypes(): Promise<
		Array<{ name: string; displayName: string; webhooks?: JsonObject[] }>
	> {
		return await ask('GET', '/types/nodes.json');
	}

	return {
		baseUrl,
		major,
		request,
		signIn,
		createCredential,
		credentials,
		updateCredential,
		testCredential,
		createWorkflow,
		updateWorkflow,
		workflow,
		workflows,
		publish,
		unpublish,
		start,
		execution,
		finished,
		run,
		executions,
		nodeTypes,
	};
}
