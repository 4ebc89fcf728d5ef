/** The laws that every world must keep. Each takes a played world and names what breaks it. */
import type { IDataObject } from 'n8n-workflow';
import { inspect } from 'node:util';
import { combined, isEmpty, isSame, isStored, meaning, meets, type Verdict } from './oracle';
import { statesIn, type PlayedExecution, type PlayedStep, type PlayedWorld } from './play';
import type { ExecutionShape, Operation, Value } from './shapes';
import type { Data, LiveField, Write } from './simulatedService';

/** Ms after which a cancelled execution has ended, and sends nothing more. */
const CANCEL_MS = 2_000;

const READS: readonly Operation[] = ['getAll', 'count', 'ifExists', 'ifNotExists'];
const ONE_FOR_EACH: readonly Operation[] = ['create', 'update', 'delete', 'count'];

/** The fields that the workflow's names mean in a step. */
function fieldsOf(
	{ world }: PlayedWorld,
	{ fields }: PlayedStep,
): Record<'Key' | 'Value', LiveField | undefined> {
	const named = (wanted: string) => fields.find(({ name }) => name === wanted);
	return { Key: named(world.key.name), Value: named(world.value.name) };
}

const writesIn = ({ service }: PlayedWorld, { number }: PlayedStep): Write[] =>
	service.writes.filter(({ step }) => step === number);

const isWriting = ({ operation, dryRun }: ExecutionShape): boolean =>
	!READS.includes(operation) && !dryRun;

/** Whether an execution of this step may ever delete or change a record, by its conditions. */
function isChosen(
	world: PlayedWorld,
	step: PlayedStep,
	shape: ExecutionShape,
	states: Data[],
): Verdict {
	const fields = fieldsOf(world, step);
	if (shape.conditions.length === 0) return 'no';
	const verdicts = states.map((data) => {
		const single = shape.conditions.map((condition) => {
			const field = fields[condition.field];
			return field ? meets(field, data[field.id], condition) : 'refused';
		});
		return combined(single, shape.any);
	});
	if (verdicts.includes('refused')) return 'no';
	return verdicts.includes('yes') ? 'yes' : verdicts.includes('open') ? 'open' : 'no';
}

/** The item that a mark belongs to. */
function markedItem(
	step: PlayedStep,
	mark: string | undefined,
): { execution: PlayedExecution; at: number } | undefined {
	for (const execution of step.executions) {
		const at = execution.marks.indexOf(mark ?? '');
		if (at >= 0) return { execution, at };
	}
	return undefined;
}

function* hangs({ steps }: PlayedWorld): Generator<string> {
	for (const step of steps) {
		if (step.hangs) yield "an execution doesn't end";
		for (const { canceledAt, endedAt, crash } of step.executions) {
			if (crash !== undefined) yield `n8n itself failed: ${inspect(crash)}`;
			if (canceledAt !== undefined && endedAt - canceledAt > CANCEL_MS) {
				yield `ended ${endedAt - canceledAt} ms after it was cancelled`;
			}
		}
	}
}

/** Nothing is created twice: each item at most once. */
function* writtenTwice(world: PlayedWorld): Generator<string> {
	const seen = new Set<string>();
	for (const { method, mark } of world.service.writes) {
		if (method !== 'POST' || mark === undefined) continue;
		if (seen.has(mark)) yield `item ${mark} was created twice`;
		seen.add(mark);
	}
}

/** One record for each key, whatever happened at once. */
function* keysTwice(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const { Key: field } = fieldsOf(world, step);
		if (!field) continue;
		const shapes = step.executions.map(({ shape }) => shape);
		const byKey: readonly Operation[] = ['upsert', 'sync'];
		if (shapes.some((shape) => isWriting(shape) && !byKey.includes(shape.operation))) continue;
		// What was cancelled or whose answer was lost may have created what nobody knows of.
		if (step.executions.some(({ canceledAt }) => canceledAt !== undefined)) continue;
		if (hasUnclearCreate(world, step)) continue;
		const count = (records: typeof step.before, key: unknown) =>
			records.filter(({ data }) => isSame(field, data[field.id], key) === 'yes').length;
		for (const { data } of step.after) {
			const key = data[field.id];
			if (isEmpty(key)) continue;
			const [before, after] = [count(step.before, key), count(step.after, key)];
			if (after > Math.max(1, before)) {
				const runs = step.executions.length === 1 ? 'one execution' : 'several executions';
				yield `${after} records with key ${JSON.stringify(key)}, ${before} before ${runs}`;
				break;
			}
		}
	}
}

