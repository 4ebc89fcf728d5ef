/** Several executions of one process write to one card, in any order, with any faults. */
import * as fc from 'fast-check';
import { deleteRecord } from '../../../../nodes/WorkspaceData/actions/record/delete.operation';
import { updateRecord } from '../../../../nodes/WorkspaceData/actions/record/update.operation';
import { upsertRecord } from '../../../../nodes/WorkspaceData/actions/record/upsert.operation';
import {
	execute,
	simulateService,
	type Fate,
	type ItemResult,
	type SimulatedRecord,
	type SimulatedService,
} from './simulatedService';
import { cases } from '../../../support/cases';

const card = { __rl: true, mode: 'id', value: 'c1' };
const columns = (matchingColumns: string[]) => ({
	mappingMode: 'autoMapInputData',
	value: null,
	matchingColumns,
	schema: [],
});

const initial: SimulatedRecord[] = ['a', 'b'].map((key, place) => ({
	id: `r${place + 1}`,
	data: { f1: key, f2: place },
	created_at: '2026-01-01T00:00:00Z',
}));

const keys = fc.constantFrom('a', 'b', 'c', 'd');
const fates = fc.array(
	fc.constantFrom<Fate>('done', 'done', 'done', 'done', 'refused', 'lost', 'unanswered', 'late'),
	{ maxLength: 12 },
);

const upsert = async (
	service: SimulatedService,
	items: ReadonlyArray<{ Key: string; Amount: number }>,
): Promise<ItemResult[]> =>
	await execute(service, upsertRecord, items, () => ({
		cardId: card,
		columns: columns(['Key']),
		options: {},
	}));

const actionOf = (result: ItemResult): unknown =>
	'error' in result ? 'error' : result.json[0]?.action;

/** Keys that more than one record has. */
function twice({ records }: SimulatedService): unknown[] {
	const seen = [...records.values()].map(({ data }) => data.f1);
	return seen.filter((key, place) => seen.indexOf(key) !== place);
}

test('(H7, H11, H30) any executions upsert the same keys: one record for each key, and no older value wins', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			fates,
			fc.array(fc.array(keys, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
			async (scheduler, faults, executions) => {
				const service = simulateService(scheduler, faults, initial);
				// Each value says which item of which execution wrote it.
				const inputs = executions.map((chosen, execution) =>
					chosen.map((Key, place) => ({ Key, Amount: 100 * (execution + 1) + place })),
				);
				const results = await scheduler.waitFor(
					Promise.all(inputs.map(async (items) => await upsert(service, items))),
				);

				expect(twice(service)).toEqual([]);
				for (const [execution, items] of inputs.entries()) {
					const written = service.applied
						.map(({ id, data }) => ({ id, amount: Number(data.f2) }))
						.filter(({ amount }) => Math.floor(amount / 100) === execution + 1);
					for (const id of new Set(written.map((one) => one.id))) {
						const amounts = written.filter((one) => one.id === id).map(({ amount }) => amount);
						expect(amounts).toEqual([...new Set(amounts)].sort((x, y) => x - y));
					}
					// Who was told of a success has written.
					for (const [place, item] of items.entries()) {
						if (actionOf(results[execution]?.[place] as ItemResult) === 'error') continue;
						expect(written.map(({ amount }) => amount)).toContain(item.Amount);
					}
				}
			},
		),
		cases(300),
	);
});

test('a record is never missed, and its key created again, while another execution deletes (H26)', async () => {
	const stored: SimulatedRecord[] = ['a', 'b', 'c', 'd'].map((key, place) => ({
		id: `r${place + 1}`,
		data: { f1: key, f2: place },
		created_at: '2026-01-01T00:00:00Z',
	}));
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			// What is carried out later cannot be known.
			fc.array(fc.constantFrom<Fate>('done', 'refused'), { maxLength: 12 }),
			fc.subarray(['r1', 'r2', 'r3'], { maxLength: 2 }),
			fc.array(fc.array(keys, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
			async (scheduler, faults, gone, executions) => {
				const service = simulateService(scheduler, faults, stored, 1);
				const deleting = execute(
					service,
					deleteRecord,
					gone.map((id) => ({ id })),
					({ id }) => ({
						cardId: card,
						recordId: { __rl: true, mode: 'id', value: id },
						options: {},
					}),
				);
				const upserting = executions.map(
					async (chosen) =>
						await upsert(
							service,
							chosen.map((Key) => ({ Key, Amount: 100 })),
						),
				);
				await scheduler.waitFor(Promise.all([deleting, ...upserting]));

				expect(twice(service)).toEqual([]);
			},
		),
		cases(300),
	);
});

