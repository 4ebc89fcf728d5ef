/** Fields to Clear: a way to remove values that an empty box in the values leaves alone. */
import type { IDataObject } from 'n8n-workflow';
import { hintsOf, succeeded } from '../support/n8n';
import { otherRuns } from '../support/otherRuns';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const FIELDS = { Key: 'text', Note: 'text', Amount: 'number', Due: 'date' };
useCard('Clear', FIELDS, (made) => ({ workspace, card } = made));
const { run } = recordRuns(() => ({ workspace, card }));

const ROW = { Key: 'a', Note: 'x', Amount: 1, Due: '2026-03-31' };
let recordId: IDataObject;
beforeEach(async () => {
	const [id = ''] = await workspace.records(card.id, [ROW]);
	recordId = byId(id);
	workspace.service.control.resetRequests();
});
const automatic = mapAutomatically(['Key']);

test.each<[string, IDataObject]>([
	['update', { columns: mapAutomatically() }],
	['upsert', { columns: automatic }],
	['sync', { columns: automatic }],
	['updateMany', { ...where('Key', 'equals', 'a'), columns: mapEach({ Key: 'a' }) }],
])('%s clears them, by name or ID, next to other values', async (operation, parameters) => {
	const options = { clearFields: ['Note', card.fieldIds.Due] };
	const result = succeeded(
		await run(operation, { recordId, ...parameters, options }, [{ Key: 'a' }]),
	);
	expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
	expect(hintsOf(result).join()).toContain("cleared: 'Note' in 1 record, 'Due' in 1 record");
});

test.each([
	['update', mapEach({})],
	['update', mapAutomatically()],
	['updateMany', mapEach({})],
	['updateMany', mapAutomatically()],
])('%s without any other value', async (operation, columns) => {
	const parameters = { recordId, ...where('Key', 'equals', 'a'), columns };
	const options = { clearFields: 'Note, Amount' };
	succeeded(await run(operation, { ...parameters, options }));
	expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Due: '2026-03-31' }]);
	// Without the option, there is nothing to write.
	const empty = await run(operation, parameters);
	expect(empty.error?.description).toMatch(/^Map at least|Name the item's fields like the card's/);
});

test('a new record has nothing to clear', async () => {
	const options = { clearFields: ['Note'] };
	const { json } = await run('upsert', { columns: automatic, options }, [{ Key: 'n' }]);
	expect(json).toMatchObject([{ action: 'created', Note: null }]);
});

test.each<[unknown, IDataObject]>([
	[null, {}],
	['', { emptyValues: 'ignore' }],
	['', { emptyValues: 'clear' }],
])('%j, which is no value, is no conflict: %j', async (Note, more) => {
	const options = { clearFields: ['Note'], ...more };
	succeeded(
		await run('upsert', { columns: automatic, options }, [{ Key: 'a', Note }] as IDataObject[]),
	);
	expect((await workspace.rows(card.id))[0]).not.toHaveProperty('Note');
});

test.each<[unknown, IDataObject, string]>([
	['Note', { Note: 'y' }, "Field 'Note' is in 'Fields to Clear' and also has a value"],
	['Note', { Note: '' }, "Field 'Note' is in 'Fields to Clear' and also has a value"],
	['Amount', { Amount: 'many' }, "Field 'Amount' is in 'Fields to Clear' and also has a value"],
	['Key', {}, "Field 'Key' is in 'Fields to Clear' and also has a value"],
	['Nota', {}, "has no field 'Nota'"],
	['note', {}, "has no field 'note'"],
])('%j next to %j is refused, and nothing is sent', async (name, values, message) => {
	for (const operation of ['upsert', 'sync']) {
		const options = { clearFields: [name] as string[] };
		const { error } = await run(operation, { columns: automatic, options }, [
			{ Key: 'a', ...values },
		]);
		const told = `${error?.message} ${error?.description}`;
		expect(told).toContain(message);
		expect(told).toContain("'Fields to Clear'");
	}
	expect(workspace.changes()).toEqual([]);
});

describe('a field that the service computes', () => {
	const { start, runOther, bodies } = otherRuns();
	test('is refused', async () => {
		await start([
			{ id: 'k', name: 'Key', type: 'text' },
			{ id: 'x', name: 'Total', type: 'number', read_only: true },
		]);
		const options = { clearFields: ['Total'] };
		const { error } = await runOther('update', {
			recordId: byId('r'),
			columns: mapEach({ Key: 'a' }),
			options,
		});
		expect(error?.message).toBe("'Fields to Clear': field 'Total' can't be written");
		expect(bodies()).toEqual([]);
	});
});
