/** What a person sees in the lists and columns of the editor: which entries, in which order, how many requests they cost. */
import type { IDataObject } from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { editorContext } from '../support/editor';
import { prepareN8n } from '../support/n8n';
import { byId, byName } from '../support/parameters';
import { useWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
useWorkspace((started) => (workspace = started));
beforeAll(() => prepareN8n());

const { listSearch, loadOptions, resourceMapping } = new WorkspaceData().methods;

const editor = (parameters: IDataObject, path?: string) =>
	editorContext(workspace.apiKey, parameters, path);

const names = (entries: ReadonlyArray<{ name: string }>) => entries.map(({ name }) => name);

/** The next answer of the service to such a request. */
const answerNext = (path: string, json: object): void =>
	workspace.service.control.fail({ method: 'GET', path, status: 200, body: 'json', json });

describe('the list of cards', () => {
	const cards = (count: number) =>
		Array.from({ length: count }, (_, n) => ({ id: `Crd_${n}`, name: `Card ${n % 7}-${n}` }));

	test('is in the order of the names', async () => {
		answerNext('/cards$', { cards: ['b', 'C', 'a', 'Ä'].map((name) => ({ id: name, name })) });
		const { results } = await listSearch.searchCards.call(editor({}));
		expect(names(results)).toEqual(['a', 'Ä', 'b', 'C']);
	});

	test.each([
		[99, undefined],
		[100, undefined],
		[101, '100'],
	])('of %d has a next page only where there is more', async (count, token) => {
		answerNext('/cards$', { cards: cards(count) });
		const { results, paginationToken } = await listSearch.searchCards.call(editor({}));
		expect(results).toHaveLength(Math.min(count, 100));
		expect(paginationToken).toBe(token);
	});

	test.each([
		['the second page', '100', 50],
		['the first page after a token that is no position', 'nonsense', 100],
	])('continues with %s', async (_, token, length) => {
		answerNext('/cards$', { cards: cards(150) });
		const { results } = await listSearch.searchCards.call(editor({}), undefined, token);
		expect(results).toHaveLength(length);
	});

	test.each([
		['  card 3-3 ', ['Card 3-3']],
		['crd_14', ['Card 0-14']],
		['CRD_14', ['Card 0-14']],
		// The middle of an id says nothing to a person.
		['rd_14', []],
		['', 20],
		['   ', 20],
	])('searched for %j shows what matches', async (filter, expected) => {
		answerNext('/cards$', { cards: cards(20) });
		const { results } = await listSearch.searchCards.call(editor({}), filter);
		if (typeof expected === 'number') expect(results).toHaveLength(expected);
		else expect(names(results)).toEqual(expected);
	});
});

describe('the list of records', () => {
	const fields = [
		{ name: 'Done', type: 'boolean' },
		{ name: 'Title', type: 'text' },
		{ name: 'Pages', type: 'number' },
		{ name: 'Notes', type: 'text' },
	];

	test('shows the first two texts or numbers of a record, in the order of the fields, else its id', async () => {
		const card = await workspace.card('Labels', fields);
		const ids = await workspace.records(card.id, [
			{ Notes: 'never shown', Pages: 312, Title: '  Emma ', Done: true },
			{ Notes: 'a note', Title: '   ', Done: false },
			{ Done: true },
		]);
		const { results, ...rest } = await listSearch.searchRecords.call(
			editor({ cardId: byId(card.id) }),
		);
		const labels = new Map(results.map(({ name, value }) => [value, name]));
		expect(ids.map((id) => labels.get(id))).toEqual([
			`Emma · 312 (${ids[0]})`,
			`a note (${ids[1]})`,
			ids[2],
		]);
		expect(rest).toEqual({});
	});

	test('a search reads five pages of a hundred, and continues where it was', async () => {
		const card = await workspace.card('Many', [{ name: 'Title', type: 'text' }]);
		workspace.service.control.fillCard({ cardId: card.id, count: 620 });
		const context = editor({ cardId: byId(card.id) });
		const pages = () => workspace.requests().filter((line) => line.endsWith('/records')).length;
		const first = await listSearch.searchRecords.call(context, 'Title 619');
		expect(first.results).toEqual([]);
		expect(pages()).toBe(5);
		const token = String(first.paginationToken);
		const second = await listSearch.searchRecords.call(context, 'Title 619', token);
		expect(names(second.results)).toEqual([expect.stringContaining('Title 619')]);
		expect(second).not.toHaveProperty('paginationToken');
		expect(pages()).toBe(7);
	});

	test('a search shows the first page that has something, without reading further', async () => {
		const card = await workspace.card('Many', [{ name: 'Title', type: 'text' }]);
		workspace.service.control.fillCard({ cardId: card.id, count: 350 });
		const context = editor({ cardId: byId(card.id) });
		const { results, paginationToken } = await listSearch.searchRecords.call(context, 'Title 12');
		expect(results.length).toBeGreaterThan(0);
		expect(paginationToken).toEqual(expect.any(String));
		const read = workspace.requests().filter((line) => line.endsWith('/records'));
		expect(read.length).toBeLessThanOrEqual(2);
	});
});

describe('the chosen card', () => {
	test('that an expression chooses has no fields here, and costs no request', async () => {
		const context = editor({ cardId: byId('={{ $json.card }}') });
		expect(await listSearch.searchFields.call(context)).toEqual({ results: [] });
		expect(workspace.requests()).toEqual([]);
	});

	test('that no card is called has nothing to pick, and no error', async () => {
		const context = editor({ cardId: byName('No such card') });
		expect(await listSearch.searchFields.call(context)).toEqual({ results: [] });
		expect(await listSearch.searchRecords.call(context)).toEqual({ results: [] });
		expect((await resourceMapping.getColumns.call(context)).fields).toEqual([]);
	});

	test('that cannot be looked up is an error, not an empty list', async () => {
		workspace.service.control.fail({ method: 'GET', path: '/cards$', status: 500, times: 1 });
		const context = editor({ cardId: byName('Books') });
		await expect(listSearch.searchFields.call(context)).rejects.toMatchObject({ httpCode: '500' });
	});
});

describe('drop-down lists', () => {
	test('field types are words, in the order of the alphabet; the card is not asked for them', async () => {
		const card = await workspace.card('Types', [{ name: 'Title', type: 'text' }]);
		const types = await loadOptions.getFieldTypes.call(editor({ cardId: byId(card.id) }));
		expect(types.map(({ value }) => value)).toEqual(types.map(({ value }) => value).sort());
		expect(types).toContainEqual({ name: 'Multi Select', value: 'multi_select' });
		expect(types).toContainEqual({ name: 'Text', value: 'text' });
		const listings = workspace.requests().filter((line) => /^GET .*\/fields$/.test(line));
		// The test itself has read them once.
		expect(listings).toHaveLength(1);
	});

	test('field types of a service without a description are those of the card, each once', async () => {
		const card = await workspace.card('Types', []);
		workspace.service.control.fail({ path: 'openapi', status: 404, times: 10 });
		answerNext('/fields$', {
			fields: [
				{ id: 'f1', name: 'A', type: 'long-text  area_' },
				{ id: 'f2', name: 'B', type: 'long-text  area_' },
				{ id: 'f3', name: 'C', type: 'Geo' },
				{ id: 'f4', name: 'D', type: '' },
			],
		});
		const types = await loadOptions.getFieldTypes.call(editor({ cardId: byId(card.id) }));
		expect(types).toEqual([
			{ name: 'Geo', value: 'Geo' },
			{ name: 'Long Text Area', value: 'long-text  area_' },
		]);
	});

	test('field types of a service without a description, and no card: none, and no error', async () => {
		workspace.service.control.fail({ path: 'openapi', status: 404, times: 10 });
		expect(await loadOptions.getFieldTypes.call(editor({ cardId: byId('') }))).toEqual([]);
		expect(workspace.requests().filter((line) => line.endsWith('/fields'))).toEqual([]);
	});

	const twins = [
		{ id: 'f1', name: 'Twin', type: 'text' },
		{ id: 'f2', name: 'Twin', type: 'boolean' },
		{ id: 'f3', name: 'Alone', type: 'boolean' },
	];

	test('fields of one name show their types and ids', async () => {
		const card = await workspace.card('Twins', []);
		answerNext('/fields$', { fields: twins });
		expect(await loadOptions.getFieldNames.call(editor({ cardId: byId(card.id) }))).toEqual([
			{ name: 'Twin (text, f1)', value: 'f1' },
			{ name: 'Twin (boolean, f2)', value: 'f2' },
			{ name: 'Alone (boolean)', value: 'Alone' },
		]);
	});

	test.each([
		['a name that two fields have', 'Twin', 16],
		['a name that one field has', 'Alone', 4],
		['a number, which is no name', 5, 16],
	])('the conditions for %s', async (_, field, count) => {
		const card = await workspace.card('Twins', []);
		answerNext('/fields$', { fields: twins });
		const conditions = [{ field }];
		const context = editor(
			{ operation: 'getAll', cardId: byId(card.id), filters: { conditions } },
			'parameters.filters.conditions[0].condition',
		);
		const offered = await loadOptions.getFilterConditions.call(context);
		expect(offered).toHaveLength(count);
		expect(names(offered)).toEqual(names(offered).sort((a, b) => a.localeCompare(b)));
	});

	test.each(['', '={{ $json.field }}'])('the conditions for %j cost no request', async (field) => {
		const context = editor(
			{ operation: 'getAll', cardId: byName('Any'), filters: { conditions: [{ field }] } },
			'parameters.filters.conditions[0].condition',
		);
		expect(await loadOptions.getFilterConditions.call(context)).toHaveLength(16);
		expect(workspace.requests()).toEqual([]);
	});
});

describe('the values of a filter condition', () => {
	const valuesOf = async (cardId: string, field: string, filter?: string, token?: string) => {
		const context = editor(
			{ operation: 'getAll', cardId: byId(cardId), filters: { conditions: [{ field }] } },
			'parameters.filters.conditions[0].value',
		);
		return await listSearch.searchFilterValues.call(context, filter, token);
	};

	test('a typed text is offered without outer spaces, and only where no choice has it', async () => {
		const options = ['Open', 'Open again'];
		const { id } = await workspace.card('Choices', [
			{ name: 'Status', type: 'single_select', options },
		]);
		expect(names((await valuesOf(id, 'Status', ' open ')).results)).toEqual(options);
		expect((await valuesOf(id, 'Status', ' again ')).results).toEqual([
			{ name: 'Open again', value: 'Open again' },
			{ name: 'again', value: 'again' },
		]);
		expect((await valuesOf(id, 'Status', '  ')).results).toHaveLength(2);
	});

	test('of 130 choices come in two pages', async () => {
		const options = Array.from({ length: 130 }, (_, n) => `Choice ${n}`);
		const { id } = await workspace.card('Choices', [
			{ name: 'Status', type: 'single_select', options },
		]);
		const first = await valuesOf(id, 'Status');
		expect(first).toMatchObject({ results: { length: 100 }, paginationToken: '100' });
		const second = await valuesOf(id, 'Status', undefined, '100');
		expect(names([...first.results, ...second.results])).toEqual(options);
	});
});

describe('the columns of the mapper', () => {
	const columnsOf = async (cardId: string, schema?: unknown) => {
		const columns = schema === undefined ? {} : { columns: { value: {}, schema } };
		const context = editor({ cardId: byId(cardId), ...columns } as IDataObject);
		return await resourceMapping.getColumns.call(context);
	};

	test('are shown, never required, and never chosen for matching by themselves', async () => {
		const { id, fieldIds } = await workspace.card('Columns', [
			{ name: 'Title', type: 'text' },
			{ name: 'Layout', type: 'json' },
		]);
		expect(await columnsOf(id)).toEqual({
			fields: [
				{
					id: 'Title',
					displayName: 'Title',
					fieldId: fieldIds.Title,
					fieldName: 'Title',
					type: 'string',
					required: false,
					defaultMatch: false,
					canBeUsedToMatch: true,
					display: true,
				},
				expect.objectContaining({ id: 'Layout', required: false, display: true }),
			],
			emptyFieldsNotice: expect.stringContaining("except 'id', 'created_at' and 'action'"),
		});
	});

	test('a select without choices is a text, and offers no empty list', async () => {
		const card = await workspace.card('Columns', []);
		answerNext('/fields$', { fields: [{ id: 'f1', name: 'Status', type: 'single_select' }] });
		const { fields } = await columnsOf(card.id);
		expect(fields[0]).toMatchObject({ id: 'Status', type: 'string' });
		expect(fields[0]).not.toHaveProperty('options');
	});

	test('of two fields of one name show their ids', async () => {
		const card = await workspace.card('Columns', []);
		answerNext('/fields$', {
			fields: ['f1', 'f2'].map((id) => ({ id, name: 'Twin', type: 'multi_select' })),
		});
		expect((await columnsOf(card.id)).fields).toMatchObject([
			{ id: 'f1', displayName: 'Twin (multi_select, f1) (comma-separated)', fieldName: 'Twin' },
			{ id: 'f2', displayName: 'Twin (multi_select, f2) (comma-separated)', fieldName: 'Twin' },
		]);
	});

	test('a field that was renamed since keeps its key in the mapping; others have their names', async () => {
		const { id, fieldIds } = await workspace.card('Columns', [
			{ name: 'New name', type: 'text' },
			{ name: 'Title', type: 'text' },
			{ name: 'By name', type: 'text' },
			{ name: 'By label', type: 'text' },
		]);
		const { fields } = await columnsOf(id, [
			{ id: 'Old name', displayName: 'Old name', fieldId: fieldIds['New name'] },
			// A name that a field has now is that field, whatever the hints say.
			{ id: 'Title', displayName: 'New name', fieldId: fieldIds['New name'] },
			{ id: 'Key 1', displayName: 'By label', fieldName: 'By name', fieldId: 'gone' },
			{ id: 'Key 2', displayName: 'By label' },
			{ id: 'Of no field', displayName: 'Gone' },
		]);
		expect(fields.map((field) => [field.id, field.displayName])).toEqual([
			['Old name', 'New name'],
			['Title', 'Title'],
			['Key 1', 'By name'],
			['Key 2', 'By label'],
		]);
	});

	test.each([[[{ displayName: 'without an id' }]], ['nonsense'], [null]])(
		'a saved mapping that cannot be read (%j) is left out',
		async (schema) => {
			const { id } = await workspace.card('Columns', [{ name: 'Title', type: 'text' }]);
			const { fields, emptyFieldsNotice } = await columnsOf(id, schema);
			expect(fields.map((field) => field.id)).toEqual(['Title']);
			expect(emptyFieldsNotice).not.toContain('field list');
		},
	);
});
