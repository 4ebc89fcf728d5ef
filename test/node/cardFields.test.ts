/** Q9: a card and its fields in one step. */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { type TestWorkspace, useWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
useWorkspace((started) => (workspace = started));

const create = async (name: string, fields: unknown, additionalFields: IDataObject = {}) =>
	await runAction({
		credentials: workspace.apiKey,
		parameters: {
			...{ resource: 'card', operation: 'create', name, additionalFields },
			fields: fields as IDataObject,
		},
	});
const listed = async (id: unknown) =>
	(
		(await workspace.send('GET', `/cards/${String(id)}/fields`)) as {
			fields: Array<{ name: string; type: string; options?: unknown }>;
		}
	).fields;
const cardsCalled = async (wanted: string) =>
	(
		(await workspace.send('GET', '/cards')) as { cards: Array<{ id: string; name: string }> }
	).cards.filter(({ name }) => name === wanted);

const VALUES = [
	{ name: 'Title', type: 'text', choices: '' },
	{ name: ' Status ', type: 'single_select', choices: 'Open, Done' },
	{ name: 'Price', type: 'number' },
];

test('Q9: fields are created after the card, in their order, with their choices', async () => {
	const { json, error } = await create('Orders', { values: VALUES });
	expect(error).toBeUndefined();
	expect(json[0]?.name).toBe('Orders');
	const fields = await listed(json[0]?.id);
	expect(fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
		...['Title text', 'Status single_select', 'Price number'],
	]);
	expect(JSON.stringify(fields[1]?.options)).toMatch(/Open.*Done/);
	const changes = workspace.requests().filter((request) => request.startsWith('POST'));
	expect(changes[0]).toBe('POST /cards');
});

test('Q9: a failure names what exists', async () => {
	const wrong = { name: 'Odd', type: 'no such type' };
	const { error } = await create('Half', { values: [VALUES[0], wrong, VALUES[2]] });
	const [card] = await cardsCalled('Half');
	expect(error?.description).toContain(`Card 'Half' (${card?.id}) exists now.`);
	expect(error?.description).toContain("Card 'Half' has the new fields 'Title'.");
	expect(error?.description).toContain("Not created: 'Odd', 'Price'.");
	expect((await listed(card?.id)).map(({ name }) => name)).toEqual(['Title']);
});

test.each<[string, unknown, RegExp]>([
	[
		'an empty name',
		{ values: [VALUES[0], { name: ' ', type: 'text' }] },
		/'Name of field 2 in Fields' is empty/,
	],
	['no type', { values: [{ name: 'A', type: '' }] }, /'Type of field 1 in Fields' is empty/],
	[
		'a doubled name',
		{ values: [VALUES[0], { name: '\ufeffTitle', type: 'number' }] },
		/'Fields' has two fields called 'Title'/,
	],
	['no list', { values: 'Title' }, /'Name of field 1 in Fields' is empty/],
	['an entry that is none', { values: ['Title'] }, /'Name of field 1 in Fields' is empty/],
])('Q9: %s is refused before anything is sent', async (_what, fields, message) => {
	const { error } = await create('Refused', fields);
	expect(error?.message).toMatch(message);
	expect(workspace.requests()).toEqual([]);
});

test('a card that is reused stays unchanged; a missing one gets its fields', async () => {
	const values = { values: VALUES };
	const first = await create('Once', values, { ifExists: 'reuse' });
	expect(await listed(first.json[0]?.id)).toHaveLength(3);
	const more = { values: [...VALUES, { name: 'More', type: 'text' }] };
	const second = await create('Once', more, { ifExists: 'reuse' });
	expect(second.json[0]?.id).toBe(first.json[0]?.id);
	expect(await listed(first.json[0]?.id)).toHaveLength(3);
});

test('a service that returns no ID for the card: the message says that its fields are missing', async () => {
	workspace.service.control.fail({
		...{ method: 'POST', path: '/cards', mode: 'answer', status: 201, body: 'json' },
		...{ json: {}, times: 1 },
	});
	const { error } = await create('Nameless', { values: VALUES });
	expect(error?.message).toContain("Card 'Nameless' was created, but the service returned no ID");
	expect(workspace.requests()).toEqual(['POST /cards']);
});
