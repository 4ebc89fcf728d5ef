/** The editor's requests to the node: pickers, columns, field types, and the credential test. */
import { hurry } from '../support/quickTime';
import { CredentialTestContext, type LoadOptionsContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeListSearchResult,
	INodeType,
} from 'n8n-workflow';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import { editorContext } from '../support/editor';
import { prepareN8n, runAction, type TestCredentials } from '../support/n8n';
import { byId, byName, mapEach } from '../support/parameters';
import { startWebServer } from '../support/webServer';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string; fieldIds: Record<string, string> };
const nodeType = new WorkspaceData();

beforeAll(async () => {
	prepareN8n();
	workspace = await startWorkspace();
	card = await workspace.card('Editor', [
		{ name: 'Title', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Active', type: 'boolean' },
		{ name: 'Due', type: 'date' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
		{ name: 'Tags', type: 'multi_select', options: ['a'] },
	]);
});
afterAll(async () => await workspace.close());
afterEach(() => workspace.service.control.reset());

const editor = (
	parameters: IDataObject,
	credentials: TestCredentials = workspace.apiKey,
	path?: string,
	type?: INodeType,
) => editorContext(credentials, parameters, path, type);

const { listSearch, loadOptions, resourceMapping } = nodeType.methods;

/** Follows the pages of a picker to the end. */
async function allPages(
	search: (token?: string) => Promise<INodeListSearchResult>,
): Promise<INodeListSearchResult['results']> {
	const results = [];
	let token: string | undefined;
	do {
		const page = await search(token);
		results.push(...page.results);
		token = page.paginationToken as string | undefined;
	} while (token !== undefined);
	return results;
}

describe.each(['apiKey', 'serviceAccount'] as const)('with %s', (kind) => {
	test('cards are found by name and by id', async () => {
		const search = async (filter?: string) =>
			(await listSearch.searchCards.call(editor({}, workspace[kind]), filter)).results;
		expect(await search()).toContainEqual({ name: 'Editor', value: card.id });
		expect(await search('EDIT')).toContainEqual({ name: 'Editor', value: card.id });
		expect(await search(card.id)).toEqual([{ name: 'Editor', value: card.id }]);
		expect(await search('nothing like it')).toEqual([]);
	});
});

test('a list of cards beyond one page is paged, sorted and complete', async () => {
	const many = await startWorkspace();
	for (let n = 0; n < 130; n += 1) await many.send('POST', '/cards', { name: `Card ${n}` });
	const context = editor({}, many.apiKey);
	const first = await listSearch.searchCards.call(context);
	expect(first.results).toHaveLength(100);
	const all = await allPages(
		async (token) => await listSearch.searchCards.call(context, undefined, token),
	);
	expect(new Set(all.map(({ value }) => value)).size).toBe(130);
	await many.close();
});

test('the list shows the values of records; its search reads all pages', async () => {
	const busy = await workspace.card('Busy', [{ name: 'Title', type: 'text' }]);
	workspace.service.control.fillCard({ cardId: busy.id, count: 260 });
	const context = editor({ cardId: byId(busy.id) });
	const all = await allPages(
		async (token) => await listSearch.searchRecords.call(context, undefined, token),
	);
	expect(all).toHaveLength(260);
	expect(all[0]?.name).toContain('Title 0');
	const { results } = await listSearch.searchRecords.call(context, 'Title 259');
	expect(results.map(({ name }) => name)).toEqual([expect.stringContaining('Title 259')]);
});

test('fields of a card that is chosen by name', async () => {
	const context = editor({ cardId: byName('editor') });
	const { results } = await listSearch.searchFields.call(context, 'a');
	expect(results.map(({ name }) => name)).toEqual(['Amount', 'Active', 'Status', 'Tags']);
	const names = await loadOptions.getFieldNames.call(context);
	expect(names.map(({ value }) => value)).toEqual(Object.keys(card.fieldIds));
	const filters = await loadOptions.getFilterFields.call(context);
	expect(filters.map(({ value }) => value)).toEqual(
		expect.arrayContaining(['Title', 'id', 'created_at']),
	);
});

test('choices to filter by are distinct: fields named like the record’s own properties show their ids', async () => {
	const { id, fieldIds } = await workspace.card('Own names', [
		{ name: 'id', type: 'text' },
		{ name: 'Title', type: 'text' },
	]);
	const filters = await loadOptions.getFilterFields.call(editor({ cardId: byId(id) }));
	expect(filters).toEqual([
		// Otherwise a new condition is red before anybody chose a field (M4).
		{ name: 'Select a Field…', value: '' },
		{ name: `id (text, ${fieldIds.id})`, value: fieldIds.id },
		{ name: 'Title (text)', value: 'Title' },
		{ name: 'Created At (Record)', value: 'created_at' },
		{ name: 'ID (Record)', value: 'id' },
	]);
});

test('two fields of one name: the type tells them apart, before the id that the editor cuts', async () => {
	const { id } = await workspace.card('Same names', [
		{ name: 'Same', type: 'number' },
		{ name: 'Same', type: 'text' },
		{ name: 'Other', type: 'text' },
	]);
	const context = editor({ cardId: byId(id) });
	const labels = [
		expect.stringMatching(/^Same \(number, fld_\w+\)$/),
		expect.stringMatching(/^Same \(text, fld_\w+\)$/),
		'Other',
	];
	const { fields } = await resourceMapping.getColumns.call(context);
	expect(fields.map(({ displayName }) => displayName)).toEqual(labels);
	const names = await loadOptions.getFieldNames.call(context);
	// A list shows the type of each field (Q10).
	expect(names.map(({ name }) => name)).toEqual([...labels.slice(0, 2), 'Other (text)']);
});

test.each<[string, () => Promise<IDataObject>, () => TestCredentials, RegExp]>([
	['no card is chosen', async () => byId(''), () => workspace.apiKey, /^Select a card to see/],
	[
		'the card has no fields',
		async () => byId((await workspace.card('Bare', [])).id),
		() => workspace.apiKey,
		/^The card has no fields yet/,
	],
	[
		'no card has the name',
		async () => byName('Nobody'),
		() => workspace.apiKey,
		/^No fields: .*'Nobody'/,
	],
	[
		'the key is wrong',
		async () => byId(card.id),
		() => ({ workspaceDataApi: { ...workspace.apiKey.workspaceDataApi, apiKey: 'wrong' } }),
		/^No fields: \S/,
	],
])(
	'Q10: lists of fields say why they are empty: %s',
	async (_what, locator, credentials, reason) => {
		const context = editorContext(credentials(), { cardId: await locator() });
		const entry = { name: expect.stringMatching(reason), value: '' };
		expect(await loadOptions.getFieldNames.call(context)).toEqual([entry]);
		expect((await loadOptions.getFilterFields.call(context))[0]).toEqual(entry);
		// Chosen all the same, it means no field.
		const { error } = await runAction({
			credentials: workspace.apiKey,
			parameters: {
				...{ resource: 'record', operation: 'getAll', cardId: byId(card.id) },
				options: { outputFields: [''] },
			},
		});
		expect(error).toBeUndefined();
	},
);

test('without a card there is nothing to pick, and no error', async () => {
	const context = editor({ cardId: byId('') });
	expect(await listSearch.searchFields.call(context)).toEqual({ results: [] });
	expect(await listSearch.searchRecords.call(context)).toEqual({ results: [] });
	expect((await resourceMapping.getColumns.call(context)).fields).toEqual([]);
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
	]);
	expect(fields.map((field) => (field as unknown as { fieldId: string }).fieldId)).toEqual(
		Object.values(card.fieldIds),
	);
	const clear = '={{ null }}';
	expect(fields[4]?.options?.map(({ value }) => value)).toEqual(['Open', 'Done', clear]);
	expect(fields[2]?.options?.map(({ value }) => value)).toEqual([true, false, clear]);
	expect(fields[5]?.displayName).toBe('Tags (comma-separated: a)');
});

