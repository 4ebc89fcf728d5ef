/** What a listing of a card is worth, while this process writes to it. */
import { CardLog } from '../../../../nodes/WorkspaceData/actions/run/cardLog';
import { UNCLEAR_MS } from '../../../../nodes/WorkspaceData/actions/run/unclearCreations';
import type { DataRecord } from '../../../../nodes/WorkspaceData/model/response/record';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/response/jsonObject';
import { lastChange } from '../../../../nodes/WorkspaceData/transport/sharedState';

const recordOf = (id: string, data: JsonObject): DataRecord => {
	return { id, data, createdAt: null, raw: { id, data } };
};
const run = {};
function openLog(): CardLog {
	const log = new CardLog();
	log.open(run);
	return log;
}
/** A record on a page that is requested now. */
const listed = (data: JsonObject = { a: 1, b: 1 }): DataRecord => ({
	...recordOf('r1', data),
	asOf: lastChange(),
});
/** A change of `a` that was carried out, and whose response shows `a` only. */
function change(log: CardLog, a: unknown): void {
	log.changed(recordOf('r1', { a }), { a });
}

describe('a write counts for a listed record if it ended after its page was requested', () => {
	test('a change: what was sent and what the response shows', () => {
		const log = openLog();
		const record = listed();
		expect(log.current(record)).toBe(record);
		log.changed(recordOf('r1', { b: 3 }), { a: null });
		const expected = { data: { a: null, b: 3 }, raw: { data: { b: 3 } } };
		expect(log.current(record)).toMatchObject(expected);
		expect([log.isWritten(record), log.isClear(record)]).toEqual([true, true]);
	});

	test('a deletion', () => {
		const log = openLog();
		const record = listed();
		log.deleted('r1');
		expect(log.current(record)).toBeUndefined();
		// Somebody has restored it.
		expect(log.current(listed())).toBeDefined();
	});

	test('a later page is believed: somebody may have changed the record since', () => {
		const log = openLog();
		change(log, 2);
		const edited = listed({ a: 1, b: 5 });
		expect(log.current(edited)).toBe(edited);
		expect(log.isWritten(edited)).toBe(false);
		log.changed(recordOf('r1', { b: 6 }), { b: 6 });
		expect(log.current(edited)?.data).toEqual({ a: 1, b: 6 });
	});

	test('a record that was created while pages were read is known, unless it was deleted', () => {
		const log = openLog();
		log.created(recordOf('early', {}), {});
		const before = lastChange();
		for (const id of ['n1', 'n2']) log.created(recordOf(id, { a: 1 }), { a: 1 });
		log.deleted('n2');
		log.changed(recordOf('n1', { a: 2 }), { a: 2 });
		expect(log.createdAfter(before)).toEqual([recordOf('n1', { a: 2 })]);
	});
});

test('the values of a record are unknown after a change that was lost, until another one has ended', () => {
	const log = openLog();
	const record = listed();
	log.unclear('r1');
	expect(log.isClear(record)).toBe(false);
	expect(log.current(record)).toBeDefined();
	change(log, 2);
	expect(log.isClear(record)).toBe(true);
});

describe('a log', () => {
	test('keeps what an open run may need, and is over with the last run', () => {
		const [log, record, later] = [openLog(), listed(), {}];
		change(log, 2);
		log.open(later);
		log.close(run);
		// The second run began after the change.
		expect(log.current(record)).toBe(record);
		expect(log.isOver(0)).toBe(false);
		change(log, 3);
		expect(log.current(record)?.data).toEqual({ a: 3, b: 1 });
		log.close(later);
		expect(log.current(record)).toBe(record);
		expect(log.isOver(0)).toBe(true);
	});

	test('tells each write from then on once, and earlier creations without a response', () => {
		const log = openLog();
		log.mayExist({ a: 0 }, -UNCLEAR_MS);
		log.mayExist({ a: 'lost' }, 0);
		log.created(recordOf('n1', { a: 1 }), { a: 1 });
		const news = log.follow(run, 0);
		const told = () => news.splice(0).map(({ sent, record }) => `${sent.a} ${record?.id}`);
		log.created(recordOf('n2', { a: 2 }), { a: 2 });
		expect(told()).toEqual(['lost undefined', '2 n2']);
		log.mayExist({ a: 3 }, 0);
		change(log, 4);
		expect(told()).toEqual(['3 undefined', '4 r1']);
		expect(told()).toEqual([]);
	});

	test('remembers a creation without a response for a minute, also without a run', () => {
		const log = openLog();
		log.mayExist({ a: 1 }, 0);
		log.close(run);
		expect([UNCLEAR_MS - 1, UNCLEAR_MS].map((now) => log.isOver(now))).toEqual([false, true]);
		log.open(run);
		expect(log.follow(run, UNCLEAR_MS - 1)).toEqual([{ sent: { a: 1 } }]);
		expect(log.follow(run, UNCLEAR_MS)).toEqual([]);
	});

	test('knows if this process deleted a record during a reading', async () => {
		const log = openLog();
		expect(await log.withoutDeletions(async () => {})).toBe(true);
		const during = async () => await log.deleting(async () => {});
		expect(await log.withoutDeletions(during)).toBe(false);
		let end = (): void => {};
		const deleting = log.deleting(async () => await new Promise((resolve) => (end = resolve)));
		expect(await log.withoutDeletions(async () => {})).toBe(false);
		end();
		await deleting;
	});
});
