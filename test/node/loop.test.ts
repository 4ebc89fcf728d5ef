/** The node in a loop: n8n runs it a thousand times in one execution (O1). */
import { getEventListeners } from 'node:events';
import type { IDataObject } from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { retainedBytes } from '../support/heap';
import { executeContext } from '../support/n8n';
import { byId, mapEach } from '../support/parameters';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard('Loop', [{ name: 'Key', type: 'text' }], (made) => ({ workspace, card } = made));

const node = new WorkspaceData();
const conditions = { conditions: [{ field: 'Key', condition: 'equals', value: 'k1' }] };
const columns = mapEach({ Key: 'k1' }, { matchingColumns: ['Key'] });
/** Operations on records, by what they do to the card. */
const operations: Record<string, IDataObject> = {
	create: { columns },
	upsert: { columns },
	sync: { columns, filters: conditions, missingRecords: 'delete' },
	getAll: { returnAll: true, filters: conditions },
	getPage: { limit: 10 },
	count: {},
	ifExists: { filters: conditions },
	updateMany: { filters: conditions, columns },
	deleteMany: { filters: conditions },
};

/** Runs an operation in an execution. @returns its error, and a reference that is empty once the run is no longer in memory */
async function pass(operation: string, signal: AbortSignal) {
	const parameters = { resource: 'record', operation, cardId: byId(card.id) };
	const context = executeContext(
		workspace.apiKey,
		{ ...parameters, ...operations[operation] },
		signal,
	);
	const error = await node.execute.call(context).then(
		() => undefined,
		({ message }: Error) => message,
	);
	return { error, run: new WeakRef(context) };
}

/** Resolves when a run is no longer in memory; jest's own time-out is the deadline. */
async function untilCollected(run: WeakRef<object>): Promise<void> {
	for (; run.deref(); retainedBytes()) await new Promise(setImmediate);
}

describe.each(Object.keys(operations))('%s', (operation) => {
	test.each([
		['succeeds', () => {}, undefined],
		['is refused', () => workspace.service.control.fail({ status: 422, times: 9 }), /\w/],
		[
			'gets no answer',
			() => workspace.service.control.fail({ mode: 'dropBefore', times: 9 }),
			/could not be reached/,
		],
	])('that %s leaves nothing at the execution (O1)', async (_, prepare, message) => {
		await workspace.records(card.id, [{ Key: 'k1' }, { Key: 'k2' }]);
		prepare();
		const execution = new AbortController();
		const { error, run } = await pass(operation, execution.signal);
		if (message) expect(error).toMatch(message);
		else expect(error).toBeUndefined();
		expect(getEventListeners(execution.signal, 'abort')).toEqual([]);
		await untilCollected(run);
	});

	test('that is cancelled leaves nothing at the execution (O1)', async () => {
		workspace.service.control.fail({ mode: 'hang', times: 9 });
		const execution = new AbortController();
		const running = pass(operation, execution.signal);
		while (workspace.requests().length === 0) await new Promise(setImmediate);
		execution.abort();
		const { error, run } = await running;
		expect(error).toMatch(/cancelled/);
		expect(getEventListeners(execution.signal, 'abort')).toEqual([]);
		await untilCollected(run);
	});
});
