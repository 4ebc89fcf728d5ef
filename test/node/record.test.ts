import { runAction } from '../support/n8n';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;

beforeAll(async () => {
	workspace = await startWorkspace();
});
afterAll(async () => await workspace.close());

const card = async (name: string) =>
	await workspace.card(name, [
		{ name: 'Title', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Active', type: 'boolean' },
		{ name: 'Due', type: 'date' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
	]);

const byId = (id: string) => ({ __rl: true, mode: 'id', value: id });
const below = (value: object, more: object = {}) => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema: [],
	...more,
});

test('creates a record per item, in input order, paired with its item', async () => {
	const { id } = await card('Create');
	const { json, items, error } = await runAction({
		credentials: workspace.apiKey,
		items: [
			{ title: 'a', n: 1 },
			{ title: 'b', n: 2 },
		],
		parameters: {
			resource: 'record',
			operation: 'create',
			cardId: byId(id),
			columns: below({ Title: '={{ $json.title }}', Amount: '={{ $json.n }}' }),
			options: {},
		},
	});
	expect(error).toBeUndefined();
	expect(json).toEqual([
		{ id: expect.any(String), created_at: expect.any(String), fields: { Title: 'a', Amount: 1 } },
		{ id: expect.any(String), created_at: expect.any(String), fields: { Title: 'b', Amount: 2 } },
	]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	expect(await workspace.rows(id)).toEqual(
		expect.arrayContaining([
			{ Title: 'a', Amount: 1 },
			{ Title: 'b', Amount: 2 },
		]),
	);
});
