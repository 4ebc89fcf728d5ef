/** What executions of one process know of each other's writes, and in which order theirs come. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { createRun } from '../../../../nodes/WorkspaceData/actions/run/run';
import { indexFields } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import type { DataRecord } from '../../../../nodes/WorkspaceData/model/answer/record';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/answer/shapes';
import {
	ApiFailure,
	Unreachable,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { cardOf, memoryService, type MemoryService } from '../../../support/memoryService';
import { field } from '../../model/fields';

const card = { id: 'c1', name: 'Books' };
const place = { card, dryRun: false };
const dry = { card, dryRun: true };
const index = indexFields([{ ...field('Key', 'text'), id: 'f1' }], 'Books');
const settled = async () => await new Promise(setImmediate);

const serviceWith = (...keys: string[]) =>
	memoryService(
		cardOf(
			[{ name: 'Key', type: 'text' }],
			keys.map((Key) => ({ Key })),
		),
	);

/** An execution for so many items. */
function execution({ api }: MemoryService, { items = 1, cancel = new AbortController() } = {}) {
	const hints: string[] = [];
	const context = {
		getInputData: () => Array.from({ length: items }, () => ({ json: {} })),
		getExecutionCancelSignal: () => cancel.signal,
		getTimezone: () => 'UTC',
		addExecutionHints: ({ message }: { message: string }) => hints.push(message),
	} as unknown as IExecuteFunctions;
	const stop = () => {
		api.stop();
		cancel.abort();
	};
	const run = createRun(context, { ...api, stop, halted: cancel.signal }, async () => {});
	const matches = async () => await run.writes.matches(card, index, ['f1'], {});
	const find = async (key: string) =>
		(await (await matches()).find({ f1: key })).map(({ id }) => id);
	return { run, writes: run.writes, matches, find, hints };
}

const recordOf = (id: string, data: JsonObject): DataRecord => ({
	id,
	data,
	createdAt: null,
	raw: { id, data },
});
const sending = (id: string, data: JsonObject) => async () =>
	await Promise.resolve(recordOf(id, data));
/** Work that ends when it is told to. */
function held<T>(value: T) {
	let end = (): void => {};
	const work = new Promise<T>((resolve) => (end = () => resolve(value)));
	return { end, work: async () => await work };
}
const listings = (service: MemoryService) =>
	service.requests().filter((line) => line.endsWith('/records')).length;

describe('an execution that has listed a card', () => {
	test('knows what others create, change and delete there', async () => {
		const service = serviceWith('a', 'b');
		const [one, other] = [execution(service), execution(service)];
		expect(await one.find('a')).toEqual(['r1']);
		const states = one.writes.states(card);
		await other.writes.create(place, { f1: 'c' }, sending('n1', { f1: 'c' }));
		await other.writes.change(place, 'r1', { f1: 'd' }, sending('r1', { f1: 'd' }));
		await other.writes.remove(place, 'r2', async () => {});
		expect(await one.find('c')).toEqual(['n1']);
		expect(await one.find('d')).toEqual(['r1']);
		for (const gone of ['a', 'b']) expect(await one.find(gone)).toEqual([]);
		expect(states.isWritten('r1')).toBe(true);
		expect(listings(service)).toBe(1);
	});

	test('reads it once for each choice of fields to match on', async () => {
		const service = serviceWith('a');
		const { find, writes } = execution(service);
		await Promise.all([find('a'), find('b')]);
		expect(listings(service)).toBe(1);
		await writes.matches(card, index, ['f1', 'f2'], {});
		expect(listings(service)).toBe(2);
	});

	test('hears nothing after its end; others still do', async () => {
		const service = serviceWith();
		const [one, other, third] = [service, service, service].map((own) => execution(own));
		const states = [one, other].map((own) => own?.writes.states(card));
		one?.writes.close();
		await third?.writes.change(place, 'r1', {}, sending('r1', {}));
		expect(states.map((own) => own?.isWritten('r1'))).toEqual([false, true]);
		// Closed once more, it takes nothing from an execution that came later.
		other?.writes.close();
		const late = execution(service).writes.states(card);
		other?.writes.close();
		await third?.writes.change(place, 'r1', {}, sending('r1', {}));
		expect(late.isWritten('r1')).toBe(true);
	});

	test('hears nothing of another card, workspace or service', async () => {
		const service = serviceWith();
		const states = execution(service).writes.states(card);
		const { writes } = execution(service);
		const films = { card: { id: 'c2', name: 'Films' }, dryRun: false };
		await writes.change(films, 'r1', {}, sending('r1', {}));
		const elsewhere = { ...service, api: { ...service.api, workspaceId: 'w2' } };
		await execution(elsewhere).writes.change(place, 'r1', {}, sending('r1', {}));
		await execution(serviceWith()).writes.change(place, 'r1', {}, sending('r1', {}));
		expect(states.isWritten('r1')).toBe(false);
	});
});

