/** Plays a world: the service runs, people's hands and executions follow each other, and all of it is written down. */
import type { IDataObject } from 'n8n-workflow';
import {
	firstProcess,
	restartedProcess,
	type ActionResult,
	type ActionRun,
	type NodeProcess,
	type TestCredentials,
} from './actionNode';
import { connect } from './network';
import type { ExecutionShape, ItemShape, StepShape, World } from './shapes';
import { EXTRA, MARK } from './shapes';
import {
	cardId,
	cardName,
	SimulatedService,
	type Data,
	type LiveField,
	type Stored,
} from './simulatedService';
import { inVirtualTime, pause, runOut, setTimeOfDay } from './virtualTime';

/** One execution, and how it went. */
export interface PlayedExecution {
	shape: ExecutionShape;
	/** The marks of its items, by their place; one for all where the operation writes many. */
	marks: string[];
	/** The ids of the records that its items mean. */
	targets: string[];
	result: ActionResult | undefined;
	/** Ms of virtual time. */
	canceledAt: number | undefined;
	endedAt: number;
	/** Thrown past n8n. */
	crash?: unknown;
}

/** A record at one time. */
export interface Snapshot {
	id: string;
	data: Data;
}

/** One step, and how it went. */
export interface PlayedStep {
	shape: StepShape;
	number: number;
	executions: PlayedExecution[];
	/** The fields that the card had. */
	fields: LiveField[];
	before: Snapshot[];
	after: Snapshot[];
	hangs: boolean;
}

/** A world that was played. */
export interface PlayedWorld {
	world: World;
	service: SimulatedService;
	steps: PlayedStep[];
}

let played = 0;

const snapshot = (service: SimulatedService): Snapshot[] =>
	service.live().map(({ id, data }) => ({ id: String(id), data: { ...data } }));

/** A value as an expression gives it, with its type. */
const literal = (value: unknown): string => `={{ ${JSON.stringify(value)} }}`;

const locator = (value: unknown): IDataObject => ({ __rl: true, mode: 'id', value }) as IDataObject;

const credentialsOf = (
	{ service: { account } }: World,
	service: SimulatedService,
): TestCredentials => {
	const base = { baseUrl: `${service.origin}/api/v1`, workspaceId: 'w1' };
	if (!account) return { workspaceDataApi: { ...base, apiKey: service.apiKey } };
	return {
		workspaceDataServiceAccountApi: {
			...base,
			authUrl: `${service.origin}/auth`,
			realm: 'main',
			clientId: 'nodes',
			clientSecret: service.clientSecret,
		},
	};
};

/** The mapper that sends these fields of the items, by the names that the workflow has for them. */
function mapper(shape: ExecutionShape, names: Record<string, string>): IDataObject {
	const automatic = shape.mapping === 'automatic';
	const value = Object.fromEntries(
		Object.entries(names).map(([name, key]) => [name, `={{ $json.${key} }}`]),
	);
	return {
		mappingMode: automatic ? 'autoMapInputData' : 'defineBelow',
		value: automatic ? null : value,
		matchingColumns: [],
		schema: [],
	};
}

function itemsOf(
	world: World,
	shape: ExecutionShape,
	marks: string[],
	targets: string[],
): IDataObject[] {
	const { key, value } = world;
	const hasKey = ['create', 'upsert', 'sync'].includes(shape.operation);
	return shape.items.map((item: ItemShape, at): IDataObject => {
		const record = targets[at];
		if (shape.operation === 'createFromItems') {
			return {
				[key.name]: item.key,
				[value.name]: item.value,
				[MARK]: marks[at],
				...(item.record > 0 && { [EXTRA]: `extra ${item.record}` }),
			};
		}
		if (shape.mapping === 'automatic') {
			return {
				...(hasKey && { [key.name]: item.key }),
				...{ [value.name]: item.value, [MARK]: marks[at], id: record },
			};
		}
		return { key: item.key, value: item.value, mark: marks[at], record };
	});
}

/** The node's parameters for an execution. */
function parametersOf(world: World, shape: ExecutionShape): IDataObject {
	const { operation } = shape;
	const values = { [world.value.name]: 'value', [MARK]: 'mark' };
	const withKey = { [world.key.name]: 'key', ...values };
	const filters = {
		conditions: shape.conditions.map(({ field, condition, operand }) => ({
			field: field === 'Key' ? world.key.name : world.value.name,
			condition,
			value: { __rl: true, mode: 'value', value: literal(operand) },
		})),
	};
	const isSwitch = ['sync', 'updateMany', 'deleteMany'].includes(operation);
	const common = {
		resource: 'record',
		operation,
		cardId: locator(cardId),
		...(shape.dryRun && (isSwitch ? { dryRun: true } : { options: { dryRun: true } })),
	};
	const conditions = { filters, matchType: shape.any ? 'anyCondition' : 'allConditions' };
	const record = shape.mapping === 'automatic' ? '={{ $json.id }}' : '={{ $json.record }}';
	switch (operation) {
		case 'createFromItems':
			return {
				resource: 'card',
				operation,
				name: cardName,
				options: { ifExists: 'reuse', ...(shape.dryRun && { dryRun: true }) },
			};
		case 'sync':
			return {
				...common,
				...conditions,
				columns: { ...mapper(shape, withKey), matchingColumns: [world.key.name] },
				missingRecords: shape.deletions?.isWanted ? 'delete' : 'keep',
				...(shape.deletions?.most != null && { maxDeletions: shape.deletions.most }),
			};
		case 'create':
			return { ...common, columns: mapper(shape, withKey) };
		case 'upsert':
			return {
				...common,
				columns: { ...mapper(shape, withKey), matchingColumns: [world.key.name] },
			};
		case 'update':
			return { ...common, recordId: locator(record), columns: mapper(shape, values) };
		case 'delete':
			return { ...common, recordId: locator(record) };
		case 'getAll':
			return {
				...common,
				...conditions,
				returnAll: shape.limit === null,
				...(shape.limit !== null && { limit: shape.limit }),
			};
		case 'updateMany':
			return { ...common, ...conditions, columns: mapper(shape, { [MARK]: 'mark' }) };
		default:
			return { ...common, ...conditions };
	}
}

