import 'reflect-metadata';
import { Container } from '@n8n/di';
import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	ExecuteContext,
	ExecutionLifecycleHooks,
	InstanceSettings,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	NodeHelpers,
	Workflow,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type ICredentialsHelper,
	type ICredentialType,
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IPinData,
	type IRun,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { WorkspaceDataApi } from '../../credentials/WorkspaceDataApi.credentials';
import { WorkspaceDataServiceAccountApi } from '../../credentials/WorkspaceDataServiceAccountApi.credentials';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';

/** The major of n8n whose engine runs the tests; jest.config.js gives it. */
export const { n8nMajor = 2 } = globalThis as { n8nMajor?: 1 | 2 };

/** Type name of the action node, as a community package gives it. */
export const ACTION_TYPE = 'n8n-nodes-workspace-data.workspaceData';
const START_TYPE = 'test.start';

/** Credential data by credential type. */
export type TestCredentials = Record<string, ICredentialDataDecryptedObject>;

// n8n-core keeps its settings in a container; nothing runs without.
const folder = mkdtempSync(join(tmpdir(), 'n8n-core-'));
process.env.N8N_USER_FOLDER = folder;
process.env.N8N_ENCRYPTION_KEY = 'test-encryption-key-0123';
process.env.N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS = 'false';
Container.get(InstanceSettings);
// It has read what it wrote there.
rmSync(folder, { recursive: true });

/** A node of the tests, with so many inputs and outputs. */
export function helperNode(
	[inputs, outputs]: [number, number],
	execute: (this: IExecuteFunctions) => INodeExecutionData[][],
	group: 'trigger' | 'transform' = 'transform',
): INodeType {
	const ports = (count: number) => Array.from({ length: count }, () => 'main');
	const description = {
		name: 'helper',
		group: [group],
		version: 1,
		defaults: {},
		inputs: ports(inputs),
		outputs: ports(outputs),
		properties: [],
	};
	return {
		description: description as unknown as INodeType['description'],
		async execute() {
			return execute.call(this);
		},
	};
}

/** A trigger that hands on its pinned items. */
const start = helperNode(
	[0, 1],
	function () {
		return [this.getInputData()];
	},
	'trigger',
);

/** Node types by name. */
function nodeTypesOf(types: Record<string, INodeType>): INodeTypes {
	const byName = new Map(Object.entries(types));
	const get = (name: string): INodeType => {
		const type = byName.get(name);
		if (!type) throw new Error(`The test knows no node type '${name}'`);
		return type;
	};
	return {
		getByName: get,
		getByNameAndVersion: (name, version) => NodeHelpers.getVersionedNodeType(get(name), version),
		getKnownTypes: () => ({}),
	};
}

const CREDENTIAL_TYPES: ICredentialType[] = [
	new WorkspaceDataApi(),
	new WorkspaceDataServiceAccountApi(),
];

/**
 * Does with credentials what n8n does: runs `preAuthentication` while the expirable property is empty
 * or the token was refused, and keeps its answer only where that holds the property.
 */
function credentialsHelper(data: TestCredentials): ICredentialsHelper {
	const typeOf = (name: string): ICredentialType => {
		const type = CREDENTIAL_TYPES.find((candidate) => candidate.name === name);
		if (!type) throw new Error(`The test knows no credential type '${name}'`);
		return type;
	};
	const helper = {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		getCredentialsProperties: (name: string) => typeOf(name).properties,
		async getDecrypted(_additionalData: unknown, _details: unknown, name: string) {
			const values = data[name];
			if (!values) throw new Error(`The test has no credential of type '${name}'`);
			return { sessionToken: '', ...values };
		},
		async preAuthentication(
			helpers: IHttpRequestHelper,
			credentials: ICredentialDataDecryptedObject,
			name: string,
			_node: INode,
			expired: boolean,
		): Promise<ICredentialDataDecryptedObject | undefined> {
			const type = typeOf(name);
			const expirable = type.properties.find(
				(property) => property.type === 'hidden' && property.typeOptions?.expirable === true,
			);
			if (!expirable || !type.preAuthentication) return undefined;
			if (credentials[expirable.name] !== '' && !expired) return undefined;
			const output = await type.preAuthentication.call(helpers, credentials);
			if (output[expirable.name] === undefined) return undefined;
			return Object.assign(credentials, output);
		},
		async authenticate(
			credentials: ICredentialDataDecryptedObject,
			name: string,
			options: IHttpRequestOptions,
		): Promise<IHttpRequestOptions> {
			const { authenticate } = typeOf(name);
			return typeof authenticate === 'function'
				? await authenticate.call(typeOf(name), credentials, options)
				: options;
		},
		async updateCredentials() {},
	};
	return helper as unknown as ICredentialsHelper;
}

