/** Plays a world: the service runs, people's hands and executions follow each other, and all of it is written down. */
import type { IDataObject } from 'n8n-workflow';
import { inAnotherProcess } from '../support/anotherProcess';
import * as harness from '../support/n8n';
import { byId } from '../support/parameters';
import { connect } from './network';
import { CARD, SimulatedService, type LiveField, type Snapshot } from './service';
import { inVirtualTime, pause, runOut, setTimeOfDay } from './virtualTime';
import { EXTRA, MARK, type ExecutionShape, type StepShape, type World } from './world';

type ActionResult = harness.ActionResult;

/** One execution, and how it went. */
export interface PlayedExecution {
	shape: ExecutionShape;
	/** The marks of its items, by their place. */
	marks: string[];
	/** The IDs of the records that its items mean. */
	targets: string[];
	/** Of the dry run before it. */
	dry: ActionResult | undefined;
	/** How many writes the service had, and how many fields and choices it added, when the dry run was over. */
	writesOfDry: number;
	result: ActionResult | undefined;
	/** Ms of virtual time. */
	cancelledAt: number | undefined;
	endedAt: number;
	/** Thrown past n8n. */
	crash?: unknown;
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

type RunAction = typeof harness.runAction;

/** The action node in n8n's engine, in a process that remembers nothing. */
const restarted = (): RunAction =>
	inAnotherProcess(() => jest.requireActual<typeof harness>('../support/n8n').runAction);

function credentialsOf(world: World, service: SimulatedService): harness.TestCredentials {
	const base = { baseUrl: `${service.origin}/api/v1`, workspaceId: 'w1' };
	if (!world.service.account) return { workspaceDataApi: { ...base, apiKey: service.apiKey } };
	const account = { authUrl: `${service.origin}/auth`, realm: 'main', clientId: 'nodes' };
	const { clientSecret } = service;
	return { workspaceDataServiceAccountApi: { ...base, ...account, clientSecret } };
}

/** The fields that an operation sends, and where it finds them in an item that has other keys. */
const SENT = { Key: 'key', Value: 'value', [MARK]: 'mark' };

/** Input items: with the fields' names as keys, or with keys of their own. */
function itemsOf(
	{ operation, isAutomatic, items, adds }: ExecutionShape,
	marks: string[],
	targets: string[],
) {
	const hasKey = ['create', 'upsert', 'sync', 'createFromItems'].includes(operation);
	return items.map(({ key, value, isExtra }, at): IDataObject => {
		const [mark, record] = [marks[at], targets[at]];
		if (!isAutomatic && operation !== 'createFromItems') return { key, value, mark, record };
		return {
			...(hasKey && { Key: key }),
			...{ Value: value, [MARK]: mark },
			...(operation !== 'createFromItems' && { id: record }),
			...(isExtra && adds && { [EXTRA]: `extra ${at}` }),
		};
	});
}

function mapper({ operation, isAutomatic }: ExecutionShape): IDataObject {
	const without: Partial<Record<string, string[]>> = {
		update: ['Key'],
		updateMany: ['Key', 'Value'],
	};
	const names = Object.entries(SENT).filter(([name]) => !without[operation]?.includes(name));
	const value = Object.fromEntries(names.map(([name, key]) => [name, `={{ $json.${key} }}`]));
	return {
		mappingMode: isAutomatic ? 'autoMapInputData' : 'defineBelow',
		value: isAutomatic ? null : value,
		matchingColumns: ['upsert', 'sync'].includes(operation) ? ['Key'] : [],
		schema: [],
	};
}

/** The node's parameters for an execution. */
function parametersOf(shape: ExecutionShape): IDataObject {
	const { operation, adds, maxParallel, upsertMode, multipleMatches, limit } = shape;
	const conditions = shape.conditions.map(({ field, condition, operand }) => ({
		field,
		condition,
		value: { __rl: true, mode: 'value', value: `={{ ${JSON.stringify(operand)} }}` },
	}));
	const filters = {
		filters: { conditions },
		matchType: shape.isAny ? 'anyCondition' : 'allConditions',
	};
	const writing = {
		maxParallel,
		...(adds && { missingChoices: 'add', unknownFields: 'create' }),
	};
	const common = { resource: 'record', operation, cardId: byId(CARD.id) };
	const written = { columns: mapper(shape), options: writing };
	const recordId = byId(shape.isAutomatic ? '={{ $json.id }}' : '={{ $json.record }}');
	switch (operation) {
		case 'createFromItems': {
			const options = { ifExists: 'reuse', maxParallel, ...(adds && { missingChoices: 'add' }) };
			return { resource: 'card', operation, name: CARD.name, options };
		}
		case 'sync': {
			const { missingRecords, maxDeletions } = shape;
			return { ...common, ...filters, ...written, missingRecords, maxDeletions };
		}
		case 'create':
			return { ...common, ...written };
		case 'upsert':
			return { ...common, ...written, options: { ...writing, upsertMode, multipleMatches } };
		case 'update':
			return { ...common, ...written, recordId };
		case 'delete':
		case 'get':
			return { ...common, recordId };
		case 'getAll':
			return { ...common, ...filters, returnAll: limit === null, limit: limit ?? 1 };
		case 'updateMany':
			return { ...common, ...filters, ...written, maxChanges: shape.maxChanges };
		case 'deleteMany':
			return { ...common, ...filters, maxChanges: shape.maxChanges };
		default:
			return { ...common, ...filters };
	}
}

/** Runs an execution of a step. */
async function playExecution(
	played: { world: World; service: SimulatedService; runAction: RunAction },
	shape: ExecutionShape,
	place: string,
	before: Snapshot[],
): Promise<PlayedExecution> {
	const { service } = played;
	const marks = shape.items.map((_, at) => `${place}i${at}`);
	const targets = shape.items.map(({ record }) => before[record % before.length]?.id ?? 'none');
	const execution: PlayedExecution = {
		...{ shape, marks, targets, dry: undefined, writesOfDry: 0 },
		...{ result: undefined, cancelledAt: undefined, endedAt: NaN },
	};
	const cancelling = new AbortController();
	const cancelAfter = (ms: number): void =>
		void setTimeout(() => {
			if (!Number.isNaN(execution.endedAt)) return;
			execution.cancelledAt = performance.now();
			cancelling.abort();
		}, ms);
	const items = itemsOf(shape, marks, targets);
	const run = async (parameters: IDataObject = {}) =>
		await played.runAction({
			credentials: credentialsOf(played.world, service),
			node: { onError: shape.onError },
			signal: cancelling.signal,
			items,
			parameters: { ...parametersOf(shape), ...parameters },
		});
	const count = () => service.writes.length + service.added.length;
	try {
		if (shape.isDryFirst) {
			const start = count();
			execution.dry = await run({ dryRun: true });
			execution.writesOfDry = count() - start;
		}
		if (shape.cancelAfter !== null) cancelAfter(shape.cancelAfter);
		execution.result = await run();
	} catch (error) {
		execution.crash = error;
	}
	execution.endedAt = performance.now();
	return execution;
}

async function playStep(
	played: { world: World; service: SimulatedService; runAction: RunAction },
	shape: StepShape,
	number: number,
): Promise<PlayedStep> {
	const { service } = played;
	if (shape.hand !== 'restart') service.lend(shape.hand);
	service.beginStep();
	const fields = [...service.fields];
	const before = service.snapshot();
	const copies = shape.isCopied ? [...shape.executions, ...shape.executions] : shape.executions;
	const playing = copies.map(async (execution, at) => {
		await pause(at * shape.gap);
		return await playExecution(played, execution, `s${number}e${at}`, before);
	});
	setTimeout(() => service.lend(shape.meanwhile.hand), shape.meanwhile.ms);
	const executions = await inVirtualTime(Promise.all(playing));
	// What was given up may still be on its way.
	await runOut();
	return {
		...{ shape, number: service.step, fields, before, after: service.snapshot() },
		...{ executions: executions ?? [], hangs: !executions },
	};
}

let worldsPlayed = 0;

/** Plays a world from its beginning. */
export async function play(world: World): Promise<PlayedWorld> {
	setTimeOfDay();
	worldsPlayed += 1;
	const service = new SimulatedService(world, `world-${worldsPlayed}`);
	const disconnect = connect(service);
	const steps: PlayedStep[] = [];
	let { runAction } = harness;
	try {
		for (const [at, shape] of world.steps.entries()) {
			if (shape.hand === 'restart') runAction = restarted();
			const step = await playStep({ world, service, runAction }, shape, at);
			steps.push(step);
			if (step.hangs) break;
		}
	} finally {
		disconnect();
	}
	return { world, service, steps };
}
