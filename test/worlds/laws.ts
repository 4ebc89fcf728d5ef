/** The laws of the contract that every world must keep. Each takes a played world and names what breaks it. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { inspect } from 'node:util';
import { placesOf } from '../support/n8n';
import { combined, isEmpty, isSame, isStored, meaning, meets, type Verdict } from './oracle';
import type { PlayedExecution, PlayedStep, PlayedWorld } from './play';
import { type Data, type LiveField, type Snapshot, type Write } from './service';
import { BY_KEY, CREATES, type ExecutionShape, type Operation, type Value } from './world';

/** Ms after which a cancelled execution has ended, and sends nothing more. */
const CANCEL_MS = 2_000;

const FROM_ITEMS = 'createFromItems';
const READS: readonly Operation[] = ['get', 'getAll', 'count', 'ifExists', 'ifNotExists'];
const ONE_FOR_EACH: readonly Operation[] = ['create', 'update', 'delete', 'count', 'get'];

/** One step, and what the laws ask about it. */
function lookAt(world: PlayedWorld, step: PlayedStep) {
	const { service } = world;
	const { faults } = world.world.service;
	const { executions } = step;
	const [key, value] = ['Key', 'Value'].map((wanted) =>
		step.fields.find(({ name }) => name === wanted),
	);
	const [only, ...others] = executions;
	const isAlone = others.length === 0 && step.shape.meanwhile.hand === 'nothing';

	/** Whether a record in one of these states meets the conditions of an execution. */
	const isChosen = ({ conditions, isAny }: ExecutionShape, states: Data[]): Verdict => {
		const verdicts = states.map((data) => {
			const single = conditions.map((condition) => {
				const field = condition.field === 'Key' ? key : value;
				return field ? meets(field, data[field.id], condition) : 'refused';
			});
			return conditions.length === 0 ? 'yes' : combined(single, isAny);
		});
		if (verdicts.includes('refused')) return 'no';
		return verdicts.includes('yes') ? 'yes' : verdicts.includes('open') ? 'open' : 'no';
	};
	/** Whether a record in one of these states may be the one of a key. */
	const mayHaveKey = (states: Data[], entered: Value): boolean => {
		const meant = key && meaning(key, entered);
		if (!meant || meant === 'refused') return false;
		return meant === 'open' || states.some((data) => isSame(key, data[key.id], meant.stored));
	};
	return {
		...{ world, step, service, executions, key, value, isChosen, mayHaveKey },
		writes: service.writes.filter((write) => write.step === step.number),
		/** No request went wrong. */
		isClear: faults.length === 0,
		/** True if the response to a creation may have been lost. */
		mayBeUnknown: faults.some(({ method }) => method === 'POST'),
		/** The execution of a step in which nobody else does anything, and which nobody cancels. */
		alone: isAlone && !only?.crash && only?.cancelledAt === undefined ? only : undefined,
		/** The states that a record had in this step. */
		statesOf(id: string): Data[] {
			const versions = service.records.find((record) => record.id === id)?.versions ?? [];
			return versions.filter((version) => version.step === step.number).map(({ data }) => data);
		},
		/** The item that a mark belongs to. */
		itemOf({ mark = '' }: Write) {
			const execution = executions.find(({ marks }) => marks.includes(mark));
			return execution && { execution, at: execution.marks.indexOf(mark) };
		},
	};
}

type Look = ReturnType<typeof lookAt>;
type Item = NonNullable<ReturnType<Look['itemOf']>>;
type Law = (look: Look) => Generator<string>;

const pairs = (items: INodeExecutionData[]): number[] => placesOf(items).map(Number);
const isWriting = ({ operation }: ExecutionShape): boolean => !READS.includes(operation);
const isFailed = ({ json: { error } }: INodeExecutionData): boolean => error !== undefined;
const shown = (value: unknown): string => JSON.stringify(value);

/** Whether an execution has done what it was asked for each item. */
const hasSucceeded = ({ result, cancelledAt }: PlayedExecution): boolean =>
	result?.status === 'success' &&
	cancelledAt === undefined &&
	result.errorItems.length === 0 &&
	!result.items.some(isFailed);

/** Everything ends, a cancelled execution within two seconds. */
function* hangs({ step, executions }: Look): Generator<string> {
	if (step.hangs) yield "an execution doesn't end";
	for (const { cancelledAt, endedAt, crash } of executions) {
		if (crash !== undefined) yield `n8n itself failed: ${inspect(crash)}`;
		if (cancelledAt !== undefined && endedAt - cancelledAt > CANCEL_MS)
			yield `ended ${endedAt - cancelledAt} ms after it was cancelled`;
	}
}