/** Whether a create of the step may have got no clear answer. */
function hasUnclearCreate({ world }: PlayedWorld, step: PlayedStep): boolean {
	const unclear = ['busyAfter', 'lost', 'hangsAfter', 'gateway', 'hangs', 'busy'];
	return (
		world.service.faults.some(({ method, kind }) => method === 'POST' && unclear.includes(kind)) ||
		step.hangs
	);
}

/** Whether a record may be the one of an item with this key. */
function mayHaveKey(field: LiveField, data: Data, key: Value): boolean {
	const meant = meaning(field, key);
	if (meant === 'open') return true;
	return meant !== 'refused' && isSame(field, data[field.id], meant.stored) !== 'no';
}

/** Whether Sync may delete a record: it is told to, the record takes part and has no item in any of its states. */
function mayMiss(
	world: PlayedWorld,
	step: PlayedStep,
	shape: ExecutionShape,
	states: Data[],
): boolean {
	const { Key: field } = fieldsOf(world, step);
	if (!shape.deletions?.isWanted || !field) return false;
	const takesPart = shape.conditions.length === 0 || isChosen(world, step, shape, states) !== 'no';
	const certain = (data: Data) =>
		shape.items.some(({ key }) => {
			const meant = meaning(field, key);
			return typeof meant === 'object' && isSame(field, data[field.id], meant.stored) === 'yes';
		});
	return takesPart && states.some((data) => !certain(data) && !isEmpty(data[field.id]));
}

/** Nothing is written or deleted that was not chosen. */
function* notChosen(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const fields = fieldsOf(world, step);
		for (const write of writesIn(world, step)) {
			const record = world.service.records.find(({ id }) => String(id) === write.record);
			const states = record ? statesIn(record, step.number) : [];
			if (write.method === 'DELETE') {
				const isMeant = step.executions.some(({ shape, targets }) => {
					if (!isWriting(shape)) return false;
					if (shape.operation === 'delete') return targets.includes(write.record);
					if (shape.operation === 'sync') return mayMiss(world, step, shape, states);
					return shape.operation === 'deleteMany' && isChosen(world, step, shape, states) !== 'no';
				});
				if (!isMeant) yield `${write.record} was deleted: ${JSON.stringify(states[0])}`;
				continue;
			}
			const marked = markedItem(step, write.mark);
			if (!marked) {
				const roundTrips = step.executions.some(({ shape }) => shape.operation === 'roundTrip');
				if (!roundTrips) yield `${write.method} of ${write.record} has no item`;
				continue;
			}
			const { execution, at } = marked;
			const { shape } = execution;
			if (!isWriting(shape)) yield `${shape.operation} has written`;
			if (write.method === 'POST') {
				if (!['create', 'upsert', 'sync', 'createFromItems'].includes(shape.operation)) {
					yield `${shape.operation} has created`;
				}
				continue;
			}
			const key = shape.items[at]?.key ?? null;
			const hasKey = () =>
				fields.Key !== undefined &&
				states.some((data) => mayHaveKey(fields.Key as LiveField, data, key));
			const isMeant = {
				update: () => execution.targets[at] === write.record,
				upsert: hasKey,
				sync: hasKey,
				updateMany: () => isChosen(world, step, shape, states) !== 'no',
			}[shape.operation as 'update' | 'upsert' | 'sync' | 'updateMany'];
			if (!isMeant?.()) {
				yield `${shape.operation} changed ${write.record}: ${JSON.stringify(states[0])}`;
			}
		}
	}
}

/** Writes of one run to one record keep the order of the items. */
function* outOfOrder(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const last = new Map<string, number>();
		for (const { record, mark } of writesIn(world, step)) {
			const marked = markedItem(step, mark);
			if (!marked) continue;
			const run = `${step.executions.indexOf(marked.execution)} ${record}`;
			const before = last.get(run) ?? -1;
			if (marked.at < before)
				yield `item ${marked.at} was written to ${record} after item ${before}`;
			last.set(run, Math.max(before, marked.at));
		}
	}
}