/** What n8n keeps of a node besides its parameters. */
function nodeOf({ onError }: ExecutionShape): {
	onError?: 'continueRegularOutput' | 'continueErrorOutput';
} {
	if (onError === 'stop') return {};
	return { onError: onError === 'continue' ? 'continueRegularOutput' : 'continueErrorOutput' };
}

/** Reads all records, and updates each with the values that came; the marks stay out of it. */
async function roundTrip(
	world: World,
	process: NodeProcess,
	shape: ExecutionShape,
	more: Omit<ActionRun, 'parameters' | 'items'>,
): Promise<ActionResult> {
	const reading: ExecutionShape = { ...shape, operation: 'getAll', limit: null, conditions: [] };
	const options = { outputFields: [world.key.name, world.value.name] };
	const all = await process.run({
		...more,
		parameters: { ...parametersOf(world, reading), options },
	});
	const items = all.json.filter(({ id }) => id !== undefined);
	if (all.status !== 'success' || items.length === 0) return all;
	const writing: ExecutionShape = { ...shape, operation: 'update', mapping: 'automatic' };
	return await process.run({ ...more, parameters: parametersOf(world, writing), items });
}

/** Runs an execution of a step. */
async function playExecution(
	world: World,
	service: SimulatedService,
	process: NodeProcess,
	shape: ExecutionShape,
	place: string,
	live: Snapshot[],
): Promise<PlayedExecution> {
	const credentials = credentialsOf(world, service);
	const marks = shape.items.map((_, at) => `${place}i${at}`);
	const targets = shape.items.map(
		({ record }) => live[record % Math.max(1, live.length)]?.id ?? 'none',
	);
	const execution: PlayedExecution = {
		shape,
		marks,
		targets,
		result: undefined,
		canceledAt: undefined,
		endedAt: NaN,
	};
	const more = {
		credentials,
		node: nodeOf(shape),
		onStarted(running: { cancel: () => void }) {
			if (shape.cancelAfter === null) return;
			setTimeout(() => {
				if (!Number.isNaN(execution.endedAt)) return;
				execution.canceledAt = performance.now();
				running.cancel();
			}, shape.cancelAfter);
		},
	};
	try {
		execution.result =
			shape.operation === 'roundTrip'
				? await roundTrip(world, process, shape, more)
				: await process.run({
						...more,
						parameters: parametersOf(world, shape),
						items: itemsOf(world, shape, marks, targets),
					});
	} catch (error) {
		execution.crash = error;
	}
	execution.endedAt = performance.now();
	return execution;
}

/** What a person does before a step. */
function lendHand(service: SimulatedService, { hand }: StepShape, world: World): void {
	const [first] = service.live();
	switch (hand) {
		case 'rename': {
			const field = service.field(world.value.name);
			if (field) field.name = `${world.value.name} (old ${field.id})`;
			break;
		}
		case 'edit': {
			const mark = service.field(MARK);
			if (first && mark) service.change(first, { [mark.id]: 'person' });
			break;
		}
		case 'removes':
			if (first) service.change(first, undefined);
			break;
		default:
	}
}

async function playStep(
	world: World,
	service: SimulatedService,
	process: NodeProcess,
	shape: StepShape,
	number: number,
): Promise<PlayedStep> {
	lendHand(service, shape, world);
	service.beginStep();
	const fields = service.fields.map((field) => ({ ...field }));
	const before = snapshot(service);
	const copies = shape.copied ? [...shape.executions, ...shape.executions] : shape.executions;
	const playing = copies.map(async (execution, at) => {
		await pause(at * shape.gap);
		const place = `s${number}e${at}`;
		return await playExecution(world, service, process, execution, place, before);
	});
	const outcome = await inVirtualTime(Promise.all(playing));
	// What was given up may still be on its way.
	await runOut();
	return {
		shape,
		number: service.step,
		executions: outcome ?? [],
		fields,
		before,
		after: snapshot(service),
		hangs: !outcome,
	};
}

/** Plays a world from its beginning. */
export async function play(world: World): Promise<PlayedWorld> {
	setTimeOfDay();
	played += 1;
	const service = new SimulatedService(world, `world-${played}`);
	const disconnect = connect(service);
	const steps: PlayedStep[] = [];
	let process = firstProcess;
	try {
		for (const [at, shape] of world.steps.entries()) {
			if (shape.hand === 'restart') process = restartedProcess();
			const step = await playStep(world, service, process, shape, at);
			steps.push(step);
			if (step.hangs) break;
		}
	} finally {
		disconnect();
	}
	return { world, service, steps };
}

/** The states that a record had in a step, newest last. */
export const statesIn = ({ versions }: Stored, step: number): Data[] =>
	versions.flatMap((version) => (version.step === step && version.data ? [version.data] : []));