test('a JSON field is a text: the input for objects is red before anybody entered anything (M4)', async () => {
	const { id } = await workspace.card('Settings', [{ name: 'Layout', type: 'json' }]);
	const { fields } = await resourceMapping.getColumns.call(editor({ cardId: byId(id) }));
	expect(fields[0]).toMatchObject({ displayName: 'Layout (JSON)', type: 'string' });
});

test.each(['create', 'update', 'upsert', 'updateMany'])(
	'in %s, choices and yes/no fields can be left empty: the editor keeps the list when the operation changes (M7)',
	async (operation) => {
		const options = async (chosen: string) => {
			const context = editor({ cardId: byId(card.id), operation: chosen });
			const { fields } = await resourceMapping.getColumns.call(context);
			return fields.slice(2, 5).map((field) => field.options?.map(({ name }) => name));
		};
		expect(await options(operation)).toEqual([
			['True', 'False', 'Empty'],
			undefined,
			['Open', 'Done', 'Empty'],
		]);
	},
);

test.each([
	['https://data.example.com/cards/{card}', (id: string) => `https://data.example.com/cards/${id}`],
	[
		'http://localhost:4500/?card={card}#{card}',
		(id: string) => `http://localhost:4500/?card=${id}#${id}`,
	],
	['https://data.example.com/cards', undefined],
	['javascript:alert({card})', undefined],
	['{card}', undefined],
	['', undefined],
])('Web URL %j decides the link of a card in the list', async (webUrl, expected) => {
	const credentials = structuredClone(workspace.apiKey);
	for (const data of Object.values(credentials)) Object.assign(data, { webUrl });
	const { results } = await listSearch.searchCards.call(editor({}, credentials), 'Editor');
	const link = expected?.(encodeURIComponent(card.id));
	expect(results).toContainEqual({ name: 'Editor', value: card.id, ...(link && { url: link }) });
});

