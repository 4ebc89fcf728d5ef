/** What a response to a write shows counts only as far as it can be about that write. */
import type { IDataObject } from 'n8n-workflow';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard('Untrue', { Key: 'text', Note: 'text', Visits: 'number' }, (made) => {
	({ workspace, card } = made);
});
const { run, answer } = recordRuns(() => ({ workspace, card }));

const byKey = { columns: mapAutomatically(['Key']) };
/** A record as the service shows it. */
const shown = (id: string | undefined, values: IDataObject): IDataObject => ({
	id,
	data: Object.fromEntries(
		Object.entries(values).map(([name, value]) => [card.fieldIds[name], value]),
	),
	created_at: '2026-01-01T00:00:00Z',
});

describe.each(['upsert', 'sync'])('%s, whose creation is answered with a known record', (name) => {
	test('nothing is said to be created, and the creation is unclear', async () => {
		const [id] = await workspace.records(card.id, [{ Key: 'known' }]);
		answer('POST', '/records$', shown(id, { Key: 'known' }), { times: 2 });
		const { json, error } = await run(name, byKey, [{ Key: 'new' }]);
		expect(json).toEqual([]);
		expect(error?.message).toBe(
			`The record may have been created: the service returned the ID '${id}', but that record existed before`,
		);
		expect(error?.context?.data).toBeUndefined();
		const second = await run(name, byKey, [{ Key: 'new' }]);
		expect(second.error?.message).toContain('may exist already');
		// The known record stays what it was.
		const known = await run(name, byKey, [{ Key: 'known', Note: 'x' }]);
		expect(known.json).toMatchObject([{ id, action: 'updated', before: { Note: null } }]);
	});
});

const UPDATES: Array<[string, (id: string) => IDataObject]> = [
	['upsert', () => byKey],
	['sync', () => byKey],
	['updateMany', () => ({ ...where('Key', 'equals', 'a'), columns: mapEach({ Note: 'new' }) })],
	[
		'update',
		(id) => ({
			...{ recordId: byId(id), columns: mapEach({ Note: 'new' }) },
			options: { oldValues: true },
		}),
	],
];
const ITEM = { Key: 'a', Note: 'new' };

test.each(UPDATES)('%s: before has no field that others changed meanwhile', async (name, of) => {
	const [id = ''] = await workspace.records(card.id, [{ Key: 'a', Note: 'old', Visits: 1 }]);
	answer('PATCH', '', shown(id, { ...ITEM, Visits: 2 }));
	const { json } = await run(name, of(id), [ITEM]);
	expect(json).toMatchObject([{ action: 'updated', Note: 'new', Visits: 2 }]);
	expect(json[0]?.before).toEqual({ Note: 'old' });
});

test.each(UPDATES)('%s: the response shows another record, and is refused', async (name, of) => {
	const [id = ''] = await workspace.records(card.id, [{ Key: 'a', Note: 'old' }]);
	answer('PATCH', '', shown('rec_other', { Key: 'z', Note: 'of another' }));
	const { json, error } = await run(name, of(id), [ITEM]);
	expect(json).toEqual([]);
	expect(error?.message).toBe(`The service responded with record 'rec_other' instead of '${id}'`);
	expect(error?.description).toContain('One of them may have been changed');
});
