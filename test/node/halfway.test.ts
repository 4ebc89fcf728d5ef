/** A run that ends halfway hands out what it did: in the error's details, in the output, or in n8n's log. */
import type { IDataObject } from 'n8n-workflow';
import { type ActionResult, placesOf, succeeded } from '../support/n8n';
import { byId, byName, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard('Halfway', { Key: 'text', Note: 'text' }, (made) => ({ workspace, card } = made));
const { run } = recordRuns(() => ({ workspace, card }));

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const everything = where('Key', 'isNotEmpty');
const byKey = mapAutomatically(['Key']);
const keysOf = (items: IDataObject[]) => items.map(({ Key }) => Key as string).sort();
const left = async () => (await workspace.rows(card.id)).map(({ Key }) => Key as string).sort();
const CONTINUE = { node: { onError: 'continueRegularOutput' as const } };

let ids: string[];
beforeEach(async () => {
	ids = await workspace.records(
		card.id,
		KEYS.map((Key) => ({ Key, Note: 'old' })),
	);
	workspace.service.control.resetRequests();
});

/** What the error of a run says was done. */
const detailsOf = ({ error }: ActionResult) =>
	error?.context?.data as IDataObject & { done: IDataObject[]; doneCount: number };

const OPERATIONS: Array<[string, string, IDataObject, IDataObject[]]> = [
	['deleteMany', 'DELETE', everything, [{}]],
	['updateMany', 'PATCH', { ...everything, columns: mapEach({ Note: 'new' }) }, [{}]],
	[
		'sync',
		'DELETE',
		{ columns: byKey, missingRecords: 'delete', maxDeletions: -1 },
		[{ Key: 'new' }],
	],
	['upsert', 'PATCH', { columns: byKey }, KEYS.map((Key) => ({ Key, Note: 'new' }))],
	[
		'upsert',
		'PATCH',
		{ columns: mapAutomatically(['Note']), options: { multipleMatches: 'all' } },
		[{ Note: 'old', Key: 'same' }],
	],
];

describe.each(OPERATIONS)(
	'%s, of which one %s is refused',
	(operation, method, parameters, items) => {
		beforeEach(() =>
			workspace.fail(method, '', {
				skip: 2,
				status: 409,
				json: { title: 'No', type: 'urn:x/locked' },
			}),
		);

		test('the details of the error have what was done, with the old values', async () => {
			const result = await run(operation, parameters, items);
			expect(result.error?.message).toBe('No');
			const { done, ...others } = detailsOf(result);
			// The other five, and what Sync had created before.
			const count = operation === 'sync' ? 6 : 5;
			expect(others).toMatchObject({
				status: 409,
				kind: 'locked',
				doneCount: count,
				truncated: false,
			});
			expect(done).toHaveLength(count);
			if (method === 'DELETE') {
				const deleted = done.filter((item) => item.deleted === true);
				expect(deleted).toHaveLength(5);
				expect(deleted.every(({ Note }) => Note === 'old')).toBe(true);
				const kept = operation === 'sync' ? ['new'] : [];
				expect(await left()).toEqual(
					[...kept, ...KEYS.filter((key) => !keysOf(deleted).includes(key))].sort(),
				);
			} else {
				expect(done.every(({ before }) => Object.keys(before as object).length === 1)).toBe(true);
				const changed = (await workspace.rows(card.id)).filter(
					({ Note, Key }) => Note === 'new' || Key === 'same',
				);
				expect(changed).toHaveLength(5);
			}
		});

		test('where errors continue, the output has it, then the error', async () => {
			const { json, items: output } = succeeded(await run(operation, parameters, items, CONTINUE));
			const failed = json.filter((item) => item.error === 'No');
			expect(failed).toHaveLength(1);
			expect(json).toHaveLength(operation === 'sync' ? 7 : 6);
			if (items.length === 1) expect(json.at(-1)).toBe(failed[0]);
			const places = placesOf(output);
			expect(places).toEqual([...places].sort());
			if (method === 'DELETE')
				expect(json.filter(({ deleted }) => deleted === true)).toHaveLength(5);
			else expect(json.filter(({ before }) => before !== undefined)).toHaveLength(5);
		});
	},
);

test('Create, Update and Delete: the records that were written', async () => {
	workspace.fail('POST', '', { skip: 3, status: 422, json: { title: 'No' } });
	const options = { maxParallel: 1 };
	const items = KEYS.map((Key) => ({ Key }));
	const created = await run('create', { columns: mapAutomatically(), options }, items);
	expect(keysOf(detailsOf(created).done)).toEqual(['a', 'b', 'c']);
	workspace.fail('PATCH', '', { skip: 2, status: 422, json: { title: 'No' } });
	const recordId = byId('={{ $json.id }}');
	const given = ids.map((id) => ({ id }));
	const columns = mapEach({ Note: 'new' });
	const updated = await run('update', { recordId, columns, options }, given);
	expect(detailsOf(updated)).toMatchObject({
		done: [{ id: ids[0] }, { id: ids[1] }],
		doneCount: 2,
	});
	workspace.fail('DELETE', '', { skip: 1, status: 422, json: { title: 'No' } });
	const deleted = await run('delete', { recordId, options }, given);
	expect(detailsOf(deleted).done).toEqual([{ deleted: true, id: ids[0] }]);
});

test('cards and fields: what was done to them, too', async () => {
	const named = KEYS.slice(0, 3).map((name) => ({ name: `Card ${name}` }));
	const name = '={{ $json.name }}';
	const refuseThird = (method: string) =>
		workspace.fail(method, '', { skip: 2, status: 422, json: { title: 'No' } });
	const given = async (resource: string, operation: string, parameters: IDataObject) => {
		const result = await run(operation, { resource, ...parameters }, named);
		expect(result.error?.message).toBe('No');
		const { done, doneCount } = detailsOf(result);
		expect(doneCount).toBe(2);
		return done;
	};
	const made = [{ name: 'Card a' }, { name: 'Card b' }];
	refuseThird('POST');
	expect(await given('card', 'create', { name })).toMatchObject(made);
	refuseThird('POST');
	expect(await given('field', 'create', { name, type: 'text' })).toMatchObject(made);
	await workspace.card('Card c', {});
	await workspace.send('POST', `/cards/${card.id}/fields`, { name: 'Card c', type: 'text' });
	const found = { cardId: byName(name) };
	const fieldId = byName(name);
	const updateFields = { description: 'new' };
	refuseThird('PATCH');
	const updated = await given('card', 'update', { ...found, updateFields });
	expect(updated.map(({ description }) => description)).toEqual(['new', 'new']);
	refuseThird('PATCH');
	const renamed = { fieldId, updateFields: { name: '={{ $json.name }}2' } };
	expect(await given('field', 'update', renamed)).toMatchObject([
		{ name: 'Card a2' },
		{ name: 'Card b2' },
	]);
	refuseThird('DELETE');
	const gone = [{ deleted: true }, { deleted: true }];
	expect(await given('card', 'delete', found)).toMatchObject(gone);
	const [first, second, third] = (await workspace.fields(card.id)).slice(-3);
	named.splice(0, 3, ...[first, second, third].map((field) => ({ name: String(field?.name) })));
	refuseThird('DELETE');
	expect(await given('field', 'delete', { fieldId })).toMatchObject(gone);
});

test('the error names the fields and choices that were added before', async () => {
	await workspace.card('Choices', {
		Key: 'text',
		State: { type: 'single_select', options: ['Open'] },
	});
	workspace.fail('POST', '/records$', { status: 422, json: { title: 'No', detail: 'Not now' } });
	const options = { unknownFields: 'create', missingChoices: 'add' };
	const parameters = { cardId: byName('Choices'), columns: mapAutomatically(), options };
	const { error } = await run('create', parameters, [{ Key: 'a', State: 'Late', New: 'x' }]);
	expect(error?.description).toBe(
		"Not now. Card 'Choices' has the new fields 'New'. Choices were added to field 'State' of card 'Choices': 'Late'",
	);
});

test("what wasn't written isn't in the details, and nothing is if nothing was written", async () => {
	const columns = mapAutomatically(['Key']);
	workspace.fail('POST', '', { status: 422, json: { title: 'No' } });
	const items = [{ Key: 'a', Note: 'old' }, { Key: 'n' }];
	const nothing = await run('upsert', { columns, options: { maxParallel: 1 } }, items);
	expect(nothing.error?.message).toBe('No');
	expect(detailsOf(nothing)).not.toHaveProperty('done');
	const invalid = await run('create', { columns: mapEach({ Nope: 1 }) });
	expect(invalid.error?.context?.data).toBeUndefined();
});

test('the details hold whole items up to 1 MB, and the number of all', async () => {
	const items = Array.from({ length: 241 }, (_, n) => ({ Key: `k${n}`, Note: 'x'.repeat(5_000) }));
	workspace.fail('POST', '', { skip: 240, status: 422, json: { title: 'No' } });
	const options = { maxParallel: 1 };
	const result = await run('create', { columns: mapAutomatically(), options }, items);
	expect(result.error?.message).toBe('No');
	const { done, doneCount, truncated } = detailsOf(result);
	expect([doneCount, truncated]).toEqual([240, true]);
	expect(done.every(({ Note }) => (Note as string).length === 5_000)).toBe(true);
	const size = done.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
	expect(size).toBeLessThanOrEqual(1_000_000);
	expect(size).toBeGreaterThan(990_000);
});