describe('a dry run', () => {
	test('finds what it would have created or changed before; others do not', async () => {
		const service = serviceWith('a');
		const [one, other] = [execution(service), execution(service)];
		for (const { find } of [one, other]) expect(await find('c')).toEqual([]);
		await one.writes.create(dry, { f1: 'c' }, sending('dry run 1', { f1: 'c' }));
		await one.writes.change(dry, 'r1', { f1: 'b' }, sending('r1', { f1: 'b' }));
		expect(await one.find('c')).toEqual(['dry run 1']);
		expect(await one.find('a')).toEqual([]);
		expect(one.writes.states(card).isWritten('r1')).toBe(true);
		expect(await other.find('c')).toEqual([]);
		expect(await other.find('a')).toEqual(['r1']);
	});

	test('waits for no reading before a deletion that it does not send', async () => {
		const { writes } = execution(serviceWith());
		const reading = held(0);
		const read = writes.withoutDeletions(card, reading.work);
		await writes.remove(dry, 'r1', async () => {});
		let isDeleted = false;
		const deletion = writes.remove(place, 'r2', async () => {
			isDeleted = true;
			await Promise.resolve();
		});
		await settled();
		expect(isDeleted).toBe(false);
		reading.end();
		await Promise.all([read, deletion]);
		expect(isDeleted).toBe(true);
	});
});

describe('a write that fails', () => {
	const refused = new ApiFailure({ status: 422, title: 'Invalid' });
	const lost = new Unreachable('No answer', {
		transient: true,
		sent: 'maybe',
	});
	const failing = (error: Error) => async () => await Promise.reject(error);

	test('leaves the values of a record in doubt until it is written again', async () => {
		const { writes } = execution(serviceWith('a'));
		const states = writes.states(card);
		await expect(writes.change(place, 'r1', {}, failing(lost))).rejects.toBe(lost);
		expect(states.isCertain('r1')).toBe(false);
		await writes.change(place, 'r1', {}, sending('r1', {}));
		expect(states.isCertain('r1')).toBe(true);
		await expect(writes.remove(place, 'r1', failing(lost))).rejects.toBe(lost);
		expect(states.isCertain('r1')).toBe(false);
	});

	test('of a new record that was refused, needs no new listing', async () => {
		const service = serviceWith();
		const { writes, find } = execution(service);
		await find('a');
		await expect(writes.create(place, { f1: 'a' }, failing(refused))).rejects.toBe(refused);
		expect(await find('a')).toEqual([]);
		expect(listings(service)).toBe(1);
	});

	test('without an answer, it is looked up, once all others are created', async () => {
		const service = serviceWith();
		const { writes, find } = execution(service);
		await find('a');
		await expect(writes.create(place, { f1: 'a' }, failing(lost))).rejects.toBe(lost);
		const creation = held(recordOf('n1', { f1: 'b' }));
		const creating = writes.create(place, { f1: 'b' }, creation.work);
		const found = find('a');
		await settled();
		expect(listings(service)).toBe(1);
		service.cards[0]?.records.push({ id: 'n2', data: { f1: 'a' }, created_at: '' });
		creation.end();
		await creating;
		expect(await found).toEqual(['n2']);
	});
});