test('a record that three readings skip, because another execution deletes, is not created again (H26)', async () => {
	const stored: SimulatedRecord[] = Array.from({ length: 5 }, (_, place) => ({
		id: `r${place}`,
		data: { f1: `k${place}`, f2: place },
		created_at: '2026-01-01T00:00:00Z',
	}));
	await fc.assert(
		fc.asyncProperty(fc.scheduler(), async (scheduler) => {
			const service = simulateService(scheduler, [], stored, 1);
			const { session } = service;
			const gone = ['r0', 'r1', 'r2'];
			const request: typeof session.request = async (sent) => {
				const response = await session.request(sent);
				const { records } = response.body as { records?: Array<{ id: string }> };
				// The next page then begins behind the last record.
				const id = records?.[0]?.id === 'r3' ? gone.shift() : undefined;
				if (id !== undefined) {
					await execute(service, deleteRecord, [{}], () => ({
						cardId: card,
						recordId: { __rl: true, mode: 'id', value: id },
						options: {},
					}));
				}
				return response;
			};
			const items = stored.slice(3).map(({ data }) => ({ Key: String(data.f1), Amount: 100 }));
			const slow = { ...service, session: { ...session, request } as typeof session };
			const results = await scheduler.waitFor(upsert(slow, items));
			expect(gone).toEqual([]);
			expect(twice(service)).toEqual([]);
			expect(results.map(actionOf)).toEqual(['updated', 'error']);
		}),
		cases(20),
	);
});

test('records that are said to be unchanged had these values at that time', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			fates,
			fc.array(
				fc.array(fc.record({ Key: keys, Amount: fc.integer({ min: 0, max: 2 }) }), {
					minLength: 1,
					maxLength: 6,
				}),
				{ minLength: 1, maxLength: 3 },
			),
			async (scheduler, faults, executions) => {
				const service = simulateService(scheduler, faults, initial);
				const results = await scheduler.waitFor(
					Promise.all(executions.map(async (items) => await upsert(service, items))),
				);

				expect(twice(service)).toEqual([]);
				for (const [execution, items] of executions.entries()) {
					for (const [place, { Key, Amount }] of items.entries()) {
						const result = results[execution]?.[place] as ItemResult;
						if (actionOf(result) !== 'unchanged' || 'error' in result) continue;
						const id = String(result.json[0]?.id);
						expect(service.history(id)).toContainEqual({ f1: Key, f2: Amount });
						// The last item of all: nobody has written since.
						if (executions.length > 1 || place < items.length - 1) continue;
						expect(service.records.get(id)?.data).toEqual({ f1: Key, f2: Amount });
					}
				}
				// Without faults and other executions the last item of each key decides.
				if (faults.some((fate) => fate !== 'done') || executions.length > 1) return;
				for (const { data } of service.records.values()) {
					const last = executions[0]?.filter(({ Key }) => Key === data.f1).at(-1);
					if (last) expect(data.f2).toBe(last.Amount);
				}
			},
		),
		cases(300),
	);
});

test('(H11) updates of one record keep the order of the items, whatever the responses', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			fates,
			fc.array(fc.constantFrom('r1', 'r2', 'gone'), { minLength: 2, maxLength: 8 }),
			async (scheduler, faults, ids) => {
				const service = simulateService(scheduler, faults, initial);
				const items = ids.map((id, Amount) => ({ id, Amount }));
				const results = await scheduler.waitFor(
					execute(service, updateRecord, items, ({ id }) => ({
						cardId: card,
						recordId: { __rl: true, mode: 'id', value: id },
						columns: columns([]),
						options: {},
					})),
				);

				for (const id of ['r1', 'r2']) {
					const amounts = service.applied.filter((one) => one.id === id).map(({ data }) => data.f2);
					expect(amounts).toEqual([...amounts].sort((x, y) => Number(x) - Number(y)));
				}
				expect(results.map((result) => 'error' in result)).toEqual(
					ids.map((id, place) => id === 'gone' || 'error' in (results[place] as ItemResult)),
				);
			},
		),
		cases(200),
	);
});