test('E2: the label of a multi-select names its choices all of them, as they are written (M6)', async () => {
	const names = Array.from({ length: 40 }, (_, n) => `Choice ${n}`);
	const { id } = await workspace.card('Labels', [
		{ name: 'Commas', type: 'multi_select', options: ['Red, white', '5" pipe', 'plain'] },
		{ name: 'Many', type: 'multi_select', options: names },
		{ name: 'None', type: 'multi_select' },
	]);
	const { fields } = await resourceMapping.getColumns.call(editor({ cardId: byId(id) }));
	expect(fields.map(({ displayName }) => displayName)).toEqual([
		'Commas (comma-separated: "Red, white", "5"" pipe", plain)',
		`Many (comma-separated: ${names.join(', ')})`,
		'None (comma-separated)',
	]);
	expect(fields.map((field) => (field as unknown as { fieldName: string }).fieldName)).toEqual([
		'Commas',
		'Many',
		'None',
	]);
});

test('E2: a mapping finds its field again by name, although the label says more than the name', async () => {
	const schema = [{ id: 'Labels', displayName: 'Tags (x)', fieldName: 'Tags', fieldId: 'gone' }];
	const columns = { mappingMode: 'defineBelow', value: { Labels: 'a' }, schema };
	const context = editor({ cardId: byId(card.id), columns });
	const { fields } = await resourceMapping.getColumns.call(context);
	expect(fields.at(-1)).toMatchObject({ id: 'Labels', displayName: 'Tags (comma-separated: a)' });
});

test('E3: an empty mapper says what to do', async () => {
	const notice = async (cardId: ReturnType<typeof byId>) =>
		(await resourceMapping.getColumns.call(editor({ cardId }))).emptyFieldsNotice;
	const { id } = await workspace.card('Without fields', []);
	expect(await notice(byId(''))).toBe('Select a card to see its fields.');
	expect(await notice(byId(id))).toContain('The card has no fields yet');
	expect(await notice(byId('={{ $json.card }}'))).toContain('an expression selects the card');
});