/** A create is never sent twice: each item is created at most once, and a failed one isn't sent again. */
function* createdTwice({ writes }: Look): Generator<string> {
	const created = writes.filter(({ method }) => method === 'POST').map(({ mark }) => mark);
	const twice = created.find((mark, at) => mark !== undefined && created.indexOf(mark) < at);
	if (twice !== undefined) yield `item ${twice} was created twice`;
}

/** Upserts of one key by several executions of one process make one record. */
function* keysTwice({ key, step, executions, mayBeUnknown }: Look): Generator<string> {
	if (!key || executions.some(({ shape }) => isWriting(shape) && !BY_KEY.includes(shape.operation)))
		return;
	// What was cancelled may have created what nobody knows of.
	if (mayBeUnknown || executions.some(({ cancelledAt }) => cancelledAt !== undefined)) return;
	for (const { data } of step.after) {
		const count = (records: Snapshot[]) =>
			records.filter((record) => isSame(key, record.data[key.id], data[key.id])).length;
		const [before, after] = [count(step.before), count(step.after)];
		if (after > Math.max(1, before))
			yield `${after} records with key ${shown(data[key.id])}, ${before} before`;
	}
}

/** Whether Sync may delete a record: the record takes part and has no item in any of its states. */
function mayMiss(look: Look, shape: ExecutionShape, states: Data[]): boolean {
	const { key } = look;
	if (shape.missingRecords !== 'delete' || !key) return false;
	const hasItem = (data: Data) =>
		shape.items.some((item) => {
			const meant = meaning(key, item.key);
			return typeof meant === 'object' && isSame(key, data[key.id], meant.stored);
		});
	const isMissing = states.some((data) => !hasItem(data) && !isEmpty(data[key.id]));
	return isMissing && look.isChosen(shape, states) !== 'no';
}

const mayDelete = (look: Look, { shape, targets }: PlayedExecution, id: string): boolean => {
	const states = look.statesOf(id);
	if (shape.operation === 'delete') return targets.includes(id);
	if (shape.operation === 'sync') return mayMiss(look, shape, states);
	return shape.operation === 'deleteMany' && look.isChosen(shape, states) !== 'no';
};

/** Whether an item's execution may change a record. */
function mayChange(look: Look, { execution, at }: Item, id: string): boolean {
	const { shape, targets } = execution;
	const states = look.statesOf(id);
	const key = shape.items[at]?.key ?? null;
	switch (shape.operation) {
		case 'update':
			return targets[at] === id;
		case 'updateMany':
			return look.isChosen(shape, states) !== 'no';
		case 'sync':
			return look.mayHaveKey(states, key);
		case 'upsert': {
			if (shape.upsertMode === 'createOnly' && look.alone && shape.items.length === 1) return false;
			const found = look.step.before.filter(({ data }) => look.mayHaveKey([data], key));
			const isOpen = !look.alone || !look.key || meaning(look.key, key) === 'open';
			if (shape.multipleMatches === 'error' && !isOpen && found.length > 1) return false;
			if (shape.multipleMatches === 'first' && !isOpen && found.length > 0 && found[0]?.id !== id)
				return false;
			return look.mayHaveKey(states, key);
		}
		default:
			return false;
	}
}

function mayWrite(look: Look, write: Write): boolean {
	const { method, record } = write;
	if (method === 'DELETE')
		return look.executions.some((execution) => mayDelete(look, execution, record));
	const item = look.itemOf(write);
	if (!item) return false;
	if (method === 'PATCH') return mayChange(look, item, record);
	const { operation, upsertMode } = item.execution.shape;
	return CREATES.includes(operation) && !(operation === 'upsert' && upsertMode === 'updateOnly');
}

/** Nothing is changed or deleted that wasn't chosen, and nothing is created where nothing is to be. */
function* notChosen(look: Look): Generator<string> {
	const wrong = look.writes.find((write) => !mayWrite(look, write));
	if (wrong) yield `${wrong.method} of ${wrong.record}: ${shown(wrong)}`;
}

