/** Other executions of this n8n write to the card while a run reads it: none of their writes is lost, and none is doubled (H37). */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { type OtherService, startOtherService } from '../support/otherService';
import { byId, mapAutomatically, mapEach } from '../support/parameters';

let service: OtherService;
beforeEach(async () => {
	service = await startOtherService(
		[
			{ id: 'f1', name: 'Key', type: 'text' },
			{ id: 'f2', name: 'Pages', type: 'number' },
			{ id: 'f3', name: 'Status', type: 'text' },
		],
		[
			{ f1: 'a', f2: 3, f3: 'Open' },
			{ f1: 'b', f2: 1, f3: 'Done' },
			{ f1: 'c', f2: 2, f3: 'Open' },
		],
	);
});
afterEach(async () => await service.close());

const run = async (operation: string, parameters: IDataObject = {}, items: IDataObject[] = [{}]) =>
	await runAction({
		credentials: service.credentials,
		parameters: { resource: 'record', operation, cardId: byId('c1'), ...parameters },
		items,
	});
const hintsOf = ({ run: { data } }: Awaited<ReturnType<typeof run>>) =>
	(data.resultData.runData['Workspace Data']?.[0]?.hints ?? []).map(({ message }) => message);
const values = (field: string) => service.records.map(({ data }) => data[field]);

/** Does this once a run has read the records: they are followed by a second look at the fields. */
function onceRead(action: () => Promise<unknown> | void): void {
	let reading = false;
	service.before = async (_, path) => {
		reading ||= path.endsWith('/records');
		if (!reading || !path.endsWith('/fields')) return;
		service.before = () => {};
		await action();
	};
}

const open = { filters: { conditions: [{ field: 'Status', condition: 'equals', value: 'Open' }] } };
const pages = { columns: mapEach({ Pages: 9 }) };
const change = async (data: IDataObject, id = 'r0') =>
	await run('update', { recordId: byId(id), columns: mapEach(data) });
const kept = (done: string) =>
	`Not ${done}: 1 record of card 'c1' that met the conditions when the card was read. Another execution was writing, or somebody has deleted meanwhile`;

describe('H37: another execution changes a record that was chosen', () => {
	test.each([
		['deleteMany', 'deleted', ['a', 'b'], [3, 1]],
		['updateMany', 'updated', ['a', 'b', 'c'], [3, 1, 9]],
	])(
		'%s keeps it, where it no longer meets the conditions',
		async (operation, done, keys, held) => {
			onceRead(async () => await change({ Status: 'Done' }));
			const result = await run(operation, { ...open, ...pages });
			expect(result.json.map(({ id }) => id)).toEqual(['r2']);
			expect(hintsOf(result)).toContain(kept(done));
			expect([values('f1'), values('f2')]).toEqual([keys, held]);
		},
	);

	test('Delete Many deletes it, where it still does', async () => {
		onceRead(async () => await change({ Pages: 100 }));
		const result = await run('deleteMany', open);
		expect(result.json.map(({ id }) => id)).toEqual(['r0', 'r2']);
		expect(hintsOf(result)).toEqual([]);
	});

	test.each([
		['deleteMany', 'deleted'],
		['updateMany', 'updated'],
	])('%s leaves it alone while its change is under way', async (operation, done) => {
		let arrive = (): void => {};
		const arrived = new Promise<void>((resolve) => (arrive = resolve));
		let changing: Promise<unknown> | undefined;
		onceRead(async () => {
			const sent = new Promise<void>((resolve) => {
				service.before = async (method, path) => {
					if (method !== 'PATCH' || !path.endsWith('/r0')) return;
					resolve();
					await arrived;
				};
			});
			changing = change({ Status: 'Done' });
			await sent;
		});
		const result = await run(operation, { ...open, ...pages });
		arrive();
		await changing;
		expect(result.json.map(({ id }) => id)).toEqual(['r2']);
		expect(hintsOf(result)).toContain(kept(done));
		expect(service.records[0]?.data).toEqual({ f1: 'a', f2: 3, f3: 'Done' });
	});

	test('Update Many skips a record that is deleted meanwhile', async () => {
		onceRead(async () => await run('delete', { recordId: byId('r0') }));
		const result = await run('updateMany', { ...open, ...pages });
		expect(result.error).toBeUndefined();
		expect(result.json.map(({ id }) => id)).toEqual(['r2']);
		expect(values('f2')).toEqual([1, 9]);
	});
});

describe('H37: another execution writes after Sync has checked its items', () => {
	const sync = async (items: IDataObject[]) =>
		await run(
			'sync',
			{ columns: mapAutomatically(['Key']), missingRecords: 'delete', maxDeletions: 9 },
			items,
		);
	const all = [{ Key: 'a' }, { Key: 'b' }, { Key: 'c' }];
	const create = async (Key: string) => await run('create', { columns: mapEach({ Key }) });

	test('a second record for an item: neither is changed', async () => {
		onceRead(async () => await create('a'));
		const { error } = await sync([{ Key: 'a', Pages: 9 }, ...all.slice(1)]);
		expect(error?.message).toBe("2 records of card 'c1' match this item now");
		expect(service.changes.map(({ method }) => method)).toEqual(['POST']);
	});

	test('the record of an item: it is updated, not created twice', async () => {
		onceRead(async () => await create('z'));
		const { json } = await sync([...all, { Key: 'z', Pages: 9 }]);
		expect(json.at(-1)).toMatchObject({ id: 'r3', action: 'updated' });
		expect(values('f1')).toEqual(['a', 'b', 'c', 'z']);
	});

	test('a record without an item: it stays, and a hint says so', async () => {
		onceRead(async () => await change({ Pages: 100 }, 'r1'));
		const result = await sync([{ Key: 'a' }]);
		expect(hintsOf(result)).toEqual([
			"Not deleted: 1 record of card 'c1' without an item, because another execution wrote to the card during this run",
		]);
		expect(values('f1')).toEqual(['a', 'b']);
	});

	test('a record that somebody else has deleted counts as deleted', async () => {
		onceRead(() => void service.records.pop());
		const { json, error } = await sync([{ Key: 'a' }]);
		expect(error).toBeUndefined();
		expect(json.slice(1).map(({ id }) => id)).toEqual(['r1', 'r2']);
		expect(values('f1')).toEqual(['a']);
	});
});