/** What is written is what was given. */
function* changedValues(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const fields = fieldsOf(world, step);
		for (const { mark, data, method } of writesIn(world, step)) {
			const marked = markedItem(step, mark);
			const item = marked?.execution.shape.items[marked.at];
			if (!marked || !item || marked.execution.shape.operation === 'updateMany') continue;
			for (const name of ['Key', 'Value'] as const) {
				const field = fields[name];
				if (!field || !(field.id in data)) continue;
				const meant = meaning(field, item[name === 'Key' ? 'key' : 'value']);
				const given = JSON.stringify(item[name === 'Key' ? 'key' : 'value']);
				const got = `${method} ${name} ${given} became ${JSON.stringify(data[field.id])}`;
				if (meant === 'refused') yield `${got}, though it is ambiguous`;
				else if (meant !== 'open' && !isStored(field, data[field.id], meant.stored)) yield got;
			}
		}
	}
}

/** Get Many, then Update with what came: nothing changes. */
function* changedByRoundTrip(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const [only, ...others] = step.executions;
		if (others.length > 0 || only?.shape.operation !== 'roundTrip') continue;
		for (const { id, data } of step.before) {
			const now = step.after.find((record) => record.id === id)?.data;
			if (now && JSON.stringify(sorted(now)) === JSON.stringify(sorted(data))) continue;
			yield `${id} was ${JSON.stringify(data)} and is ${JSON.stringify(now)}`;
		}
	}
}

/** A field that is missing is as empty as one that is null. */
const sorted = (data: Data) =>
	Object.entries(data)
		.filter(([, value]) => !isEmpty(value))
		.sort(([a], [b]) => (a < b ? -1 : 1));

const pairs = (items: Array<{ pairedItem?: unknown }>): number[] =>
	items.map(({ pairedItem }) =>
		typeof pairedItem === 'object' && pairedItem !== null && 'item' in pairedItem
			? Number(pairedItem.item)
			: Number(pairedItem),
	);

const isAscending = (numbers: number[]): boolean =>
	numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? 0));

/** Each item has an output or an error, in order. */
function* unanswered({ steps }: PlayedWorld): Generator<string> {
	for (const { shape, result, canceledAt } of steps.flatMap(({ executions }) => executions)) {
		if (!result || canceledAt !== undefined) continue;
		if (result.status === 'error') {
			if (shape.onError !== 'stop') yield `failed as a whole: ${result.error?.message}`;
			if (!result.error?.message) yield 'failed without a message';
			continue;
		}
		if (result.status !== 'success') yield `ended as ${result.status}`;
		const [good, bad] = [pairs(result.items), pairs(result.errorItems)];
		// What Sync deleted, and the card of a dry run, come last, with the first item.
		const inOrder = shape.operation === 'sync' || shape.dryRun ? [...new Set(good)] : good;
		if (!isAscending(inOrder) || !isAscending(bad)) yield `${shape.operation}: ${good} / ${bad}`;
		const all = [...good, ...bad].sort((a, b) => a - b);
		if (shape.dryRun || !ONE_FOR_EACH.includes(shape.operation)) continue;
		if (all.join() !== shape.items.map((_, at) => at).join()) {
			yield `${shape.operation} of ${shape.items.length} items answers for ${all.join()}`;
		}
	}
}

/** What an item says is done, is done. */
function* untrue(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const writes = writesIn(world, step);
		for (const { shape, marks, targets, result } of step.executions) {
			if (!result || !isWriting(shape)) continue;
			for (const { json, pairedItem } of result.items) {
				const [at = 0] = pairs([{ pairedItem }]);
				if (json.error !== undefined || json.action === 'unchanged') continue;
				const wrote = (record: unknown) =>
					writes.some(
						({ mark, record: id }) => mark === marks[at] && (!record || id === String(record)),
					);
				const writing = ['create', 'update', 'upsert', 'updateMany', 'sync', 'createFromItems'];
				if (writing.includes(shape.operation) && json.deleted !== true) {
					if (!wrote(json.id)) yield `item ${marks[at]} says it wrote ${String(json.id)}`;
				} else if (['delete', 'deleteMany', 'sync'].includes(shape.operation)) {
					const id = shape.operation === 'delete' ? targets[at] : String(json.id);
					const record = world.service.records.find((one) => String(one.id) === id);
					if (record && !record.isGone) yield `${id} is said to be deleted`;
				}
			}
		}
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

/** What a run that failed halfway says it did is what the service has, no more and no less. */
function* halfway(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const [only, ...others] = step.executions;
		const { operation } = only?.shape ?? {};
		if (!only || others.length > 0 || !isWriting(only.shape) || operation === 'roundTrip') continue;
		const done = doneItems(only);
		const writes = writesIn(world, step);
		for (const { id, deleted } of done) {
			const wrote = ({ method, record }: Write) =>
				(method === 'DELETE') === (deleted === true) && (!id || record === String(id));
			if (!writes.some(wrote)) yield `${operation} says it wrote ${JSON.stringify(id)}`;
		}
		// Where a response was lost, or the run was given up, more may have been carried out.
		const isClear = world.world.service.faults.every(({ method }) => method === 'GET');
		if (!isClear || only.canceledAt !== undefined || only.crash !== undefined) continue;
		if (done.length !== writes.length)
			yield `${operation} (${only.shape.onError}) hands out ${done.length} of ${writes.length} writes`;
	}
}