/** No operation writes or deletes more than its limit allows. */
function* tooMany({ alone, writes, step }: Look): Generator<string> {
	if (!alone) return;
	const { operation, maxChanges, maxDeletions } = alone.shape;
	const { length } = writes;
	if (operation.endsWith('Many') && maxChanges >= 0 && length > maxChanges)
		yield `${operation}: ${length} writes of at most ${maxChanges}`;
	const deletions = writes.filter(({ method }) => method === 'DELETE').length;
	const most = maxDeletions === 0 ? Math.max(5, Math.floor(step.before.length / 10)) : maxDeletions;
	if (operation === 'sync' && most >= 0 && deletions > most)
		yield `${deletions} deletions of at most ${most}`;
}

/** Whether an item is certainly refused before anything is sent. */
function isRefused(
	{ key, value, executions }: Look,
	{ operation, adds, upsertMode }: ExecutionShape,
	item: { key: Value; value: Value },
) {
	// A record that exists needs no values; and where fields are added, a text field takes anything as text.
	if (operation === 'upsert' && upsertMode === 'createOnly') return false;
	if (value?.kind === 'text' && (adds || operation === FROM_ITEMS)) return false;
	// Any execution of the step may add it before this one reads the fields.
	const isAdded = executions.some(({ shape }) => shape.adds || shape.operation === FROM_ITEMS);
	if (!value && !isAdded) return true;
	const hasKey = CREATES.includes(operation);
	const refuses = (field: LiveField | undefined, entered: Value) =>
		field !== undefined && meaning(field, entered) === 'refused';
	return refuses(value, item.value) || (hasKey && refuses(key, item.key));
}

/** Nothing is sent while an item is refused, unless On Error continues; Sync never for its card. */
function* sentInSpiteOf(look: Look): Generator<string> {
	const refusing = look.executions.filter(
		({ shape }) =>
			[...CREATES, 'update'].includes(shape.operation) &&
			(shape.onError === 'stopWorkflow' || shape.operation === 'sync') &&
			shape.items.some((item) => isRefused(look, shape, item)),
	);
	for (const { shape, marks } of refusing) {
		const sent = look.writes.find(({ mark }) => marks.includes(mark ?? ''));
		if (sent) yield `${shape.operation} wrote ${shown(sent)}`;
		const added = look.world.service.added.find(({ step }) => step === look.step.number);
		if (look.alone && added) yield `${shape.operation} added ${added.name}`;
	}
}

/** Writes of one run to one record keep the order of the items; deletions come last; one at once creates in order. */
function* outOfOrder(look: Look): Generator<string> {
	const last = new Map<string, number>();
	for (const write of look.writes) {
		const item = look.itemOf(write);
		if (!item) continue;
		const place = look.executions.indexOf(item.execution);
		const { maxParallel } = item.execution.shape;
		const isInLine = maxParallel === 1 && write.method === 'POST' && look.isClear;
		const line = `${place} ${isInLine ? 'created' : write.record}`;
		const before = last.get(line) ?? -1;
		if (item.at < before) yield `item ${item.at} was written after item ${before}: ${line}`;
		last.set(line, Math.max(before, item.at));
	}
	if (look.alone?.shape.operation !== 'sync') return;
	const firstDeleted = look.writes.findIndex(({ method }) => method === 'DELETE');
	const after = look.writes.slice(firstDeleted).find(({ method }) => method !== 'DELETE');
	if (firstDeleted >= 0 && after) yield `${after.method} after a deletion`;
}

/** What is written is what was given. */
function* changedValues(look: Look): Generator<string> {
	const { key, value } = look;
	for (const write of look.writes) {
		const found = look.itemOf(write);
		const item = found?.execution.shape.items[found.at];
		if (!item) continue;
		for (const [field, entered] of [
			[key, item.key],
			[value, item.value],
		] as const) {
			if (!field || !(field.id in write.data)) continue;
			const meant = meaning(field, entered);
			const sent = write.data[field.id];
			const isRight =
				typeof meant === 'object'
					? isStored(field, sent, meant.stored)
					: meant === 'open' || sent === shown(entered);
			if (!isRight) yield `${write.method} ${field.name} ${shown(entered)} became ${shown(sent)}`;
		}
	}
}

const isAscending = (numbers: number[]): boolean =>
	numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? 0));

