/** The editor’s requests to the node: lists, columns, the credential test, and what the canvas says. */
import { hurry } from '../support/quickTime';
import type { LoadOptionsContext } from 'n8n-core';
import { type IDataObject, type INode, type INodeParameters, type INodeType } from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import { editorContext, pressTest } from '../support/editor';
import { loadWorkflow, succeeded, type TestCredentials } from '../support/n8n';
import { byId, byName, mapEach } from '../support/parameters';
import { runNode } from '../support/runs';
import { answer, credentialWith, useWorkspace, workspace } from '../support/workspace';

const { listSearch, loadOptions, resourceMapping } = new WorkspaceData().methods;
const editor = (
	parameters: IDataObject,
	path?: string,
	type?: INodeType,
	credentials: TestCredentials = workspace.apiKey,
) => editorContext(credentials, parameters, path, type);
const names = (entries: ReadonlyArray<{ name: string }>) => entries.map(({ name }) => name);

describe('requests of the editor', () => {
	useWorkspace();
	let card: Awaited<ReturnType<typeof workspace.card>>;
	beforeAll(async () => {
		await workspace.card('Bare', []);
		card = await workspace.card('Editor', {
			Title: 'text',
			Amount: 'number',
			Active: 'boolean',
			Due: 'date',
			Status: { type: 'single_select', options: ['Open', 'Done'] },
			Tags: { type: 'multi_select', options: ['a'] },
			Json: 'json',
		});
	});

	test('fields of a card that is chosen by name', async () => {
		const context = editor({ cardId: byName('editor') });
		const { results } = await listSearch.searchFields.call(context, 'a');
		expect(names(results)).toEqual(['Amount', 'Active', 'Status', 'Tags']);
		const fields = await loadOptions.getFieldNames.call(context);
		expect(fields.map(({ value }) => value)).toEqual(Object.keys(card.fieldIds));
		const filters = await loadOptions.getFilterFields.call(context);
		expect(filters.map(({ value }) => value)).toEqual(
			expect.arrayContaining(['Title', 'id', 'created_at']),
		);
	});

	test('choices to filter by are distinct: fields named like the record’s own properties show their ids', async () => {
		const { id, fieldIds } = await workspace.card('Own names', { id: 'text', Title: 'text' });
		const filters = await loadOptions.getFilterFields.call(editor({ cardId: byId(id) }));
		expect(filters).toEqual([
			// Otherwise a new condition is red before anybody chose a field.
			{ name: 'Select a Field…', value: '' },
			{ name: `id (Text, ${fieldIds.id})`, value: fieldIds.id },
			{ name: 'Title (Text)', value: 'Title' },
			{ name: 'Created At (Record)', value: 'created_at' },
			{ name: 'ID (Record)', value: 'id' },
		]);
	});

	test.each<[string, () => IDataObject, IDataObject, RegExp]>([
		['the card has no fields', () => byName('Bare'), {}, /^The card has no fields yet/],
		['no card has the name', () => byName('Nobody'), {}, /^No fields: .*'Nobody'/],
		['the key is wrong', () => byId(card.id), { apiKey: 'wrong' }, /^No fields: \S/],
	])('lists of fields say why they are empty: %s', async (_, locator, changes, reason) => {
		const context = editorContext(credentialWith(changes), { cardId: locator() });
		const entry = { name: expect.stringMatching(reason), value: '' };
		expect(await loadOptions.getFieldNames.call(context)).toEqual([entry]);
		expect((await loadOptions.getFilterFields.call(context))[0]).toEqual(entry);
		// Chosen all the same, it means no field.
		const getAll = { resource: 'record', operation: 'getAll', cardId: byId(card.id) };
		succeeded(await runNode({ ...getAll, options: { outputFields: [''] } }));
	});

	test('columns have names as keys, ids as hints, and inputs of their type', async () => {
		const { fields } = await resourceMapping.getColumns.call(editor({ cardId: byId(card.id) }));
		expect(fields.map(({ id, type }) => [id, type])).toEqual([
			['Title', 'string'],
			['Amount', 'string'],
			['Active', 'options'],
			['Due', 'dateTime'],
			['Status', 'options'],
			['Tags', 'string'],
			// The input for objects is red before anybody has entered anything.
			['Json', 'string'],
		]);
		expect(fields.map((field) => (field as unknown as { fieldId: string }).fieldId)).toEqual(
			Object.values(card.fieldIds),
		);
		// Shown, never required, and never chosen for matching by themselves.
		const flags = { required: false, defaultMatch: false, display: true };
		expect(fields).toMatchObject(fields.map(() => flags));
		expect(fields[0]?.canBeUsedToMatch).toBe(true);
		const clear = '={{ null }}';
		const empty = { name: 'Empty', value: clear };
		expect(fields[4]?.options).toEqual([
			...['Open', 'Done'].map((name) => ({ name, value: name })),
			empty,
		]);
		expect(fields[2]?.options?.map(({ value }) => value)).toEqual([true, false, clear]);
		expect(fields.slice(5).map(({ displayName }) => displayName)).toEqual([
			...['Tags: a', 'Json (JSON)'],
		]);
	});

	test.each([
		['http://localhost:4500/?card={card}#{card}', true],
		['https://data.example.com/cards', false],
		['javascript:alert({card})', false],
		['{card}', false],
		['', false],
	])('Web URL %j decides the link of a card in the list: %s', async (webUrl, isLink) => {
		const context = editorContext(credentialWith({ webUrl }), {});
		const { results } = await listSearch.searchCards.call(context, 'Editor');
		const link = isLink && webUrl.replaceAll('{card}', encodeURIComponent(card.id));
		expect(results).toContainEqual({ name: 'Editor', value: card.id, ...(link && { url: link }) });
	});

	test('the label of a multi-select names its choices all of them, as they are written', async () => {
		const many = Array.from({ length: 40 }, (_, n) => `Choice ${n}`);
		const { id } = await workspace.card('Labels', {
			Commas: { type: 'multi_select', options: ['Red, white', '5" pipe', 'plain'] },
			Many: { type: 'multi_select', options: many },
			None: 'multi_select',
		});
		const { fields } = await resourceMapping.getColumns.call(editor({ cardId: byId(id) }));
		expect(fields.map(({ displayName }) => displayName)).toEqual([
			'Commas: ["Red, white","5\\" pipe","plain"]',
			`Many: ${many.join(', ')}`,
			'None (comma-separated)',
		]);
	});

	test('an empty mapper says what to do', async () => {
		const notice = async (cardId: ReturnType<typeof byId>) =>
			(await resourceMapping.getColumns.call(editor({ cardId }))).emptyFieldsNotice;
		const { id } = await workspace.card('Without fields', []);
		// A notice of the node says it already.
		expect(await notice(byId(''))).toBeUndefined();
		expect(await notice(byId(id))).toContain('The card has no fields yet');
		expect(await notice(byId('={{ $json.card }}'))).toContain('an expression selects the card');
	});

	describe("a card that doesn't exist", () => {
		const noCard = /^The workspace has no card called 'Editr'\. The cards are 'Bare', 'Editor'/;
		const noId =
			/^The workspace has no card with the ID 'crd_none'\. Select the card again in 'Card'\.$/;

		test.each([
			[byName('Editr'), noCard],
			[byId('crd_none'), noId],
		])('%j: an empty mapper says so, a mapping stays, other lists fail', async (cardId, notice) => {
			const { getColumns } = resourceMapping;
			const context = editor({ cardId });
			const emptyFieldsNotice = expect.stringMatching(notice) as string;
			expect(await getColumns.call(context)).toEqual({ fields: [], emptyFieldsNotice });
			// An error comes instead of an empty list.
			const columns = mapEach({ Title: 'a' }, { schema: [{ id: 'Title' }] });
			const message = 'The workspace has no card';
			await expect(getColumns.call(editor({ cardId, columns }))).rejects.toThrow(message);
			await expect(listSearch.searchFields.call(context)).rejects.toThrow(message);
			const records = listSearch.searchRecords.call(context);
			await expect(records).rejects.toThrow(/^The workspace has no card|^Card not found$/);
		});

		test('a refusal for another reason is an error', async () => {
			workspace.fail('GET', '/fields', { status: 404, body: 'html' });
			const listing = resourceMapping.getColumns.call(editor({ cardId: byId(card.id) }));
			await expect(listing).rejects.toThrow();
		});
	});

	describe('the choices of a filter condition', () => {
		/** n8n's own context for calls that a parameter of the first condition makes. */
		const condition = (values: IDataObject): LoadOptionsContext =>
			editor(
				{ operation: 'getAll', cardId: byId(card.id), filters: { conditions: [values] } },
				'parameters.filters.conditions[0].value',
			);
		const namesOf = async (values: IDataObject) =>
			names(await loadOptions.getFilterConditions.call(condition(values)));
		const valuesOf = async (field: string, filter?: string, more: IDataObject = {}) =>
			(await listSearch.searchFilterValues.call(condition({ field, ...more }), filter)).results;

		test('a saved condition stays, and a field of unknown type has all conditions', async () => {
			const saved = await namesOf({ field: 'Title', condition: 'greaterThan' });
			expect(saved).toContain('Greater Than');
			expect(await namesOf({ field: 'No such field' })).toHaveLength(16);
		});

		test('values: choices, true and false, days as expressions, and the typed text', async () => {
			const values = async (...given: Parameters<typeof valuesOf>) =>
				(await valuesOf(...given)).map(({ value }) => value);
			expect(await valuesOf('Status', 'OPEN')).toEqual([{ name: 'Open', value: 'Open' }]);
			expect(await values('Status')).toEqual(['Open', 'Done']);
			expect(await values('Status', ' op ')).toEqual(['Open', 'op']);
			expect(await values('Status', '  ')).toEqual(['Open', 'Done']);
			expect(await values('Active')).toEqual(['true', 'false']);
			expect(await values('Due', 'today')).toEqual(['={{ $today.toISODate() }}']);
			expect(await values('Title')).toEqual([]);
			expect(await values('Title', 'Emma')).toEqual(['Emma']);
		});

		test.each(['inLastDays', 'inNextDays'])('%s: numbers of days', async (days) => {
			const offered = [
				{ name: '1 Day (Today)', value: '1' },
				{ name: '7 Days', value: '7' },
				{ name: '30 Days', value: '30' },
			];
			expect(await valuesOf('Due', undefined, { condition: days })).toEqual(offered);
			expect(await valuesOf('created_at', '7', { condition: days })).toEqual([offered[1]]);
			expect(await valuesOf('Due', '3', { condition: days })).toEqual([
				offered[2],
				{ name: '3', value: '3' },
			]);
			expect(await valuesOf('Due', 'tomorrow', { condition: 'lessThan' })).toHaveLength(1);
		});

		test('the same in the options of the trigger', async () => {
			const trigger = new WorkspaceDataTrigger();
			const { methods } = trigger;
			const options = { filters: { conditions: [{ field: 'Active' }] } };
			const parameters = { watch: 'oneCard', cardId: byId(card.id), options };
			const path = 'parameters.options.filters.conditions[0].value';
			const at = editor(parameters, path, trigger);
			const conditions = await methods.loadOptions.getFilterConditions.call(at);
			expect(names(conditions)).toEqual(await namesOf({ field: 'Active' }));
			expect((await methods.listSearch.searchFilterValues.call(at)).results).toHaveLength(2);
			const fields = await methods.loadOptions.getFilterFields.call(at);
			expect(fields.map(({ value }) => value)).toEqual(expect.arrayContaining(['Active', 'id']));
		});
	});

	test('an error reaches the user in the service’s words, at the first try', async () => {
		workspace.service.control.resetRequests();
		workspace.fail('GET', '/cards$', { status: 500, times: 5 });
		await expect(listSearch.searchCards.call(editor({}))).rejects.toMatchObject({
			httpCode: '500',
		});
		expect(workspace.requests()).toHaveLength(1);
	});

	describe('Test of a credential', () => {
		const press = async (kind: 'apiKey' | 'serviceAccount', changes: IDataObject = {}) =>
			await pressTest(credentialWith(changes, kind));

		test.each([
			['apiKey', { apiKey: 'wrong-key-of-nobody' }, "Check 'API Key'"],
			['apiKey', { apiKey: '' }, "'API Key' is empty"],
			['apiKey', { workspaceId: 'wsp_unknown' }, "Check 'Workspace ID'"],
			['apiKey', { workspaceId: '' }, "'Workspace ID' is empty"],
			['apiKey', { baseUrl: 'http://127.0.0.1:9/api/v1' }, "Check 'Base URL'"],
			['apiKey', { baseUrl: 'http://127.0.0.1:9/api' }, 'must end in /api/v1'],
			[
				'serviceAccount',
				{ clientSecret: 'wrong-secret' },
				"'Client Secret' in the credential; the account may have been revoked",
			],
			['serviceAccount', { clientId: 'nobody' }, "'Client ID'"],
			['serviceAccount', { realm: 'elsewhere' }, "'Realm'"],
			['serviceAccount', { authUrl: 'http://127.0.0.1:9' }, "'Auth URL'"],
			['serviceAccount', { authUrl: 'nowhere' }, "'Auth URL' must begin with http://"],
			['serviceAccount', { workspaceId: 'wsp_unknown' }, "Check 'Workspace ID'"],
		] as const)('%s with %j says which', async (kind, changes, message) => {
			const result = await press(kind, changes);
			expect(result).toEqual({ status: 'Error', message: expect.stringContaining(message) });
			expect(result.message).not.toContain(workspace.service.clientSecret);
			expect(result.message).not.toContain(workspace.service.apiKey);
		});

		test.each([
			[200, "'body' is"],
			[404, 'another server may be answering'],
			[502, 'Try again later'],
			[302, "Redirects aren't followed"],
		])('another web server that answers %i', async (status, message) => {
			const fault = { status, body: 'html', headers: { location: '/elsewhere' } } as const;
			workspace.fail('GET', '/cards$', fault);
			expect(await press('apiKey')).toEqual({
				status: 'Error',
				message: expect.stringContaining(message),
			});
		});

		const problem = (kind: string, detail?: string) => ({
			type: `https://errors.example.com/${kind}`,
			title: 'Refused',
			...(detail && { detail }),
		});
		test.each<[number, unknown, string]>([
			[404, problem('workspace-not-found'), "'Workspace ID'"],
			[404, { title: 'Not Found' }, "'Base URL'"],
			[403, problem('forbidden'), "'Workspace ID'"],
			[401, problem('unauthorized', 'Revoked'), "'API Key'"],
			[429, problem('too-many-requests'), 'after the limit resets'],
			[418, problem('other', 'In its own words'), 'Refused. In its own words'],
		])('a service that answers %i with %j', async (status, body, wanted) => {
			workspace.service.control.fail({ path: '/cards$', status, body: 'json', json: body });
			const { message } = await press('apiKey');
			expect(message).toContain(wanted);
			const entries = ["'Base URL'", "'Workspace ID'", "'API Key'"];
			expect(entries.filter((entry) => message.includes(entry))).toEqual(
				entries.filter((entry) => entry === wanted),
			);
		});

		test('a credential that works', async () => {
			expect(await press('apiKey')).toEqual({
				status: 'OK',
				message: 'Connection successful: the cards of the workspace can be listed.',
			});
			expect((await press('serviceAccount')).status).toBe('OK');
		});

		test.each([
			['dropBefore', /Check 'Base URL'.*reach 127\.0\.0\.1:\d+/],
			['hang', /^No response came in time\. .*reach 127\.0\.0\.1:\d+/],
		] as const)("a service that doesn't respond (%s)", async (mode, message) => {
			hurry();
			workspace.service.control.fail({ path: '/cards$', mode });
			expect((await press('apiKey')).message).toMatch(message);
		});

		test('a token that the auth server gives and the service refuses blames account and realm', async () => {
			workspace.service.control.fail({ path: '/cards$', status: 401 });
			const { message } = await press('serviceAccount');
			expect(message).toContain('may have been revoked, or the API may trust another realm');
			expect(message).not.toContain("'API Key'");
		});
	});
});