/** The old values of a change are those that the record had, whatever was written or restored before the run. */
function* wrongOldValues(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const [only, ...others] = step.executions;
		if (!only || others.length > 0 || !isWriting(only.shape)) continue;
		const seen = new Set<string>();
		for (const { id, before } of doneItems(only)) {
			const record = step.before.find((one) => one.id === String(id));
			if (!record || seen.has(record.id) || typeof before !== 'object') continue;
			seen.add(record.id);
			for (const [name, value] of Object.entries(before ?? {})) {
				const field = step.fields.find((one) => one.name === name);
				const held = field && record.data[field.id];
				if (!field || (isEmpty(held) && isEmpty(value)) || held === value) continue;
				yield `${record.id} had ${JSON.stringify(held)} in ${name}, said to be ${JSON.stringify(value)}`;
			}
		}
	}
}

/** Listings are read whole, each record once. */
function* incomplete(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		if (step.executions.some(({ shape }) => isWriting(shape))) continue;
		for (const { shape, result, canceledAt } of step.executions) {
			if (result?.status !== 'success' || canceledAt !== undefined) continue;
			if (result.errorItems.length > 0) continue;
			if (result.items.some(({ json }) => json.error !== undefined)) continue;
			const verdicts = step.before.map(({ id, data }) => ({
				id,
				verdict: shape.conditions.length === 0 ? 'yes' : isChosen(world, step, shape, [data]),
			}));
			const sure = verdicts.filter(({ verdict }) => verdict === 'yes').map(({ id }) => id);
			const open = verdicts.filter(({ verdict }) => verdict === 'open').map(({ id }) => id);
			const [first] = result.json;
			if (shape.operation === 'count') {
				const count = Number(first?.count);
				if (result.items.length > 0 && (count < sure.length || count > sure.length + open.length)) {
					yield `counted ${count} of ${sure.length} to ${sure.length + open.length}`;
				}
			}
			if (shape.operation !== 'getAll' || shape.items.length !== 1) continue;
			const ids = result.json.map(({ id }) => String(id));
			if (new Set(ids).size < ids.length) yield `records come twice: ${ids.join()}`;
			const strange = ids.filter((id) => !sure.includes(id) && !open.includes(id));
			if (strange.length > 0) yield `records that don't meet the conditions: ${strange.join()}`;
			if (open.length > 0) continue;
			const expected = sure.slice(0, shape.limit ?? Infinity);
			if (ids.join() !== expected.join()) yield `read ${ids.join()} instead of ${expected.join()}`;
		}
	}
}

/** No secret leaves by another way than the header that it is for. */
function* told({ service, steps }: PlayedWorld): Generator<string> {
	const secrets = [service.apiKey, service.clientSecret, ...service.tokens];
	const tells = (text: string) => secrets.some((secret) => text.includes(secret));
	for (const { url, headers, body } of service.sent) {
		const others = { ...headers, authorization: '' };
		const isToken = url.pathname.endsWith('/token');
		if (tells(url.href) || tells(JSON.stringify(others)) || (!isToken && tells(body))) {
			yield `sent in ${url.pathname}`;
		}
	}
	for (const { result } of steps.flatMap(({ executions }) => executions)) {
		if (!result) continue;
		const { run, error, staticData } = result;
		const shown = [
			JSON.stringify(run.data.resultData),
			JSON.stringify(staticData),
			inspect(error, { depth: 8 }),
		];
		if (shown.some(tells)) yield 'shown in a result';
	}
}