/** Every item has an output or an error, in order, and none of the nodes' own names is missing its pair. */
function* unanswered({ executions }: Look): Generator<string> {
	for (const { shape, result, cancelledAt } of executions) {
		if (!result || cancelledAt !== undefined) continue;
		if (result.status === 'error') {
			if (shape.onError !== 'stopWorkflow') yield `failed as a whole: ${result.error?.message}`;
			if (!result.error?.message) yield 'failed without a message';
			continue;
		}
		if (result.status !== 'success') yield `ended as ${result.status}`;
		const kept = result.items.filter(({ json }) => json.action !== 'deleted');
		const [good, bad] = [pairs(kept), pairs(result.errorItems)];
		if (!isAscending(good) || !isAscending(bad)) yield `${shape.operation}: ${good} / ${bad}`;
		const all = [...good, ...bad].sort((a, b) => a - b).join();
		if (ONE_FOR_EACH.includes(shape.operation) && all !== [...shape.items.keys()].join())
			yield `${shape.operation} of ${shape.items.length} items has results of ${all}`;
	}
}

/** The output items of a run that wrote something; of a failed run those that its error hands out. */
function doneItems({ result }: PlayedExecution): IDataObject[] {
	if (result?.status !== 'error') {
		const items = result?.json ?? [];
		return items.filter(({ error, action }) => error === undefined && action !== 'unchanged');
	}
	const data = result.error?.context?.data as { done?: IDataObject[] } | undefined;
	return data?.done ?? [];
}

/** What a run says it did, also one that failed halfway, is what the service has. */
function* untrue(look: Look): Generator<string> {
	for (const execution of look.executions) {
		const { shape, marks } = execution;
		if (!isWriting(shape)) continue;
		const done = doneItems(execution);
		for (const { id, deleted } of done) {
			const says = `${shape.operation} says it ${deleted === true ? 'deleted' : 'wrote'} ${shown(id)}`;
			const wrote = ({ method, record, mark }: Write) =>
				(method === 'DELETE' ? deleted === true : deleted !== true && marks.includes(mark ?? '')) &&
				(!id || record === String(id));
			// What isn't there after an unclear try counts as deleted; and others may have deleted it.
			const isGone = !look.step.after.some((one) => one.id === String(id));
			const mayBeGone = !look.isClear || look.alone !== execution;
			if (!look.writes.some(wrote) && !(deleted === true && isGone && mayBeGone)) yield says;
		}
		// Where a response was lost, more may have been carried out.
		const isClear = look.isClear && look.alone === execution;
		if (isClear && done.length !== look.writes.length)
			yield `${shape.operation} (${shape.onError}) hands out ${done.length} of ${look.writes.length} writes`;
	}
}

const PLANNED: Record<string, string> = {
	created: 'create',
	updated: 'update',
	unchanged: 'none',
	deleted: 'delete',
};

/** What a dry run and the real one have in common, and the record's ID. */
function planned({ json, pairedItem }: INodeExecutionData): [common: string, id: unknown] {
	const { before, changes, dry_run, deleted, id, created_at, action, ...others } = json;
	void [before, changes, dry_run, created_at];
	const what = PLANNED[String(action)] ?? action ?? (deleted === true ? 'delete' : 'none');
	const known = Object.entries(others).filter(([, value]) => value !== undefined);
	return [shown([pairs([{ json, pairedItem }]), what, known.sort()]), id];
}

/** A dry run changes nothing, and says what the real run then does. */
function* untrueDryRun({ alone, isClear, world }: Look): Generator<string> {
	if (!alone?.dry) return;
	const { dry, result, shape, writesOfDry } = alone;
	if (writesOfDry > 0) yield `a dry run of ${shape.operation} has written`;
	if (!isClear || !result || shape.operation === 'createFromItems') return;
	// A later item can't change a record whose creation shows no ID.
	if (world.world.service.isQuiet && CREATES.includes(shape.operation)) return;
	if (dry.status !== result.status)
		yield `${shape.operation}: ${dry.error?.message ?? dry.status}, then ${result.error?.message ?? result.status}`;
	const [said, done] = [dry.items.map(planned), result.items.map(planned)];
	// The ID of a record that would be created isn't known.
	const at = said.findIndex(
		([common, id], place) =>
			common !== done[place]?.[0] || ((id ?? null) !== null && id !== done[place]?.[1]),
	);
	if (said.length !== done.length || at >= 0)
		yield `${shape.operation}: of ${said.length} and ${done.length} items ${shown(said[at])} became ${shown(done[at])}`;
}

