/** Plays a world: the service runs, people's hands and executions follow each other, and all of it is written down. */
import type { IDataObject } from 'n8n-workflow';
import { inAnotherProcess } from '../support/anotherProcess';
import * as harness from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { connect } from './network';
import { CARD, SimulatedService, type Snapshot } from './service';
import { inVirtualTime, pause, runOut, setTimeOfDay } from './virtualTime';
import {
	BY_KEY,
	CREATES,
	EXTRA,
	MARK,
	type ExecutionShape,
	type StepShape,
	type World,
} from './world';

type ActionResult = harness.ActionResult;

/** One execution, and how it went. */
export type PlayedExecution = Awaited<ReturnType<typeof playExecution>>;

/** One step, and how it went. */
export type PlayedStep = Awaited<ReturnType<typeof playStep>>;

/** A world that was played. */
export type PlayedWorld = Awaited<ReturnType<typeof play>>;

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
	return items.map(({ key, value, isExtra }, at): IDataObject => {
		const [mark, record] = [marks[at], targets[at]];
		if (!isAutomatic && operation !== 'createFromItems') return { key, value, mark, record };
		return {
			...(CREATES.includes(operation) && { Key: key }),
			...{ Value: value, [MARK]: mark },
			...(operation !== 'createFromItems' && { id: record }),
			...(isExtra && adds && { [EXTRA]: `extra ${at}` }),
		};
	});
}

function mapper({ operation, isAutomatic }: ExecutionShape): IDataObject {
	const matchingColumns = BY_KEY.includes(operation) ? ['Key'] : [];
	if (isAutomatic) return mapAutomatically(matchingColumns);
	const without = { update: ['Key'], updateMany: ['Key', 'Value'] }[operation as string] ?? [];
	const names = Object.entries(SENT).filter(([name]) => !without.includes(name));
	const value = Object.fromEntries(names.map(([name, key]) => [name, `={{ $json.${key} }}`]));
	return mapEach(value, { matchingColumns });
}

/** The node's parameters for an execution. n8n drops those that the operation doesn't have. */
function parametersOf(shape: ExecutionShape): IDataObject {
	const { operation, adds, maxParallel, upsertMode, multipleMatches, limit } = shape;
	const { missingRecords, maxDeletions, maxChanges } = shape;
	const conditions = shape.conditions.map(({ field, condition, operand }) => ({
		field,
		condition,
		value: { __rl: true, mode: 'value', value: `={{ ${JSON.stringify(operand)} }}` },
	}));
	return {
		resource: operation === 'createFromItems' ? 'card' : 'record',
		operation,
		name: CARD.name,
		cardId: byId(CARD.id),
		recordId: byId(shape.isAutomatic ? '={{ $json.id }}' : '={{ $json.record }}'),
		columns: mapper(shape),
		filters: { conditions },
		matchType: shape.isAny ? 'anyCondition' : 'allConditions',
		returnAll: limit === null,
		limit: limit ?? 1,
		missingRecords,
		maxDeletions,
		maxChanges,
		options: {
			ifExists: 'reuse',
			maxParallel,
			upsertMode,
			multipleMatches,
			...(adds && { missingChoices: 'add', unknownFields: 'create' }),
		},
	};
}

/** Runs an execution of a step. */
async function playExecution(
	played: { world: World; service: SimulatedService; runAction: RunAction },
	shape: ExecutionShape,
	place: string,
	before: Snapshot[],
) {
	const { service } = played;
	const marks = shape.items.map((_, at) => `${place}i${at}`);
	const targets = shape.items.map(({ record }) => before[record % before.length]?.id ?? 'none');
	const execution = {
		shape,
		/** The marks of its items, by their place. */
		marks,
		/** The IDs of the records that its items mean. */
		targets,
		/** Of the dry run before it. */
		dry: undefined as ActionResult | undefined,
		/** How many writes the service had, and how many fields and choices it added, when the dry run was over. */
		writesOfDry: 0,
		result: undefined as ActionResult | undefined,
		/** Ms of virtual time. */
		cancelledAt: undefined as number | undefined,
		endedAt: NaN,
		/** Thrown past n8n. */
		crash: undefined as unknown,
	};
	const cancelling = new AbortController();
	const cancel = (): void => {
		if (!Number.isNaN(execution.endedAt)) return;
		execution.cancelledAt = performance.now();
		cancelling.abort();
	};
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
		if (shape.cancelAfter !== null) setTimeout(cancel, shape.cancelAfter);
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
) {
	const { service } = played;
	service.lend(shape.hand);
	service.beginStep();
	/** The fields that the card had. */
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
export async function play(world: World) {
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