/** A service that serves 16 requests at once is not asked for more than it bears. */
function* overrun(world: PlayedWorld): Generator<string> {
	const { faults, capacity, rate } = world.world.service;
	if (capacity === null || faults.length > 0 || rate !== null) return;
	for (const { executions } of world.steps) {
		// The service may still work on what a canceled execution has sent.
		if (executions.some(({ canceledAt }) => canceledAt !== undefined)) continue;
		for (const { shape, result } of executions) {
			const busy = result?.items.concat(result.errorItems).some(({ json }) => isOverload(json));
			const failed = result?.error && /at once|overloaded/i.test(inspect(result.error));
			if (busy || failed)
				yield `${shape.operation} failed at a service that serves ${capacity} at once`;
		}
	}
}

const isOverload = (json: object): boolean =>
	'error' in json && /at once|overloaded/i.test(JSON.stringify(json));

/** What Sync says it has done, holds: each item has one record with its values, and no other record takes part. */
function* unequal(world: PlayedWorld): Generator<string> {
	for (const step of world.steps) {
		const [only, ...others] = step.executions;
		if (others.length > 0 || only?.shape.operation !== 'sync' || only.shape.dryRun) continue;
		const { shape, result, canceledAt, marks } = only;
		const { Key: field } = fieldsOf(world, step);
		if (!field || !result || canceledAt !== undefined) continue;
		const meant = shape.items.map(({ key }) => meaning(field, key));
		const known = meant.flatMap((one) => (typeof one === 'object' ? [one.stored] : []));
		const isTwice = known.some((key, at) =>
			known.some((other, place) => place < at && isSame(field, key, other) === 'yes'),
		);
		const wrote = writesIn(world, step).filter(
			({ mark, method }) => method === 'DELETE' || marks.includes(mark ?? ''),
		);
		if (isTwice && wrote.length > 0) yield 'two items mean one record, and records were written';
		if (result.status !== 'success' || result.errorItems.length > 0) continue;
		if (result.items.some(({ json }) => json.error !== undefined)) continue;
		if (known.length < meant.length) continue;
		for (const key of known) {
			const own = step.after.filter(({ data }) => isSame(field, data[field.id], key) === 'yes');
			if (own.length !== 1) yield `${own.length} records for ${JSON.stringify(key)} after Sync`;
		}
		if (!shape.deletions?.isWanted) continue;
		for (const { id, data } of step.after) {
			const takesPart =
				shape.conditions.length === 0 || isChosen(world, step, shape, [data]) === 'yes';
			const hasItem = known.some((key) => isSame(field, data[field.id], key) !== 'no');
			if (takesPart && !hasItem) yield `${id} has no item, and is still there after Sync`;
		}
	}
}

/** A field is added once, whoever adds it at the same time. */
function* fieldsTwice({ world, service }: PlayedWorld): Generator<string> {
	const lost = world.service.faults.some(({ method }) => method === 'POST');
	const names = service.fields.map(({ name }) => name);
	const twice = names.find((name, at) => names.indexOf(name) < at);
	if (twice !== undefined && !lost) yield `field ${twice} was added twice`;
}

/** The laws by name, as the issue has them. */
export const LAWS = {
	'everything ends': hangs,
	'nothing is created twice': writtenTwice,
	'one record for each key': keysTwice,
	"nothing is changed that wasn't chosen": notChosen,
	'order is kept': outOfOrder,
	'values arrive as given': changedValues,
	'what was read goes back unchanged': changedByRoundTrip,
	'every item has an output or an error': unanswered,
	'what is said to be done is done': untrue,
	'what a run hands out is what it did': halfway,
	'old values are those that were overwritten': wrongOldValues,
	'listings are whole': incomplete,
	'no secret leaves': told,
	"capacity isn't overrun": overrun,
	'Sync makes records and items equal': unequal,
	'a field is added once': fieldsTwice,
} as const;

export type Law = keyof typeof LAWS;

/** What breaks each law in a world; laws that hold are left out. */
export function broken(world: PlayedWorld): Partial<Record<Law, string>> {
	const found: Partial<Record<Law, string>> = {};
	for (const [law, check] of Object.entries(LAWS)) {
		const [first] = check(world);
		if (first !== undefined) found[law as Law] = first;
	}
	return found;
}