/** Listings are read whole, each record once; a limit is kept; conditions decide. */
function* incomplete(look: Look): Generator<string> {
	if (look.executions.some(({ shape }) => isWriting(shape))) return;
	if (look.step.shape.meanwhile.hand !== 'nothing') return;
	for (const execution of look.executions.filter(hasSucceeded)) {
		const { shape, result } = execution;
		const [json, { length }] = [result?.json ?? [], result?.items ?? []];
		const verdicts = look.step.before.map(({ data }) => look.isChosen(shape, [data]));
		const sure = look.step.before.filter((_, at) => verdicts[at] === 'yes').map(({ id }) => id);
		const open = verdicts.filter((verdict) => verdict === 'open').length;
		const read = json.map(({ id }) => id).join();
		if (shape.operation === 'get' && read !== execution.targets.join()) yield `got ${read}`;
		const beyond = Number(json[0]?.count) - sure.length;
		if (shape.operation === 'count' && !(beyond >= 0 && beyond <= open))
			yield `counted ${shown(json[0])} of ${sure.length} to ${sure.length + open}`;
		if (open > 0) continue;
		const passes = sure.length > 0 === (shape.operation === 'ifExists');
		if (shape.operation.startsWith('if') && passes !== length > 0)
			yield `${shape.operation}: ${length} of ${sure.length}`;
		const expected = sure.slice(0, shape.limit ?? Infinity).join();
		if (shape.operation === 'getAll' && read !== expected)
			yield `read ${read} instead of ${expected}`;
	}
}

/** What Sync says it has done, holds: each item has one record with its values, and no other record takes part. */
function* unequal(look: Look): Generator<string> {
	const { alone, key, step } = look;
	if (alone?.shape.operation !== 'sync' || !key) return;
	const { shape } = alone;
	const meant = shape.items.map((item) => meaning(key, item.key));
	const known = meant.flatMap((one) => (typeof one === 'object' ? [one.stored] : []));
	const isTwice = known.some((one, at) =>
		known.some((other, place) => place < at && isSame(key, one, other)),
	);
	if (isTwice && look.writes.length > 0)
		yield 'two items mean one record, and records were written';
	if (!hasSucceeded(alone) || known.length < meant.length) return;
	for (const one of known) {
		const own = step.after.filter(({ data }) => isSame(key, data[key.id], one));
		if (own.length !== 1) yield `${own.length} records for ${shown(one)} after Sync`;
	}
	if (shape.missingRecords !== 'delete') return;
	for (const { id, data } of step.after) {
		const hasItem = known.some((one) => isSame(key, data[key.id], one));
		if (!hasItem && look.isChosen(shape, [data]) === 'yes')
			yield `${id} has no item, and is still there after Sync`;
	}
}

/** Fields and choices are added once, whoever adds them at the same time, and none is lost. */
function* addedTwice({ world: { steps }, service, step, mayBeUnknown }: Look): Generator<string> {
	const isRestarted = steps.some(({ shape }) => shape.hand === 'restart');
	const names = service.fields.map(({ name }) => name);
	const twice = names.find((name, at) => names.indexOf(name) < at);
	if (twice !== undefined && !mayBeUnknown && !isRestarted) yield `field ${twice} was added twice`;
	const labels = (fields: LiveField[]) => fields[1]?.choices?.map(({ label }) => label) ?? [];
	const now = labels(service.fields);
	const lost = labels(step.fields).find((label) => !now.includes(label));
	if (lost !== undefined) yield `choice ${lost} was lost`;
	if (new Set(now).size < now.length) yield `choices are ${shown(now)}`;
}

/** The laws by name. */
export const LAWS = {
	'everything ends': hangs,
	'nothing is created twice': createdTwice,
	'one record for each key': keysTwice,
	"nothing is changed that wasn't chosen": notChosen,
	'limits are kept': tooMany,
	'nothing is sent while an item is refused': sentInSpiteOf,
	'order is kept': outOfOrder,
	'values arrive as given': changedValues,
	'every item has an output or an error': unanswered,
	'what is said to be done is done': untrue,
	'a dry run is the real run': untrueDryRun,
	'listings are whole': incomplete,
	'Sync makes records and items equal': unequal,
	'a field or choice is added once': addedTwice,
} as const satisfies Record<string, Law>;

export type LawName = keyof typeof LAWS;

/** What breaks each law in a world; laws that hold are left out. */
export function broken(world: PlayedWorld): Partial<Record<LawName, string>> {
	const found: Partial<Record<LawName, string>> = {};
	for (const step of world.steps) {
		const look = lookAt(world, step);
		for (const [name, check] of Object.entries(LAWS) as Array<[LawName, Law]>) {
			const [first] = check(look);
			if (first !== undefined) found[name] ??= first;
		}
	}
	return found;
}