describe('what a person sees', () => {
	useWorkspace();
	/** The first condition of a filter, while its field is chosen. */
	const conditionOf = (cardId: IDataObject, field: unknown) =>
		editor(
			{ operation: 'getAll', cardId, filters: { conditions: [{ field }] } as IDataObject },
			'parameters.filters.conditions[0].value',
		);

	describe('the list of cards', () => {
		const cards = (count: number) =>
			Array.from({ length: count }, (_, n) => ({ id: `Crd_${n}`, name: `Card ${n % 7}-${n}` }));

		test('is in the order of the names', async () => {
			answer('GET', '/cards$', { cards: ['b', 'C', 'a', 'Ä'].map((name) => ({ id: name, name })) });
			const { results } = await listSearch.searchCards.call(editor({}));
			expect(names(results)).toEqual(['a', 'Ä', 'b', 'C']);
		});

		test.each([
			[100, undefined, 100, undefined],
			[101, undefined, 100, '100'],
			[150, '100', 50, undefined],
			[150, 'no position', 100, '100'],
		])('of %d, from %s on: shows %d, and where it continues', async (count, token, shown, next) => {
			answer('GET', '/cards$', { cards: cards(count) });
			const { results, paginationToken } = await listSearch.searchCards.call(
				editor({}),
				undefined,
				token,
			);
			expect(results).toHaveLength(shown);
			expect(paginationToken).toBe(next);
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
			answer('GET', '/cards$', { cards: cards(20) });
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

		test('a search reads five pages, or up to one that has something, and continues there', async () => {
			const card = await workspace.card('Many', { Title: 'text' });
			workspace.service.control.fillCard({ cardId: card.id, count: 620 });
			const context = editor({ cardId: byId(card.id) });
			const pages = () => workspace.requests(/records$/).length;
			const first = await listSearch.searchRecords.call(context, 'Title 619');
			expect(first.results).toEqual([]);
			expect(pages()).toBe(5);
			const token = String(first.paginationToken);
			const second = await listSearch.searchRecords.call(context, 'Title 619', token);
			expect(names(second.results)).toEqual([expect.stringContaining('Title 619')]);
			expect(second).not.toHaveProperty('paginationToken');
			expect(pages()).toBe(7);
			const found = await listSearch.searchRecords.call(context, 'Title 12');
			expect(found.results.length).toBeGreaterThan(0);
			expect(found.paginationToken).toEqual(expect.any(String));
			expect(pages()).toBeLessThanOrEqual(9);
		});
	});

	describe('the selected card', () => {
		test.each([
			['is none', byId(''), 'Select a card to see its ….'],
			[
				'is chosen by an expression',
				byId('={{ $json.card }}'),
				"The editor can't list … while an expression selects the card.",
			],
		])('%s: the lists say so, also without a credential', async (_, cardId, reason) => {
			const context = editorContext({}, { cardId });
			const only = (what: string) => ({
				results: [{ name: reason.replace('…', what), value: '' }],
			});
			expect(await listSearch.searchFields.call(context)).toEqual(only('fields'));
			expect(await listSearch.searchRecords.call(context)).toEqual(only('records'));
			const [entry] = await loadOptions.getFilterFields.call(context);
			expect(entry).toEqual(only('fields').results[0]);
			expect((await resourceMapping.getColumns.call(context)).fields).toEqual([]);
			expect(workspace.requests()).toEqual([]);
		});
	});

	describe('drop-down lists', () => {
		test("field types are words, in the order of the alphabet; the card isn't asked for them", async () => {
			const card = await workspace.card('Types', { Title: 'text' });
			const types = await loadOptions.getFieldTypes.call(editor({ cardId: byId(card.id) }));
			expect(types.map(({ value }) => value)).toEqual(types.map(({ value }) => value).sort());
			expect(types).toContainEqual({ name: 'Multi Select', value: 'multi_select' });
			expect(types).toContainEqual({ name: 'Text', value: 'text' });
			expect(workspace.requests(/^GET .*fields$/)).toEqual([]);
		});

		test.each([{ status: 404, times: 10 }, { mode: 'hang' }] as const)(
			'field types of a service whose description is %j are those of the card, each once',
			async (fault) => {
				const card = await workspace.card('Types', []);
				workspace.service.control.fail({ path: 'openapi', ...fault });
				hurry();
				const types = ['long-text  area_', 'long-text  area_', 'Geo'];
				answer('GET', '/fields$', {
					fields: types.map((type, n) => ({ id: `f${n}`, name: `Field ${n}`, type })),
				});
				expect(await loadOptions.getFieldTypes.call(editor({ cardId: byId(card.id) }))).toEqual([
					{ name: 'Geo', value: 'Geo' },
					{ name: 'Long Text Area', value: 'long-text  area_' },
				]);
			},
		);

		const twins = [
			{ id: 'f1', name: 'Twin', type: 'text' },
			{ id: 'f2', name: 'Twin', type: 'boolean' },
			{ id: 'f3', name: 'Alone', type: 'boolean' },
		];

		test('fields of one name show their types and ids', async () => {
			const card = await workspace.card('Twins', []);
			answer('GET', '/fields$', { fields: twins });
			expect(await loadOptions.getFieldNames.call(editor({ cardId: byId(card.id) }))).toEqual([
				{ name: 'Twin (Text, f1)', value: 'f1' },
				{ name: 'Twin (Boolean, f2)', value: 'f2' },
				{ name: 'Alone (Boolean)', value: 'Alone' },
			]);
		});

		test.each([
			['a name that two fields have', 'Twin', 16],
			['a name that one field has', 'Alone', 4],
			['a number, which is no name', 5, 16],
		])('the conditions for %s', async (_, field, count) => {
			const card = await workspace.card('Twins', []);
			answer('GET', '/fields$', { fields: twins });
			const context = conditionOf(byId(card.id), field);
			const offered = await loadOptions.getFilterConditions.call(context);
			expect(offered).toHaveLength(count);
			expect(names(offered)).toEqual(names(offered).sort((a, b) => a.localeCompare(b)));
		});

		test.each(['', '={{ $json.field }}'])('conditions for %j cost no request', async (field) => {
			const context = conditionOf(byName('Any'), field);
			expect(await loadOptions.getFilterConditions.call(context)).toHaveLength(16);
			expect(workspace.requests()).toEqual([]);
		});
	});

	describe('the columns of the mapper', () => {
		const columnsOf = async (cardId: string, schema?: unknown) => {
			const columns = schema === undefined ? {} : { columns: { value: {}, schema } };
			const context = editor({ cardId: byId(cardId), ...columns } as IDataObject);
			return await resourceMapping.getColumns.call(context);
		};

		test('of two fields of one name show their ids; a select without choices is a text', async () => {
			const card = await workspace.card('Columns', []);
			const twins = ['f1', 'f2'].map((id) => ({ id, name: 'Twin', type: 'multi_select' }));
			const status = { id: 'f3', name: 'Status', type: 'single_select' };
			answer('GET', '/fields$', { fields: [...twins, status] });
			const { fields } = await columnsOf(card.id);
			expect(fields).toMatchObject([
				{ id: 'f1', displayName: 'Twin (Multi Select, f1) (comma-separated)' },
				{ id: 'f2', displayName: 'Twin (Multi Select, f2) (comma-separated)' },
				{ id: 'Status', type: 'string' },
			]);
			// Nor does it offer an empty list.
			expect(fields[2]).not.toHaveProperty('options');
		});

		test('a field that was renamed since keeps its key in the mapping; others have their names', async () => {
			const { id, fieldIds } = await workspace.card('Columns', {
				'New name': 'text',
				Title: 'text',
			});
			const { fields } = await columnsOf(id, [
				{ id: 'Old name', displayName: 'Old name', fieldId: fieldIds['New name'] },
				// A name that a field has now is that field, whatever the hints say.
				{ id: 'Title', displayName: 'New name', fieldId: fieldIds['New name'] },
				{ id: 'Of no field', displayName: 'Gone' },
			]);
			expect(fields.map((field) => [field.id, field.displayName])).toEqual([
				['Old name', 'New name'],
				['Title', 'Title'],
			]);
		});

		test.each([[[{ displayName: 'without an id' }]], ['nonsense'], [null]])(
			"a saved mapping that can't be read (%j) is left out",
			async (schema) => {
				const { id } = await workspace.card('Columns', { Title: 'text' });
				const { fields, emptyFieldsNotice } = await columnsOf(id, schema);
				expect(fields.map((field) => field.id)).toEqual(['Title']);
				expect(emptyFieldsNotice).not.toContain('field list');
			},
		);
	});
});

test.each<[string, INodeType, INodeParameters]>([
	['upsert: record', new WorkspaceData(), { resource: 'record', operation: 'upsert' }],
	[
		'record.created, card.updated',
		new WorkspaceDataTrigger(),
		{ events: ['record.created', 'card.updated'] },
	],
])('the canvas says %s', (subtitle, type, parameters) => {
	const place = { typeVersion: 1, position: [0, 0] as [number, number] };
	const node: INode = { id: 'node-1', name: 'Node', type: 'ours', ...place, parameters };
	const workflow = loadWorkflow([node], { ours: type });
	const given = type.description.subtitle;
	expect(workflow.expression.getSimpleParameterValue(node, given, 'internal', {})).toBe(subtitle);
});