/** The knowledge of an execution in addition to its workflow. */
export function additionalData(
	credentials: TestCredentials,
	mode: WorkflowExecuteMode,
	workflow: Workflow,
): IWorkflowExecuteAdditionalData {
	const base = 'http://127.0.0.1:5678';
	const workflowData = { id: workflow.id, name: 'Test', nodes: [], connections: {} };
	return {
		credentialsHelper: credentialsHelper(credentials),
		hooks: new ExecutionLifecycleHooks(mode, 'execution-1', workflowData as never),
		executionId: 'execution-1',
		currentNodeExecutionIndex: 0,
		variables: {},
		instanceBaseUrl: base,
		webhookBaseUrl: `${base}/webhook`,
		webhookTestBaseUrl: `${base}/webhook-test`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		formWaitingBaseUrl: `${base}/form-waiting`,
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** An action node with its credential. `authentication` is added from the credential. */
export function actionNode(credentials: TestCredentials, parameters: IDataObject): INode {
	const [credentialType = ''] = Object.keys(credentials);
	return {
		id: 'action',
		name: 'Workspace Data',
		type: ACTION_TYPE,
		typeVersion: 1,
		position: [200, 0],
		parameters: {
			authentication: credentialType === 'workspaceDataApi' ? 'apiKey' : 'serviceAccount',
			...parameters,
		} as INode['parameters'],
		credentials: { [credentialType]: { id: 'credential-1', name: 'Test' } },
	};
}

/** A workflow as n8n has it after loading. */
export function loadWorkflow(
	nodes: INode[],
	types: Record<string, INodeType>,
	more: Partial<ConstructorParameters<typeof Workflow>[0]> = {},
): Workflow {
	return new Workflow({
		...{ id: 'workflow-1', name: 'Test', nodes, connections: {}, active: false },
		nodeTypes: nodeTypesOf(types),
		settings: { executionOrder: 'v1' },
		...more,
	});
}

/**
 * n8n's own context of a node while it runs: for what n8n's other nodes do with our credentials, and for several runs in one
 * execution.
 *
 * @param signal is aborted when the execution is cancelled
 */
export function executeContext(
	credentials: TestCredentials,
	parameters: IDataObject = {},
	signal?: AbortSignal,
): ExecuteContext {
	const node = actionNode(credentials, parameters);
	const workflow = loadWorkflow([node], { [ACTION_TYPE]: new WorkspaceData() });
	const items = [{ json: {} }];
	return new ExecuteContext(
		workflow,
		node,
		additionalData(credentials, 'manual', workflow),
		'manual',
		createRunExecutionData(),
		0,
		items,
		{ main: [items] },
		{ data: { main: [items] }, node, source: null },
		[],
		signal,
	);
}

type Parts = Parameters<WorkflowExecute['run']>[0];
type RunOfN8n1 = (
	workflow: Parts['workflow'],
	startNode: Parts['startNode'],
	destinationNode: undefined,
	pinData: Parts['pinData'],
) => ReturnType<WorkflowExecute['run']>;

/** n8n 1 takes the parts of a run one by one. */
function startEngine(engine: WorkflowExecute, parts: Parts): ReturnType<WorkflowExecute['run']> {
	if (engine.run.length === 1) return engine.run(parts);
	const run = engine.run as unknown as RunOfN8n1;
	return run.call(engine, parts.workflow, parts.startNode, undefined, parts.pinData);
}

/** A run of a workflow that begins with the node `Start`. */
export interface WorkflowRun {
	credentials: TestCredentials;
	/** The nodes behind it. */
	nodes: INode[];
	connections: IConnections;
	/** Node types beside those of Start and of the action node. */
	types?: Record<string, INodeType>;
	/** What Start hands on, and what takes the place of other nodes. */
	pinData: IPinData;
	/** How n8n runs it; by hand unless told otherwise. */
	mode?: WorkflowExecuteMode;
	/** The time zone of the workflow. */
	timezone?: string;
	/** Static data of the workflow as n8n's database has them. */
	staticData?: IDataObject | undefined;
	/** Cancels the execution when it is aborted. */
	signal?: AbortSignal | undefined;
}

/**
 * Runs a workflow in n8n's own engine. The action node is observed: it may run a thousand times in one execution, and what
 * listens to the execution's signal stays in memory until that ends.
 *
 * @throws Error where it has left listeners, whatever its outcome
 */
export async function runWorkflow(given: WorkflowRun): Promise<{ run: IRun; workflow: Workflow }> {
	const { credentials, connections, pinData, mode = 'manual', staticData } = given;
	let left = 0;
	const observed = new WorkspaceData();
	const { execute } = observed;
	observed.execute = async function (this: IExecuteFunctions) {
		return await execute.call(this).finally(() => {
			const signal = this.getExecutionCancelSignal();
			left += signal ? getEventListeners(signal, 'abort').length : 0;
		});
	};
	const own = { id: 'start', name: 'Start', typeVersion: 1, parameters: {} };
	const startNode: INode = { ...own, type: START_TYPE, position: [0, 0] };
	// The second as n8n names it where an AI agent uses it.
	const ours = { [ACTION_TYPE]: observed, [`${ACTION_TYPE}Tool`]: observed };
	const types = { [START_TYPE]: start, ...ours, ...given.types };
	const workflow = loadWorkflow([startNode, ...given.nodes], types, {
		connections,
		settings: { executionOrder: 'v1', timezone: given.timezone ?? 'Europe/Berlin' },
		...(staticData && { staticData: structuredClone(staticData) }),
	});
	const additional = additionalData(credentials, mode, workflow);
	const engine = new WorkflowExecute(additional, mode, createRunExecutionData());
	const execution = startEngine(engine, { workflow, startNode, pinData });
	given.signal?.addEventListener('abort', () => execution.cancel());
	const run = await execution;
	if (left > 0) throw new Error(`the node left ${left} listeners at its execution`);
	return { run, workflow };
}

/** A run of the action node. */
export interface ActionRun
	extends Pick<WorkflowRun, 'credentials' | 'timezone' | 'mode' | 'staticData' | 'signal'> {
	/** The node's parameters; `authentication` is added from the credential. */
	parameters: IDataObject;
	/** Data of the input items; one empty item unless told otherwise. */
	items?: IDataObject[];
	/** More settings of the node, for example `onError`. */
	node?: Partial<INode>;
}

/** The result of a run. */
export interface ActionResult {
	status: IRun['status'];
	/** Items of the first output. */
	items: INodeExecutionData[];
	/** Items of the error output. */
	errorItems: INodeExecutionData[];
	/** The `json` of `items`. */
	json: IDataObject[];
	error:
		| (Error & { description?: string | null; httpCode?: string | null; context?: IDataObject })
		| undefined;
	run: IRun;
	/** Static data of the workflow after the run, as n8n would save them. */
	staticData: IDataObject;
}

/** @returns the result of a run that must succeed @throws the run's error */
export function succeeded(result: ActionResult): ActionResult {
	if (result.error) throw result.error;
	return result;
}

/** What a run tells next to its output. */
export const hintsOf = ({ run: { data } }: ActionResult): string[] =>
	(data.resultData.runData['Workspace Data']?.[0]?.hints ?? []).map(({ message }) => message);

/** The input items that items are paired with, by their places. */
export const placesOf = (items: INodeExecutionData[]): unknown[] =>
	items.map(({ pairedItem }) => (pairedItem as { item: number } | undefined)?.item);

/** Runs the action node in n8n's own engine, between a trigger with pinned items and nothing. */
export async function runAction(given: ActionRun): Promise<ActionResult> {
	const { credentials, parameters, items = [{}], node, ...settings } = given;
	const action: INode = { ...actionNode(credentials, parameters), ...node };
	const { run, workflow } = await runWorkflow({
		...settings,
		credentials,
		nodes: [action],
		connections: { Start: { main: [[{ node: action.name, type: 'main', index: 0 }]] } },
		pinData: { Start: items.map((json) => ({ json })) },
	});
	const taskData = run.data.resultData.runData[action.name]?.[0];
	const [output, errorOutput] = taskData?.data?.main ?? [];
	return {
		status: run.status,
		items: output ?? [],
		errorItems: errorOutput ?? [],
		json: (output ?? []).map((item) => item.json),
		error: (taskData?.error ?? run.data.resultData.error) as ActionResult['error'],
		run,
		staticData: JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject,
	};
}
