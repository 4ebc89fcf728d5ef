/** What a listing of a card is worth, once this process has written to it. */
import { CardMemory, LAG_MS } from '../../../../nodes/WorkspaceData/actions/run/cardMemory';
import type { DataRecord } from '../../../../nodes/WorkspaceData/model/response/record';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/response/shapes';

const recordOf = (id: string, data: JsonObject): DataRecord => ({
	id,
	data,
	createdAt: null,
	raw: { id, data },
});
const listed = recordOf('r1', { a: 1, b: 1 });
/** A change of `a` that was carried out. */
function change(memory: CardMemory, a: unknown, before?: JsonObject, at = 0): void {
	memory.begin('r1', at);
	memory.changed(recordOf('r1', { a, b: 1 }), { a }, before, at);
}
const dataOf = (record: DataRecord | 'deleted'): unknown =>
	record === 'deleted' ? record : record.data;

describe('a write since the listing was opened', () => {
	test('overrules it: changes, values that the response shows, cleared values, deletions', () => {
		const memory = new CardMemory();
		const view = memory.open(0);
		expect(view.current(listed)).toBe(listed);
		memory.begin('r1', 0);
		memory.changed(recordOf('r1', { b: 3 }), { a: null }, undefined, 0);
		expect(dataOf(view.current(listed))).toEqual({ a: undefined, b: 3 });
		expect(view.isWritten('r1')).toBe(true);
		expect(view.isCertain('r1')).toBe(true);
		memory.begin('r1', 0);
		memory.end('r1', 'deleted', 0);
		expect(view.current(listed)).toBe('deleted');
		expect(view.isCertain('r1')).toBe(true);
	});

	test.each([
		['is under way', 'begin', false],
		['was lost', 'begin unclear', false],
		['was refused', 'begin refused', true],
		['was refused while another one is under way', 'begin begin refused', false],
		['was under way with another one', 'begin begin changed refused', false],
		['was lost, and another one has ended since', 'begin unclear begin changed', true],
		['was lost, and another one was refused since', 'begin unclear begin refused', false],
	])('that %s (%s): whether the values are certain', (_, steps, isCertain) => {
		const memory = new CardMemory();
		const view = memory.open(0);
		for (const step of steps.split(' ')) {
			if (step === 'begin') memory.begin('r1', 0);
			else if (step === 'changed') memory.changed(recordOf('r1', { a: 2 }), { a: 2 }, undefined, 0);
			else memory.end('r1', step as 'unclear' | 'refused', 0);
		}
		expect(view.isCertain('r1')).toBe(isCertain);
		expect(view.isWritten('r1')).toBe(true);
		expect(view.current(listed)).not.toBe('deleted');
	});
});

describe('a write before the listing was opened', () => {
	test('is forgotten a minute after it, but not while an older listing is in use', () => {
		const memory = new CardMemory();
		const old = memory.open(0);
		change(memory, 2, { a: 1 });
		expect(memory.isOver(LAG_MS)).toBe(false);
		expect(dataOf(old.current(listed))).toEqual({ a: 2, b: 1 });
		const young = memory.open(LAG_MS);
		memory.close(old);
		expect(memory.isOver(LAG_MS - 1)).toBe(false);
		memory.close(young);
		expect(memory.isOver(LAG_MS)).toBe(true);
		expect(memory.state('r1')).toBeUndefined();
	});

	test('counts only if the listing shows the values before it: others were written since', () => {
		const [memory, other] = [new CardMemory(), new CardMemory()];
		change(memory, 2, { a: 1 });
		const view = memory.open(1);
		const data = { a: 2, b: 1 };
		expect(view.current(listed)).toMatchObject({ data, raw: { id: 'r1', data } });
		expect(dataOf(view.current(recordOf('r1', { a: 5, b: 1 })))).toEqual({ a: 5, b: 1 });
		expect(['r1', 'r2'].map((id) => view.isWritten(id))).toEqual([false, false]);
		// Without the values before, nobody can tell.
		change(other, 2);
		const unknown = other.open(1);
		expect(dataOf(unknown.current(listed))).toEqual({ a: 1, b: 1 });
		expect(unknown.isCertain('r1')).toBe(false);
	});

	test("isn't forgotten while it is under way, nor in the minute after its end", () => {
		const memory = new CardMemory();
		memory.begin('r1', 0);
		expect(memory.isOver(5 * LAG_MS)).toBe(false);
		const during = memory.open(5 * LAG_MS);
		expect(during.isCertain('r1')).toBe(false);
		memory.close(during);
		const ended = 6 * LAG_MS;
		memory.changed(recordOf('r1', { a: 2 }), { a: 2 }, { a: 1 }, ended);
		const view = memory.open(ended + LAG_MS - 1);
		expect(dataOf(view.current(listed))).toEqual({ a: 2, b: 1 });
		expect(view.isCertain('r1')).toBe(true);
	});

	test('of very many or very large ones, the oldest are forgotten earlier', () => {
		const memory = new CardMemory();
		for (let n = 0; n < 20_001; n += 1) memory.created(recordOf(`n${n}`, {}), {}, 0);
		expect(memory.creations.length).toBeLessThanOrEqual(10_000);
		expect(memory.creations.at(-1)?.id).toBe('n20000');
		for (let n = 0; n < 9; n += 1)
			memory.created(recordOf(`m${n}`, { a: 'x'.repeat(900_000) }), {}, 0);
		expect(memory.creations.length).toBeLessThanOrEqual(4);
	});
});

