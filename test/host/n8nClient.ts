import { parse } from 'flatted';
import type {
	ExecutionStatus,
	IDataObject,
	INode,
	INodeExecutionData,
	IRunExecutionData,
	IWorkflowBase,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { until } from './deadline.ts';
import type { Major } from './folders.ts';

/** Anything JSON can hold. */
export type Json = IDataObject[string];

/** A JSON object. */
export type JsonObject = IDataObject;

/** A credential as a node refers to it. */
export interface CredentialReference {
	id: string;
	name: string;
}

/** A node of a workflow. */
export interface WorkflowNode extends Omit<INode, 'parameters'> {
	parameters: JsonObject;
}

/** A workflow as it is imported. */
export interface Workflow extends Pick<IWorkflowBase, 'name' | 'connections' | 'settings'> {
	nodes: WorkflowNode[];
}

/** A workflow as n8n keeps it. */
export interface SavedWorkflow extends Workflow {
	id: string;
	versionId: string;
	active: boolean;
}

/** An execution in a list. */
export interface ExecutionSummary {
	id: string;
	status: string;
	mode: string;
}

/** An execution with its data. */
export interface Execution extends ExecutionSummary {
	workflowId: string;
	data: Pick<IRunExecutionData, 'resultData'>;
}

/** n8n answered with an error. */
class N8nError extends Error {
	override readonly name = 'N8nError';
	readonly status: number;

	constructor(message: string, status: number) {
		super(message);
		this.status = status;
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

/** How a trigger fares after publishing. */
interface PublicationStatus {
	status: 'in_progress' | 'published' | 'partial' | 'failed' | 'not_published';
	pendingVersionId: string | null;
	triggers: Array<{ errorMessage: string | null }>;
}

const unfinished: ExecutionStatus[] = ['new', 'running', 'waiting'];

/** The items that a node gave on one of its outputs, over all its runs. */
export function outputOf(execution: Execution, node: string, output = 0): INodeExecutionData[] {
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

/** A client for what the demo and the tests need of the REST interface that n8n's editor uses; sign in first. */
export class N8nClient {
	readonly baseUrl: string;
	readonly major: Major;
	// n8n ties a session to the browser it began in.
	readonly #browserId = randomUUID();
	#cookie = '';

	/**
	 * @param baseUrl address of n8n without a final slash
	 * @param major its major version: the two differ in a few bodies
	 */
	constructor(baseUrl: string, major: Major) {
		this.baseUrl = baseUrl;
		this.major = major;
	}

	/** Sends a request once. */
	async #send(method: string, path: string, body?: unknown): Promise<Json> {
		const response = await fetch(this.baseUrl + path, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': this.#browserId,
				// n8n closes idle connections after 5 s; a busy n8n does so with a request under way.
				connection: 'close',
				...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
				// Where n8n tells of an execution that is started by hand.
				'push-ref': this.#browserId,
			},
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(120_000),
		});
		const session = response.headers.getSetCookie().find((one) => one.startsWith('n8n-auth='));
		if (session !== undefined) this.#cookie = session.split(';')[0] ?? '';
		const text = await response.text();
		let answer: Json = text;
		try {
			answer = JSON.parse(text) as Json;
		} catch {
			// Not JSON: the text itself is the answer.
		}
		if (!response.ok) {
			const message = `${method} ${path}: n8n answered ${response.status} ${text.slice(0, 800)}`;
			throw new N8nError(message, response.status);
		}
		const hasData = typeof answer === 'object' && answer !== null && 'data' in answer;
		return hasData ? ((answer as JsonObject).data ?? null) : answer;
	}

	/** Sends a request. On a busy machine n8n loses sight of its database for a moment: then it is asked again. */
	async request<Answer = Json>(method: string, path: string, body?: unknown): Promise<Answer> {
		const ask = async () =>
			await this.#send(method, path, body).then(
				(answer) => ({ answer: answer as Answer }),
				(error: unknown) => {
					if (method === 'GET' && error instanceof N8nError && error.status === 503)
						return undefined;
					throw error;
				},
			);
		return (await until(`an answer to ${method} ${path}`, ask, 240_000)).answer;
	}

	/** Signs in as the owner, who is set up first if there is none. */
	async signIn(): Promise<void> {
		try {
			await this.request('POST', '/rest/owner/setup', owner);
		} catch (error) {
			// 400: there is one.
			if (!(error instanceof N8nError) || error.status !== 400) throw error;
			const { email, password } = owner;
			await this.request('POST', '/rest/login', { emailOrLdapLoginId: email, password });
		}
	}

	/** Stores a credential. */
	async createCredential(
		name: string,
		type: string,
		data: JsonObject,
	): Promise<CredentialReference> {
		const saved = await this.request<CredentialReference>('POST', '/rest/credentials', {
			name,
			type,
			data,
		});
		return { id: saved.id, name: saved.name };
	}

	/** All stored credentials. */
	async credentials(): Promise<Array<CredentialReference & { type: string }>> {
		return await this.request('GET', '/rest/credentials');
	}

	/** Replaces what a credential holds. */
	async updateCredential(id: string, name: string, type: string, data: JsonObject): Promise<void> {
		await this.request('PATCH', `/rest/credentials/${id}`, { name, type, data });
	}

	/** Presses the Test button of a credential; with `id` of a stored one, else of one not yet saved. */
	async testCredential(
		type: string,
		data: JsonObject,
		id = '',
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		return await this.request('POST', '/rest/credentials/test', {
			credentials: { id, name: 'Under test', type, data },
		});
	}

	/** Stores a workflow, not active. */
	async createWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		return await this.request('POST', '/rest/workflows', {
			settings: { executionOrder: 'v1' },
			pinData: {},
			active: false,
			...workflow,
		});
	}

	/** Stores changes of a workflow. An active one takes them with {@link publish} (2.x) or at once (1.x). */
	async updateWorkflow(saved: SavedWorkflow, changes: Partial<Workflow>): Promise<SavedWorkflow> {
		const { id, name, nodes, connections, settings, versionId } = saved;
		return await this.request('PATCH', `/rest/workflows/${id}`, {
			name,
			nodes,
			connections,
			settings,
			versionId,
			...changes,
		});
	}

	/** A stored workflow. */
	async workflow(id: string): Promise<SavedWorkflow> {
		return await this.request('GET', `/rest/workflows/${id}`);
	}

	/** All stored workflows, without their nodes. */
	async workflows(): Promise<Array<{ id: string; name: string; active: boolean }>> {
		return await this.request('GET', '/rest/workflows');
	}

	/**
	 * Makes a workflow active and waits until its triggers are.
	 *
	 * @throws Error with what n8n shows, when a trigger cannot be activated
	 */
	async publish(saved: SavedWorkflow): Promise<void> {
		const { id } = saved;
		const { versionId } = await this.workflow(id);
		await this.request('POST', `/rest/workflows/${id}/activate`, { versionId });
		// 1.x answers when the triggers are active, 2.x before.
		if (this.major === 1) return;
		const published = async () => {
			const { status, triggers, pendingVersionId } = await this.#publication(id);
			if (status === 'published' && pendingVersionId === null) return true;
			if (status !== 'failed' && status !== 'partial') return undefined;
			const messages = triggers.map((trigger) => trigger.errorMessage).filter(Boolean);
			throw new Error(`Workflow ${saved.name} could not be published: ${messages.join('; ')}`);
		};
		await until(`workflow ${saved.name} to be published`, published, 240_000);
	}

	async #publication(id: string): Promise<PublicationStatus> {
		return await this.request('GET', `/rest/workflows/${id}/publication-status`);
	}

	/** Makes a workflow inactive and waits until its triggers are gone. */
	async unpublish(id: string): Promise<void> {
		await this.request('POST', `/rest/workflows/${id}/deactivate`, {});
		if (this.major === 1) return;
		const unpublished = async () =>
			(await this.#publication(id)).status === 'not_published' || undefined;
		await until(`workflow ${id} to be unpublished`, unpublished, 240_000);
	}

	/**
	 * Presses "Execute workflow".
	 *
	 * @param trigger the node to start from
	 * @returns the execution's id, or undefined where n8n now waits for a test event
	 */
	async start(saved: SavedWorkflow, trigger: string): Promise<string | undefined> {
		const body = {
			triggerToStartFrom: { name: trigger },
			...(this.major === 1 ? { workflowData: saved } : {}),
		};
		const path = `/rest/workflows/${saved.id}/run`;
		return (await this.request<{ executionId?: string }>('POST', path, body)).executionId;
	}

	/** An execution with its data. */
	async execution(id: string): Promise<Execution> {
		const answer = await this.request<Omit<Execution, 'data'> & { data: string }>(
			'GET',
			`/rest/executions/${id}`,
		);
		return { ...answer, data: parse(answer.data) as Execution['data'] };
	}

	/** Waits until an execution has ended. */
	async finished(id: string): Promise<Execution> {
		const path = `/rest/executions/${id}`;
		const ended = async () => {
			const { status } = await this.request<{ status: ExecutionStatus }>('GET', path);
			return unfinished.includes(status) ? undefined : await this.execution(id);
		};
		return await until(`execution ${id} to end`, ended, 480_000, 200);
	}

	/** Runs a stored workflow from one of its triggers to the end, whatever the end is. */
	async run(saved: SavedWorkflow, trigger: string): Promise<Execution> {
		const id = await this.start(saved, trigger);
		if (id === undefined)
			throw new Error(`${saved.name} waits for an event; it has no trigger to start by hand`);
		return await this.finished(id);
	}

	/** The executions of a workflow, newest first; of 1.x the last hundred. */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		const found: ExecutionSummary[] = [];
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		let position = '';
		do {
			const page = await this.request<{ results: ExecutionSummary[]; nextCursor?: string | null }>(
				'GET',
				`/rest/executions?filter=${filter}&limit=100${position}`,
			);
			found.push(...page.results);
			position = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
		} while (position !== '');
		return found;
	}

	/** The names of all node types. */
	async nodeTypes(): Promise<
		Array<{ name: string; displayName: string; webhooks?: JsonObject[] }>
	> {
		return await this.request('GET', '/types/nodes.json');
	}
}