describe('E3: a card that does not exist', () => {
	const noCard = "The workspace has no card called 'Editr'. Did you mean 'Editor'?";
	const noId = "The workspace has no card with the ID 'crd_none'. Select the card again in 'Card'.";

	test.each([
		[byName('Editr'), noCard],
		[byId('crd_none'), noId],
	])('%j: an empty mapper says so', async (cardId, emptyFieldsNotice) => {
		const { getColumns } = resourceMapping;
		expect(await getColumns.call(editor({ cardId }))).toEqual({ fields: [], emptyFieldsNotice });
	});

	test.each([[byName('Editr')], [byId('crd_none')]])(
		'%j: a mapping stays, because an error comes instead of an empty list',
		async (cardId) => {
			const columns = mapEach({ Title: 'a' }, { schema: [{ id: 'Title' }] });
			const listing = resourceMapping.getColumns.call(editor({ cardId, columns }));
			await expect(listing).rejects.toThrow('The workspace has no card');
		},
	);

	test('a refusal for another reason is an error', async () => {
		workspace.service.control.fail({ path: '/fields', mode: 'answer', status: 404, body: 'html' });
		const listing = resourceMapping.getColumns.call(editor({ cardId: byId(card.id) }));
		await expect(listing).rejects.toThrow();
	});
});

describe('E8: the choices of a filter condition', () => {
	/** n8n's own context for calls that a parameter of the first condition makes. */
	const condition = (values: IDataObject): LoadOptionsContext =>
		editor(
			{ operation: 'getAll', cardId: byId(card.id), filters: { conditions: [values] } },
			workspace.apiKey,
			'parameters.filters.conditions[0].value',
		);
	const namesOf = async (values: IDataObject) =>
		(await loadOptions.getFilterConditions.call(condition(values))).map(({ name }) => name);
	const valuesOf = async (field: string, filter?: string, more: IDataObject = {}) =>
		(await listSearch.searchFilterValues.call(condition({ field, ...more }), filter)).results;

	test('conditions by the type of the field', async () => {
		const equality = ['Equals', 'Is Empty', 'Is Not Empty', 'Not Equals'];
		expect(await namesOf({ field: 'Active' })).toEqual(equality);
		expect(await namesOf({ field: 'Status' })).toEqual([
			...['Contains', 'Does Not Contain', 'Equals', 'Is Any Of'],
			...['Is Empty', 'Is None Of', 'Is Not Empty', 'Not Equals'],
		]);
		expect(await namesOf({ field: 'created_at' })).toContain('Is in the Last Days');
		expect(await namesOf({ field: 'Amount' })).not.toContain('Is in the Next Days');
		expect(await namesOf({ field: 'Amount' })).toContain('Greater Than');
		expect(await namesOf({ field: 'created_at' })).toContain('Is Before');
		expect(await namesOf({ field: 'Title' })).not.toContain('Greater Than');
	});

	test('a saved condition stays, and a field of unknown type has all conditions', async () => {
		const saved = await namesOf({ field: 'Title', condition: 'greaterThan' });
		expect(saved).toContain('Greater Than');
		for (const field of ['', '={{ $json.field }}', 'No such field']) {
			expect(await namesOf({ field })).toHaveLength(16);
		}
	});

	test('values: choices, true and false, days as expressions, and the typed text', async () => {
		expect(await valuesOf('Status')).toEqual([
			{ name: 'Open', value: 'Open' },
			{ name: 'Done', value: 'Done' },
		]);
		expect(await valuesOf('Status', 'op')).toEqual([
			{ name: 'Open', value: 'Open' },
			{ name: 'op', value: 'op' },
		]);
		expect(await valuesOf('Status', 'OPEN')).toEqual([{ name: 'Open', value: 'Open' }]);
		expect((await valuesOf('Active')).map(({ value }) => value)).toEqual(['true', 'false']);
		expect((await valuesOf('Due', 'today')).map(({ value }) => value)).toEqual([
			'={{ $today.toISODate() }}',
		]);
		expect(await valuesOf('Title')).toEqual([]);
		expect(await valuesOf('Title', 'Emma')).toEqual([{ name: 'Emma', value: 'Emma' }]);
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
		const at = editor(
			{
				watch: 'oneCard',
				cardId: byId(card.id),
				options: { filters: { conditions: [{ field: 'Active' }] } },
			},
			workspace.apiKey,
			'parameters.options.filters.conditions[0].value',
			trigger,
		);
		const conditions = await methods.loadOptions.getFilterConditions.call(at);
		expect(conditions.map(({ name }) => name)).toEqual(await namesOf({ field: 'Active' }));
		expect((await methods.listSearch.searchFilterValues.call(at)).results).toHaveLength(2);
		const fields = await methods.loadOptions.getFilterFields.call(at);
		expect(fields.map(({ value }) => value)).toEqual(expect.arrayContaining(['Active', 'id']));
	});
});