describe('a listing', () => {
	test('knows the records that were created before; one that it lacks is certain once it is written', () => {
		const memory = new CardMemory();
		for (const id of ['n1', 'n2']) memory.created(recordOf(id, { a: 1 }), { a: 1 }, 0);
		memory.begin('n2', 0);
		memory.end('n2', 'deleted', 0);
		change(memory, 2);
		const view = memory.open(0);
		expect(memory.creations.map(({ id }) => id)).toEqual(['n1']);
		expect(view.isCertain('n1')).toBe(true);
		view.notListed('n1');
		expect(view.isCertain('n1')).toBe(false);
		memory.begin('n1', 0);
		memory.changed(recordOf('n1', { a: 2 }), { a: 2 }, undefined, 0);
		expect(view.isCertain('n1')).toBe(true);
		expect(memory.creations.map(dataOf)).toEqual([{ a: 2 }]);
	});

	test('is told each write from then on once, and earlier creations without a record', () => {
		const memory = new CardMemory();
		memory.mayExist({ a: 0 }, false, -LAG_MS);
		memory.mayExist({ a: 'failed' }, true, 0);
		memory.mayExist({ a: 'lost' }, false, 0);
		memory.created(recordOf('n1', { a: 1 }), { a: 1 }, 0);
		const news = memory.open(0).follow();
		const told = () => news.splice(0).map(({ sent, record }) => `${sent.a} ${record?.id}`);
		memory.created(recordOf('n2', { a: 2 }), { a: 2 }, 0);
		expect(told()).toEqual(['lost undefined', '2 n2']);
		memory.mayExist({ a: 3 }, true, 0);
		change(memory, 4);
		expect(told()).toEqual(['3 undefined', '4 r1']);
		expect(told()).toEqual([]);
	});

	test('is told nothing of a creation without a response more than a minute ago, even if older listings are in use', () => {
		const memory = new CardMemory();
		memory.open(0);
		for (const a of [1, 2]) memory.mayExist({ a }, false, 0);
		expect(memory.open(LAG_MS - 1).follow()).toHaveLength(2);
		expect(memory.open(LAG_MS).follow()).toEqual([]);
	});

	test('of a dry run knows what was sent before, and what was pretended; others know nothing of it', () => {
		const memory = new CardMemory();
		const view = memory.open(0);
		change(memory, 2, { a: 1 });
		memory.mayExist({ a: 3 }, false, 0);
		const pretended = memory.copy();
		const dry = pretended.open(0);
		pretended.begin('r1', 0);
		pretended.changed(recordOf('r1', { b: 5 }), { b: 5 }, undefined, 0);
		expect(dataOf(dry.current(listed))).toEqual({ a: 2, b: 5 });
		expect(dataOf(view.current(listed))).toEqual({ a: 2, b: 1 });
		expect(dry.isCertain('r1')).toBe(true);
		expect(pretended.open(0).follow()).toMatchObject([{ sent: { a: 3 } }]);
		expect(view.isWritten('r1')).toBe(true);
	});
});

test('a reading is whole unless this process deletes a record meanwhile', async () => {
	const memory = new CardMemory();
	const isWhole = async (meanwhile = async () => await Promise.resolve()) =>
		await memory.withoutDeletions(meanwhile);
	const deleted = async () => await memory.deleting(async () => await Promise.resolve());
	expect(await isWhole()).toBe(true);
	expect(await isWhole(deleted)).toBe(false);
	let end: (lost: Error) => void = () => {};
	const lost = memory.deleting(async () => await new Promise<void>((_, reject) => (end = reject)));
	expect(await isWhole()).toBe(false);
	end(new Error('no response'));
	await expect(lost).rejects.toThrow('no response');
	expect(await isWhole()).toBe(true);
});
