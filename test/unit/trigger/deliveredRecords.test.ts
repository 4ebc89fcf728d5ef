/** Which items of deliveries Catch Up leaves out, because the workflow has had their records. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { withoutKnown } from '../../../nodes/WorkspaceData/trigger/catchUp/deliveredRecords';
import {
	openKnownRecords,
	recordKey,
} from '../../../nodes/WorkspaceData/trigger/catchUp/knownRecords';
import { activate } from '../../../nodes/WorkspaceData/trigger/subscription/publishing';
import { openStore } from '../../../nodes/WorkspaceData/trigger/subscription/storage';
import { triggerHost } from '../../support/triggerHost';

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const iso = (at: number) => new Date(at).toISOString();

const item = (recordId: unknown, at = NOON, more: IDataObject = {}): INodeExecutionData => ({
	json: {
		event: 'record.created',
		card_id: 'c1',
		record_id: recordId as string,
		timestamp: iso(at),
		...more,
	},
});

function world() {
	const host = triggerHost();
	const pass = async (...items: INodeExecutionData[]) => await withoutKnown(host.execution, items);
	/** A search up to a time was begun, and completed if so told. */
	async function search(upTo: number, isComplete: boolean): Promise<void> {
		const store = openStore(host.execution, 'apiKey');
		const saved = await store.read();
		const missed = { cardId: null, from: NOON - 600 * MINUTE, upTo: [upTo] };
		await store.write({ ...saved, missed });
		if (isComplete) await openKnownRecords(host.execution).complete(upTo, []);
	}
	return { ...host, pass, search };
}

test('a record passes once, and others beside it pass', async () => {
	const { pass, lines } = world();
	expect(await pass(item('r1'), item('r2'))).toEqual([item('r1'), item('r2')]);
	expect(await pass(item('r2'), item('r3'))).toEqual([item('r3')]);
	expect(lines).toEqual([]);
});

test('the same ID on another card is another record', async () => {
	const { pass } = world();
	await pass(item('r1'));
	const elsewhere = item('r1', NOON, { card_id: 'c2' });
	expect(await pass(elsewhere)).toEqual([elsewhere]);
});

test.each([
	['other events', item('r1', NOON, { event: 'record.updated' })],
	['a created record without an ID', { json: { event: 'record.created', card_id: 'c1' } }],
])('%s pass however often they come, and are not remembered', async (_, one) => {
	const { pass, processed } = world();
	expect(await pass(one)).toEqual([one]);
	expect(await pass(one)).toEqual([one]);
	expect(processed()).toEqual([]);
});

test('an update passes next to a record that is left out', async () => {
	const { pass } = world();
	await pass(item('r1'));
	const updated = item('r1', NOON, { event: 'record.updated' });
	expect(await pass(item('r1'), updated)).toEqual([updated]);
});

test('a record that a completed search has brought is left out, even if it is no longer remembered', async () => {
	const { pass, search } = world();
	await search(NOON, true);
	expect(await pass(item('old', NOON - MINUTE))).toEqual([]);
	expect(await pass(item('older', NOON - 10 * MINUTE))).toEqual([]);
});

test('so is one that comes together with a record from after the search, which passes', async () => {
	const { pass, search } = world();
	await search(NOON, true);
	const newer = item('newer', NOON + 10 * MINUTE);
	expect(await pass(item('old', NOON - MINUTE), newer)).toEqual([newer]);
	expect(await pass(newer, item('older', NOON - 2 * MINUTE))).toEqual([]);
});

test('a record from after all searches costs one question to n8n', async () => {
	const { pass, search, execution } = world();
	await search(NOON, true);
	const asking = jest.spyOn(execution.helpers, 'checkProcessedAndRecord');
	await pass(item('newer', NOON - MINUTE + 1));
	expect(asking).toHaveBeenCalledTimes(1);
	await pass(item('old', NOON - MINUTE));
	expect(asking).toHaveBeenCalledTimes(3);
});

test('a record close to the end of a search passes, as its ID would be remembered', async () => {
	const { pass, search } = world();
	await search(NOON, true);
	const close = item('close', NOON - MINUTE + 1);
	expect(await pass(close)).toEqual([close]);
});

test('a record that says no time passes: better twice than never', async () => {
	const { pass, search } = world();
	await search(NOON, true);
	const timeless = item('timeless', NOON, { timestamp: 7 });
	expect(await pass(timeless)).toEqual([timeless]);
	expect(await pass(item('old', NOON - MINUTE), item('b', NOON, { timestamp: 'soon' }))).toEqual([
		item('b', NOON, { timestamp: 'soon' }),
	]);
});

test('a search that was begun and not completed has brought nothing', async () => {
	const { pass, search } = world();
	await search(NOON, false);
	const old = item('old', NOON - MINUTE);
	expect(await pass(old)).toEqual([old]);
});

test('where n8n cannot look records up, all pass, and the log says why', async () => {
	const { pass, execution, lines } = world();
	execution.helpers.checkProcessedAndRecord = async () => {
		throw new Error('The table is gone');
	};
	expect(await pass(item('r1'))).toEqual([item('r1')]);
	expect(lines).toEqual([
		'Trigger: The list of known records could not be saved: The table is gone',
	]);
});

test('n8n is to keep two thousand entries, as each record reads and writes all of them', async () => {
	const { pass, processed } = world();
	await pass(...Array.from({ length: 2_500 }, (_, n) => item(`r${n}`, NOON + n)));
	expect(processed()).toHaveLength(2_000);
});

describe('a search stays known however many records come', () => {
	/** The ID of a record whose time is remembered as a landmark: one in a hundred. */
	async function landmarkId(): Promise<string> {
		const { pass, processed } = world();
		for (let n = 0; n < 1_000; n += 1) {
			const before = processed().length;
			await pass(item(`r${n}`));
			if (processed().length > before + 1) return `r${n}`;
		}
		throw new Error('No record is a landmark');
	}

	test('in the process that publishes the workflow', async () => {
		const landmark = await landmarkId();
		const host = world();
		await activate(host.hook, host.clock);
		await host.search(NOON - 60 * MINUTE, true);
		await host.pass(item('r'));
		expect(host.processed()[0]).toMatch(/^searched up to /);
		await host.pass(item(landmark));
		// It is a newer entry than the records by now, so it is forgotten later.
		expect(host.processed()[0]).toBe(recordKey('c1', 'r'));
		expect(host.processed().filter((key) => key.startsWith('searched'))).toHaveLength(1);
	});

	test('but a worker does not touch it, as others use the memory at the same time', async () => {
		const landmark = await landmarkId();
		const host = world();
		await host.search(NOON - 60 * MINUTE, true);
		await host.pass(item('r'));
		await host.pass(item(landmark));
		expect(host.processed()[0]).toMatch(/^searched up to /);
	});

	test('and few records have their time remembered, each of which takes four entries', async () => {
		const { pass, processed } = world();
		await pass(...Array.from({ length: 1_000 }, (_, n) => item(`r${n}`, NOON + n)));
		const extra = processed().length - 1_000;
		expect(extra).toBeGreaterThan(0);
		expect(extra).toBeLessThan(100);
	});
});
