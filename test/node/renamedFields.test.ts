/** Conditions, sorting and matching by a field that was renamed since. */
import type { IDataObject } from 'n8n-workflow';
import * as loadOptions from '../../nodes/WorkspaceData/editor/loadOptions';
import { editorContext } from '../support/editor';
import { succeeded } from '../support/n8n';
import { byId, mapEach, where } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
const FIELDS = [
	{ name: 'SKU', type: 'text' },
	{ name: 'Shop', type: 'text' },
	{ name: 'Price', type: 'number' },
];
useCard('Renamed', FIELDS, (made) => ({ workspace, card } = made));
beforeEach(async () => {
	await workspace.records(card.id, [
		{ SKU: 'a', Shop: 'north', Price: 1 },
		{ SKU: 'b', Shop: 'south', Price: 2 },
	]);
	rename('Shop', 'Branch');
	rename('SKU', 'Article');
});

const rename = (from: string, name: string): void => {
	const fieldId = card.fieldIds[from] ?? '';
	workspace.service.control.renameField({ cardId: card.id, fieldId, name });
};
const { run } = recordRuns(() => ({ workspace, card }));
const inNorth = where('Shop', 'equals', 'north');
/** The mapper as the editor saved it before the fields were renamed. */
const columns = (value: IDataObject, matchingColumns: string[] = []): IDataObject => {
	const entry = (name: string) => ({ id: name, displayName: name, fieldName: name });
	const schema = FIELDS.map(({ name }) => ({ ...entry(name), fieldId: card.fieldIds[name] }));
	return mapEach(value, { matchingColumns, schema });
};
const prices = async () =>
	Object.fromEntries(
		(await workspace.rows(card.id)).map(({ Article, Price }) => [Article, Price] as const),
	);

test('Update Many finds the field of a condition by the ID that the list of its mapper kept', async () => {
	succeeded(await run('updateMany', { ...inNorth, columns: columns({ Price: 9 }) }));
	expect(await prices()).toEqual({ a: 9, b: 2 });
});

test('Sync finds the fields of its conditions and of its key', async () => {
	const row = { SKU: '={{ $json.sku }}', Shop: 'north', Price: '={{ $json.price }}' };
	const sync = { ...inNorth, columns: columns(row, ['SKU']), missingRecords: 'delete' };
	const { json } = succeeded(await run('sync', sync, [{ sku: 'a', price: 5 }]));
	expect(json).toMatchObject([{ action: 'updated' }]);
	expect(await prices()).toEqual({ a: 5, b: 2 });
});

test('a name that another field has by now means that field', async () => {
	rename('Price', 'Shop');
	const { error } = await run('updateMany', { ...inNorth, columns: columns({ SKU: 'x' }) });
	expect(error?.message).toContain('can\'t hold "north"');
	expect((await workspace.rows(card.id)).map(({ Article }) => Article)).toEqual(['a', 'b']);
});

test.each<[string, string, IDataObject]>([
	['a condition of Get Many', 'getAll', inNorth],
	['Sort', 'getAll', { sort: { by: [{ field: 'Shop', direction: 'asc' }] } }],
	['a condition of Count', 'count', inNorth],
	['a condition of Delete Many', 'deleteMany', inNorth],
])('without a mapper, the message of %s names the new name', async (_, operation, more) => {
	const { error } = await run(operation, more);
	expect(error?.message).toContain("has no field 'Shop'");
	expect(error?.description).toContain("The fields are 'Article', 'Branch', 'Price'.");
	expect(await workspace.rows(card.id)).toHaveLength(2);
});

test('the editor still shows the condition, under the new name', async () => {
	const listed = async (field: string) => {
		const parameters = {
			cardId: byId(card.id),
			...where(field, 'equals', 'north'),
			columns: columns({ Price: 9 }),
		};
		const context = editorContext(workspace.apiKey, { operation: 'updateMany', ...parameters });
		return await loadOptions.getFilterFields.call(context);
	};
	expect(await listed('Shop')).toContainEqual({ name: 'Branch (Text)', value: 'Shop' });
	expect(await listed('Price')).toContainEqual({ name: 'Branch (Text)', value: 'Branch' });
});
