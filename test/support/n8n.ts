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

let settingsReady = false;

/** n8n-core keeps its settings in a container; nothing runs without. */
export function prepareN8n(): void {
	if (settingsReady) return;
	const folder = mkdtempSync(join(tmpdir(), 'n8n-core-'));
	process.env.N8N_USER_FOLDER = folder;
	process.env.N8N_ENCRYPTION_KEY = 'test-encryption-key-0123';
	process.env.N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS = 'false';
	Container.get(InstanceSettings);
	// It has read what it wrote there.
	rmSync(folder, { recursive: true });
	settingsReady = true;
}

/** A trigger that hands on its pinned items. */
export class Start implements INodeType {
	description = {
		displayName: 'Start',
		name: 'start',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: { name: 'Start' },
		inputs: [],
		outputs: ['main'],
		properties: [],
	} as unknown as INodeType['description'];

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}

/** Node types by name. */
export function nodeTypesOf(types: Record<string, INodeType>): INodeTypes {
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
export function credentialsHelper(
	data: TestCredentials,
	onStored?: () => void,
): ICredentialsHelper {
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
			onStored?.();
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
		async updateCredentials() {
			onStored?.();
		},
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
	const workflowData = {
		id: workflow.id,
		name: workflow.name ?? '',
		nodes: [],
		connections: {},
		active: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		isArchived: false,
		activeVersionId: null,
	};
	return {
		credentialsHelper: credentialsHelper(credentials),
		hooks: new ExecutionLifecycleHooks(mode, 'execution-1', workflowData),
		executionId: 'execution-1',
		currentNodeExecutionIndex: 0,
		variables: {},
		restApiUrl: `${base}/rest`,
		instanceBaseUrl: base,
		webhookBaseUrl: `${base}/webhook`,
		webhookTestBaseUrl: `${base}/webhook-test`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		formBaseUrl: `${base}/form`,
		formWaitingBaseUrl: `${base}/form-waiting`,
		formTestBaseUrl: `${base}/form-test`,
		mcpBaseUrl: `${base}/mcp`,
		mcpTestBaseUrl: `${base}/mcp-test`,
		externalSecretsProxy: {
			hasProvider: () => false,
			hasSecret: () => false,
			getSecret: () => undefined,
			listProviders: () => [],
			listSecrets: () => [],
		},
		logAiEvent: () => {},
		setExecutionStatus: () => {},
		sendDataToUI: () => {},
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
	prepareN8n();
	const node = actionNode(credentials, parameters);
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypesOf({ [ACTION_TYPE]: new WorkspaceData() }),
	});
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

/**
 * The action node, observed: a node may run a thousand times in one execution, and whatever listens to the execution's
 * signal then stays in memory until it ends.
 *
 * @param leave is told how many listeners a run has left, whatever its outcome
 */
export function observedNode(leave: (listeners: number) => void): WorkspaceData {
	const node = new WorkspaceData();
	const { execute } = node;
	node.execute = async function (this: IExecuteFunctions) {
		return await execute.call(this).finally(() => {
			const signal = this.getExecutionCancelSignal();
			leave(signal ? getEventListeners(signal, 'abort').length : 0);
		});
	};
	return node;
}

/** A run of the action node. */
export interface ActionRun {
	credentials: TestCredentials;
	/** The node's parameters; `authentication` is added from the credential. */
	parameters: IDataObject;
	/** Data of the input items; one empty item unless told otherwise. */
	items?: IDataObject[];
	/** More settings of the node, for example `onError`. */
	node?: Partial<INode>;
	/** The time zone of the workflow. */
	timezone?: string;
	/** How n8n runs it; by hand unless told otherwise. */
	mode?: WorkflowExecuteMode;
	/** Static data of the workflow as n8n's database has them. */
	staticData?: IDataObject;
	/** Given the running execution, for cancelling it. */
	onStarted?: (execution: { cancel: () => void }) => void;
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

type Parts = Parameters<WorkflowExecute['run']>[0];
type RunOfN8n1 = (
	workflow: Parts['workflow'],
	startNode: Parts['startNode'],
	destinationNode: undefined,
	pinData: Parts['pinData'],
) => ReturnType<WorkflowExecute['run']>;

/** n8n 1 takes the parts of a run one by one. */
export function startEngine(
	engine: WorkflowExecute,
	parts: Parts,
): ReturnType<WorkflowExecute['run']> {
	if (engine.run.length === 1) return engine.run(parts);
	const run = engine.run as unknown as RunOfN8n1;
	return run.call(engine, parts.workflow, parts.startNode, undefined, parts.pinData);
}

/**
 * Runs the action node in n8n's own engine, between a trigger with pinned items and nothing.
 */
export async function runAction({
	credentials,
	parameters,
	items = [{}],
	node = {},
	timezone = 'Europe/Berlin',
	mode = 'manual',
	staticData,
	onStarted,
}: ActionRun): Promise<ActionResult> {
	prepareN8n();
	const start: INode = {
		id: 'start',
		name: 'Start',
		type: START_TYPE,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const action: INode = { ...actionNode(credentials, parameters), ...node };
	const connections: IConnections = {
		Start: { main: [[{ node: action.name, type: 'main', index: 0 }]] },
	};
	let left = 0;
	const observed = observedNode((listeners) => (left += listeners));
	const workflow = new Workflow({
		id: 'workflow-1',
		name: 'Test',
		nodes: [start, action],
		connections,
		active: false,
		nodeTypes: nodeTypesOf({
			[START_TYPE]: new Start(),
			[ACTION_TYPE]: observed,
			// As n8n names it where an AI agent uses it.
			[`${ACTION_TYPE}Tool`]: observed,
		}),
		settings: { executionOrder: 'v1', timezone },
		...(staticData && { staticData: structuredClone(staticData) }),
	});
	const pinData: IPinData = { Start: items.map((json) => ({ json })) };
	const engine = new WorkflowExecute(
		additionalData(credentials, mode, workflow),
		mode,
		createRunExecutionData(),
	);
	const execution = startEngine(engine, { workflow, startNode: start, pinData });
	onStarted?.({ cancel: () => execution.cancel() });
	const run = await execution;
	if (left > 0) throw new Error(`the node left ${left} listeners at its execution`);
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

/** Starts a run that may be cancelled. */
export function startAction(run: ActionRun): {
	running: Promise<ActionResult>;
	cancel: () => void;
} {
	let cancel = () => {};
	const running = runAction({ ...run, onStarted: (execution) => (cancel = execution.cancel) });
	return { running, cancel: () => cancel() };
}