test('field types come from the service’s own description', async () => {
	const types = await loadOptions.getFieldTypes.call(editor({ cardId: byId(card.id) }));
	expect(types).toContainEqual({ name: 'Single Select', value: 'single_select' });
	expect(types).toHaveLength(11);
});

test('where the description cannot be had, field types come from the card', async () => {
	workspace.service.control.fail({ path: 'openapi', status: 404, times: 10 });
	const types = await loadOptions.getFieldTypes.call(editor({ cardId: byId(card.id) }));
	expect(types.map(({ value }) => value)).toEqual([
		'boolean',
		'date',
		'multi_select',
		'number',
		'single_select',
		'text',
	]);
});

test('an error reaches the user in the service’s words, at the first try', async () => {
	workspace.service.control.resetRequests();
	workspace.service.control.fail({ path: '/cards$', status: 500, times: 5 });
	await expect(listSearch.searchCards.call(editor({}))).rejects.toMatchObject({ httpCode: '500' });
	expect(workspace.requests()).toHaveLength(1);
});

describe('Test of a credential', () => {
	const press = async (kind: 'apiKey' | 'serviceAccount', changes: IDataObject = {}) => {
		const [[type = '', data] = []] = Object.entries(workspace[kind]);
		return await nodeType.methods.credentialTest.testWorkspaceAccess.call(
			new CredentialTestContext({} as never),
			{
				id: '1',
				name: 'Test',
				type,
				data: { ...data, ...changes } as ICredentialDataDecryptedObject,
			},
		);
	};

	test.each(['apiKey', 'serviceAccount'] as const)('%s: good', async (kind) => {
		expect((await press(kind)).status).toBe('OK');
	});

	test.each([
		['apiKey', { apiKey: 'wrong-key-of-nobody' }, "Check 'API Key'"],
		['apiKey', { apiKey: '' }, "'API Key' is empty"],
		['apiKey', { workspaceId: 'wsp_unknown' }, "Check 'Workspace ID'"],
		['apiKey', { workspaceId: '' }, "'Workspace ID' is empty"],
		['apiKey', { baseUrl: 'http://127.0.0.1:9/api/v1' }, "Check 'Base URL'"],
		['apiKey', { baseUrl: 'http://127.0.0.1:9/api' }, 'must end in /api/v1'],
		['apiKey', { baseUrl: 'nonsense' }, "'Base URL' is not a valid address"],
		['serviceAccount', { clientSecret: 'wrong-secret' }, "'Client Secret'"],
		['serviceAccount', { clientId: 'nobody' }, "'Client ID'"],
		['serviceAccount', { realm: 'elsewhere' }, "'Realm'"],
		['serviceAccount', { authUrl: 'http://127.0.0.1:9' }, "'Auth URL'"],
		['serviceAccount', { workspaceId: 'wsp_unknown' }, "Check 'Workspace ID'"],
	] as const)('%s with %j says which', async (kind, changes, message) => {
		const result = await press(kind, changes);
		expect(result).toEqual({ status: 'Error', message: expect.stringContaining(message) });
		expect(result.message).not.toContain(workspace.service.clientSecret);
		expect(result.message).not.toContain(workspace.service.apiKey);
	});

	test('a revoked account', async () => {
		const { clientId, clientSecret } = workspace.service.control.createAccount();
		expect((await press('serviceAccount', { clientId, clientSecret })).status).toBe('OK');
		workspace.service.control.revokeAccount({ clientId });
		expect((await press('serviceAccount', { clientId, clientSecret })).message).toContain(
			'may have been revoked',
		);
	});

	test.each([
		[200, 'is not the workspace service'],
		[404, 'does not offer the API at this address'],
		[403, 'A web page answered, not the service'],
		[502, 'does not offer the API at this address'],
		[302, 'redirects to another address'],
	])('another web server that answers %i', async (status, message) => {
		const server = await startWebServer((_request, response) => {
			response.writeHead(status, { 'content-type': 'text/html', location: '/elsewhere' });
			response.end('<html><title>Some page</title></html>');
		});
		const result = await press('apiKey', { baseUrl: `${server.url}/api/v1` });
		await server.close();
		expect(result).toEqual({ status: 'Error', message: expect.stringContaining(message) });
		expect(result.message).toContain("'Base URL'");
	});

	const problem = (kind: string, detail?: string) => ({
		type: `https://errors.example.com/${kind}`,
		title: 'Refused',
		...(detail && { detail }),
	});
	test.each<[number, unknown, string, string?]>([
		[404, { title: 'Not found', detail: 'Workspace w1 does not exist' }, "'Workspace ID'"],
		[404, problem('workspace-not-found'), "'Workspace ID'"],
		[404, problem('not-found', 'Cannot GET /api/v1/workspaces/w1/cards'), "'Base URL'"],
		[404, problem('not-found'), "'Base URL'", "'Workspace ID'"],
		[404, { title: 'Not Found' }, "'Base URL'"],
		[400, problem('invalid-workspace-id'), "'Workspace ID'"],
		[403, problem('forbidden'), "'Workspace ID'"],
		[403, problem('workspace-access-denied', 'The key is of another workspace'), "'Workspace ID'"],
		[403, problem('invalid-api-key'), "'API Key'"],
		[401, problem('unauthorized', 'No such workspace key'), "'API Key'"],
		[503, problem('maintenance'), 'status 503'],
		[500, problem('workspace-database-down'), 'status 500'],
		[500, { title: 'The workspace is away' }, 'status 500'],
		[418, problem('other', 'Nothing that names an entry'), 'status 418'],
		[300, problem('moved'), "'Base URL'"],
		[399, problem('moved'), "'Base URL'"],
		[404, problem('not-found', 'No such route'), 'does not offer the API', "'Base URL'"],
		[404, problem('not-found', 'This path is unknown'), 'does not offer the API', "'Base URL'"],
		[404, problem('not-found', 'Unknown endpoint'), 'does not offer the API', "'Base URL'"],
		[404, problem('not-found', 'Check the URL'), 'does not offer the API', "'Base URL'"],
		[404, problem('not-found', 'Cannot find it'), 'does not offer the API', "'Base URL'"],
		[403, problem('forbidden', 'This token may not'), "'API Key'"],
		[403, problem('forbidden', 'The credential was revoked'), "'API Key'"],
		[200, { ...problem('maintenance', 'Back soon'), status: 503 }, 'status 503', 'Back soon'],
		// A path in the words is that of the request, and says nothing about the cause.
		[403, problem('forbidden', 'GET /api/workspaces/w1/keys is refused'), "'Workspace ID'"],
		[400, problem('other', 'GET /api/workspaces/w1/cards is refused'), 'status 400'],
	])('a service that answers %i with %j', async (status, body, ...wanted) => {
		workspace.service.control.fail({ path: '/cards$', status, body: 'json', json: body });
		const { message } = await press('apiKey');
		for (const word of wanted) expect(message).toContain(word);
		const entries = ["'Base URL'", "'Workspace ID'", "'API Key'"];
		expect(entries.filter((entry) => message.includes(entry))).toHaveLength(
			wanted.filter((word) => entries.includes(word ?? '')).length,
		);
	});

	test('the message is made of whole sentences', async () => {
		const told = async (detail: string) => {
			const json = problem('unauthorized', detail);
			workspace.service.control.fail({ path: '/cards$', status: 401, body: 'json', json });
			return (await press('apiKey')).message;
		};
		const advice = "The API key was not accepted. Check 'API Key'. It answered:";
		expect(await told('It is revoked')).toBe(`${advice} It is revoked.`);
		expect(await told('It is revoked!')).toBe(`${advice} It is revoked!`);
		workspace.service.control.fail({ path: '/cards$', status: 401, body: 'empty' });
		expect((await press('apiKey')).message).toMatch(/It answered: [^.]+\.$/);
		expect(await press('apiKey')).toEqual({
			status: 'OK',
			message: 'Connection successful: the cards of the workspace can be listed.',
		});
	});

	test.each([
		[
			'dropBefore',
			/^The service at 127\.0\.0\.1:\d+ could not be reached: .*\. Check 'Base URL'\.$/,
		],
		['hang', /could not be reached: .*\. Check 'Base URL'\.$/],
	] as const)('a service that does not answer (%s) blames the address', async (mode, message) => {
		hurry();
		workspace.service.control.fail({ path: '/cards$', mode });
		expect(await press('apiKey')).toEqual({
			status: 'Error',
			message: expect.stringMatching(message),
		});
	});

	test('an address that the service redirects to is never asked', async () => {
		const asked: Array<string | undefined> = [];
		const server = await startWebServer((request, response) => {
			asked.push(request.url);
			response.writeHead(302, { location: '/elsewhere' });
			response.end();
		});
		await press('apiKey', { baseUrl: `${server.url}/api/v1` });
		await server.close();
		expect(asked).toHaveLength(1);
	});

	test('a token that the auth server gives and the service refuses blames the realm', async () => {
		workspace.service.control.fail({ path: '/cards$', status: 401 });
		const { message } = await press('serviceAccount');
		expect(message).toContain("Check 'Auth URL', 'Realm' and 'Base URL'");
		expect(message).not.toContain("'API Key'");
	});

	test('a token of before that the auth server quotes is not shown', async () => {
		const token = 'token-that-was-given-before';
		const refusal = { error: 'invalid_client', error_description: `Not with ${token}` };
		let asked = 0;
		const server = await startWebServer((_request, response) => {
			asked += 1;
			response.writeHead(asked === 1 ? 200 : 400, { 'content-type': 'application/json' });
			response.end(
				JSON.stringify(asked === 1 ? { access_token: token, expires_in: 300 } : refusal),
			);
		});
		const credentials = structuredClone(workspace.serviceAccount);
		for (const data of Object.values(credentials)) Object.assign(data, { authUrl: server.url });
		await expect(listSearch.searchCards.call(editor({}, credentials))).rejects.toThrow();
		const { status, message } = await press('serviceAccount', { authUrl: server.url });
		await server.close();
		expect(status).toBe('Error');
		expect(message).toContain('Not with');
		expect(message).not.toContain(token);
	});

	test('a key that was pasted with a line end is not quoted', async () => {
		const apiKey = 'wsd_live_of_nobody';
		workspace.service.control.fail({
			path: '/cards$',
			status: 401,
			body: 'json',
			json: { title: 'No', detail: `The key ${apiKey} is wrong` },
		});
		const { message } = await press('apiKey', { apiKey: `${apiKey}\n` });
		expect(message).toContain("'API Key'");
		expect(message).not.toContain(apiKey);
	});
});

test('a field type called like a method of objects is entered as text', async () => {
	workspace.service.control.fail({
		method: 'GET',
		path: '/fields$',
		mode: 'answer',
		status: 200,
		body: 'json',
		json: { fields: [{ id: 'f1', name: 'Odd', type: 'constructor' }] },
	});
	const { fields } = await resourceMapping.getColumns.call(editor({ cardId: byId(card.id) }));
	expect(fields).toMatchObject([{ id: 'Odd', type: 'string' }]);
});