describe('tasks', () => {
	test.each([
		['of one execution', { isShared: false }, false],
		['of all executions', { isShared: true }, true],
	])('on one part of a card wait for those before them, %s', async (_, { isShared }, waits) => {
		const service = serviceWith();
		const [one, other] = [execution(service, { items: 2 }), execution(service)];
		const target = { card, part: 'a', isShared };
		const first = held('first');
		const ended: string[] = [];
		const end = (name: string) => async () => await Promise.resolve(ended.push(name));
		const all = [
			one.writes.inOrder(target, first.work),
			one.writes.inOrder(target, end('same')),
			one.writes.inOrder({ ...target, part: 'b' }, end('other part')),
			one.writes.inOrder({ ...target, card: { id: 'c2', name: 'Films' } }, end('other card')),
			other.writes.inOrder(target, end('other execution')),
		];
		await settled();
		const free = ['other part', 'other card', ...(waits ? [] : ['other execution'])];
		expect(ended.sort()).toEqual(free.sort());
		first.end();
		await Promise.all(all);
		expect(ended).toHaveLength(4);
	});

	test('of a later item wait until the earlier one has begun', async () => {
		const { writes, run } = execution(serviceWith(), { items: 2 });
		const begun: number[] = [];
		const first = held(0);
		const done = run.items.each(async (itemIndex) => {
			if (itemIndex === 0) await first.work();
			await writes.inItemOrder(itemIndex, { card, part: 'a' }, async () =>
				Promise.resolve(begun.push(itemIndex)),
			);
		});
		await settled();
		expect(begun).toEqual([]);
		first.end();
		await done;
		expect(begun).toEqual([0, 1]);
	});
});

describe('an execution is cancelled', () => {
	const target = { card, part: 'a', isShared: true };

	test('while it waits for another one: it ends at once, and its task never begins', async () => {
		const service = serviceWith();
		const cancel = new AbortController();
		const before = held(0);
		const busy = execution(service).writes.inOrder(target, before.work);
		let hasBegun = false;
		const waiting = execution(service, { cancel }).writes.inOrder(target, async () => {
			hasBegun = true;
			await Promise.resolve();
		});
		const refused = expect(waiting).rejects.toThrow('cancelled');
		cancel.abort();
		await refused;
		before.end();
		await busy;
		await settled();
		expect(hasBegun).toBe(false);
	});

	test('before it begins, or ended by a failed item: no further task begins', async () => {
		const service = serviceWith();
		let stops = 0;
		service.api.stop = () => (stops += 1);
		const cancel = new AbortController();
		cancel.abort();
		const cancelled = execution(service, { cancel });
		expect(stops).toBe(0);
		const failed = execution(service);
		failed.run.ending.stop();
		expect(stops).toBe(1);
		let hasBegun = false;
		const task = async () => await Promise.resolve((hasBegun = true));
		for (const { writes } of [cancelled, failed])
			await expect(writes.inOrder(target, task)).rejects.toThrow('cancelled');
		expect(hasBegun).toBe(false);
	});
});

describe('an execution', () => {
	test('of several items reads a listing once for all; of one item it keeps no record', () => {
		const service = serviceWith();
		const [single, several] = [execution(service), execution(service, { items: 2 })];
		const opened = ({ run }: typeof single) => [0, 1].map(() => run.records.of(card, 5));
		expect(new Set(opened(single)).size).toBe(2);
		expect(new Set(opened(several)).size).toBe(1);
	});

	test.each([
		[0, []],
		[7_000, [expect.stringContaining('waited 7 seconds')]],
	])('that waited %d ms for the rate limit says so at its end, if at all', (waitedMs, expected) => {
		const service = serviceWith();
		const { run, hints } = execution({ ...service, api: { ...service.api, waitedMs } });
		run.ending.done();
		expect(hints).toEqual(expected);
	});
});
