/** What a run did goes back: the texts of docs/operations.md, run as they stand on the output of each operation. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionResult } from '../support/n8n';
import { succeeded } from '../support/n8n';
import { byId, mapAutomatically, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Undo',
	{ Key: 'text', Note: 'text', Amount: 'number', id: 'text', action: 'text' },
	(made) => ({ workspace, card } = made),
);
const { run } = recordRuns(() => ({ workspace, card }));

const page = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
const [, section = ''] = page.split('### Bring back what was deleted or overwritten');
const texts = [...(section.split(/^## /m)[0] ?? '').matchAll(/```js\n(.*?)```/gs)].map(
	([, text = '']) => text,
);
const [DELETED = '', OVERWRITTEN = '', CREATED = ''] = texts;

/** Runs the text of a Code node. */
function code(text: string, items: IDataObject[]): IDataObject[] {
	const $input = { all: () => items.map((json) => ({ json })) };
	const node = new Function('$input', text) as (input: object) => INodeExecutionData[];
	return node($input).map(({ json }) => json);
}

/** Does what the page says, with the output of a run. */
async function undo(output: IDataObject[]): Promise<void> {
	const steps: Array<[string, string, IDataObject]> = [
		[CREATED, 'delete', { recordId: byId('={{ $json.id }}') }],
		[DELETED, 'create', { columns: mapAutomatically() }],
		[OVERWRITTEN, 'update', { recordId: byId('={{ $json.id }}'), columns: mapAutomatically() }],
	];
	for (const [text, operation, parameters] of steps) {
		const items = code(text, output);
		if (items.length === 0) continue;
		succeeded(await run(operation, parameters, items));
	}
}

const ROWS = [
	{ Key: 'a', Note: 'first', Amount: 1, id: 'own a', action: 'buy' },
	{ Key: 'b', Amount: 2, id: 'own b' },
	{ Key: 'c', Note: 'kept', Amount: 3 },
	{ Key: 'd', Note: 'last', Amount: 4, action: 'sell' },
];
const rows = async () =>
	(await workspace.rows(card.id)).sort((one, other) =>
		String(one.Key) < String(other.Key) ? -1 : 1,
	);
beforeEach(async () => void (await workspace.records(card.id, ROWS)));

/** A card without fields that are called like the keys of the nodes. */
async function plainCard(): Promise<void> {
	card = await workspace.card('Plain', {
		Key: 'text',
		Note: 'text',
		Amount: 'number',
		Color: 'text',
	});
	await workspace.records(
		card.id,
		ROWS.map(({ Key, Note, Amount }) => ({ Key, Amount, ...(Note !== undefined && { Note }) })),
	);
}

const byKey = { columns: mapAutomatically(['Key']) };
const ITEMS = [
	{ Key: 'a', Note: 'new', Amount: 9 },
	{ Key: 'b', Amount: 2 },
	{ Key: 'n', Note: 'created' },
	{ Key: 'c', Note: null },
];

test('the page has a text for what was deleted, overwritten and created', () => {
	expect(texts).toHaveLength(3);
});

describe.each<[string, string, IDataObject, IDataObject[]]>([
	['Create or Update', 'upsert', byKey, ITEMS],
	[
		'Create or Update of one record by two items',
		'upsert',
		byKey,
		[...ITEMS, { Key: 'a', Note: 'newer', Amount: 10 }, { Key: 'n', Note: 'newer' }],
	],
	['Sync', 'sync', byKey, ITEMS],
	[
		'Sync with deletions',
		'sync',
		{ ...byKey, missingRecords: 'delete', maxDeletions: -1 },
		[ITEMS[0] ?? {}, ITEMS[2] ?? {}],
	],
	[
		'Update Many',
		'updateMany',
		{ ...where('Key', 'isNotEmpty'), columns: mapEach({ Note: 'first', Amount: 2 }) },
		[{}, {}],
	],
	['Delete Many', 'deleteMany', where('Amount', 'lessThan', 3), [{}]],
	[
		'Update',
		'update',
		{ recordId: byId('={{ $json.record }}'), columns: mapEach({ Note: '={{ $json.note }}' }) },
		[],
	],
])('%s', (name, operation, parameters, given) => {
	test.each<IDataObject>([{}, { outputFields: ['Key'] }, { fieldKeys: 'id' }])(
		'with %j: everything is as before, and nothing is doubled',
		async (options) => {
			// With IDs as keys, nothing tells 'id' of the record from 'id' of the card.
			if (options.fieldKeys === 'id') await plainCard();
			const ids = (await run('getAll', { returnAll: true })).json.map(({ id }) => id as string);
			const items =
				name === 'Update' ? ['x', 'y'].map((note) => ({ note, record: ids[0] })) : given;
			const old = operation === 'update' ? { oldValues: true } : {};
			const before = await rows();
			const result = succeeded(
				await run(operation, { ...parameters, options: { ...options, ...old } }, items),
			);
			expect(await rows()).not.toEqual(before);
			await undo(result.json);
			expect(await rows()).toEqual(before);
		},
	);
});

test('what a failed run hands out goes back, too', async () => {
	workspace.fail('DELETE', '', { skip: 1, status: 409, json: { title: 'No' } });
	const { error }: ActionResult = await run('deleteMany', where('Key', 'isNotEmpty'));
	const { done } = (error?.context?.data ?? {}) as { done: IDataObject[] };
	expect(done).toHaveLength(3);
	await undo(done);
	expect(await rows()).toEqual(ROWS);
});
