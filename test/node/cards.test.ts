/** Cards and fields are created, read, listed, changed and deleted, by ID and by name. */
import type { IDataObject } from 'n8n-workflow';
import { prepareN8n, runAction } from '../support/n8n';
import { byId, byName } from '../support/parameters';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
beforeAll(async () => {
	prepareN8n();
	workspace = await startWorkspace();
});
afterAll(async () => await workspace.close());

/** Runs an operation. @returns its items */
async function run(resource: string, operation: string, parameters: IDataObject) {
	const { items } = await runAction({
		credentials: workspace.apiKey,
		items: [{}],
		parameters: { resource, operation, ...parameters },
	});
	return items.map(({ json }) => json);
}

test('a card', async () => {
	const additionalFields = { description: 'Green things' };
	const [plants] = await run('card', 'create', { name: 'Plants', additionalFields });
	expect(plants).toMatchObject({ name: 'Plants', ...additionalFields });
	const cardId = byId(String(plants?.id));
	expect(await run('card', 'get', { cardId })).toEqual([plants]);
	const updateFields = { name: 'Trees' };
	const [trees] = await run('card', 'update', { cardId, updateFields });
	expect(trees).toMatchObject({ id: plants?.id, name: 'Trees', ...additionalFields });
	expect(await run('card', 'get', { cardId: byName('Trees') })).toEqual([trees]);
	expect(await run('card', 'getAll', { returnAll: true })).toContainEqual(trees);
	expect(await run('card', 'delete', { cardId })).toEqual([{ deleted: true, id: plants?.id }]);
	expect(await workspace.cardsCalled('Trees')).toEqual([]);
});

test('a field', async () => {
	const { id } = await workspace.card('Garden', { Name: 'text' });
	const cardId = byId(id);
	const [color] = await run('field', 'create', {
		...{ cardId, name: 'Colour', type: 'single_select' },
		additionalFields: { options: '["green", "red"]' },
	});
	expect(color).toMatchObject({ name: 'Colour', type: 'single_select', options: ['green', 'red'] });
	const fieldId = byId(String(color?.id));
	expect(await run('field', 'get', { cardId, fieldId })).toEqual([color]);
	const updateFields = { name: 'Color' };
	const renamed = { ...color, ...updateFields };
	const found = { cardId, fieldId: byName('Colour') };
	expect(await run('field', 'update', { ...found, updateFields })).toMatchObject([renamed]);
	const listed = await run('field', 'getAll', { cardId, returnAll: true });
	expect(listed.map(({ name }) => name)).toEqual(['Name', 'Color']);
	const gone = await run('field', 'delete', { cardId, fieldId: byName('Color') });
	expect(gone).toEqual([{ deleted: true, id: color?.id }]);
	expect((await workspace.fields(id)).map(({ name }) => name)).toEqual(['Name']);
});
