/** Values and keys at the edge of what JSON and JavaScript carry (B29 and B30). */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { byId, mapAutomatically } from '../support/parameters';
import { startWorkspace, type TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string; fieldIds: Record<string, string> };

beforeAll(async () => {
	workspace = await startWorkspace({ bodyBytes: 8 * 1024 * 1024 });
	card = await workspace.card('Extremes', [
		{ name: 'Number', type: 'number' },
		{ name: 'Text', type: 'long_text' },
		{ name: 'Json', type: 'json' },
	]);
});
afterAll(async () => await workspace.close());

const create = async (fields: IDataObject) =>
	await runAction({
		credentials: workspace.apiKey,
		parameters: {
			resource: 'record',
			operation: 'create',
			cardId: byId(card.id),
			columns: mapAutomatically(),
		},
		items: [{ fields }],
	});
const stored = async () => (await workspace.rows(card.id)).at(-1);

test.each<[string, unknown, unknown]>([
	['Number', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	['Number', 5e-324, 5e-324],
	['Number', -0, 0],
	['Text', '12345678901234567890', '12345678901234567890'],
	['Text', 'zero\u0000, lone \u{1F600}, line\r\nend', 'zero\u0000, lone \u{1F600}, line\r\nend'],
	['Json', { a: null, b: [null, { c: null }] }, { a: null, b: [null, { c: null }] }],
	['Json', [], []],
	['Json', {}, {}],
	['Json', false, false],
	['Json', 0, 0],
])('%s: %j comes back as %j (B30)', async (name, value, expected) => {
	const { json, error } = await create({ [name]: value } as IDataObject);
	expect(error).toBeUndefined();
	expect(json[0]?.fields).toEqual({ [name]: expected });
	expect(await stored()).toEqual({ [name]: expected });
});

test.each([
	['Number', '12345678901234567890', /text field/],
	['Number', '1e400', /number/],
])('%s: %j is refused, as it would change on its way (B30)', async (name, value, advice) => {
	const { error } = await create({ [name]: value });
	expect(error?.message).toContain(`Field '${name}' cannot hold`);
	expect(error?.description).toMatch(advice);
});

test('a text of 5 MB arrives whole (B30)', async () => {
	const text = 'ä'.repeat(2_500_000);
	const { json, error } = await create({ Text: text });
	expect(error).toBeUndefined();
	expect((json[0]?.fields as IDataObject).Text === text).toBe(true);
	expect((await stored())?.Text === text).toBe(true);
});

test('a body that the service finds too large gives its own words', async () => {
	const { error } = await create({ Text: 'x'.repeat(9 * 1024 * 1024) });
	expect(error?.httpCode).toBe('413');
	expect(error?.message).toBe('Body too large');
});

test('keys of JavaScript’s own objects inside a value survive and pollute nothing (B29)', async () => {
	// Text, as n8n itself drops `__proto__` when it copies items.
	const { error } = await create({
		Json: '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}',
	});
	expect(error).toBeUndefined();
	const value = (await stored())?.Json as object;
	expect(Object.keys(value).sort()).toEqual(['__proto__', 'constructor', 'toString']);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

const unspeakable = { toString: 1, valueOf: 1 };
test.each<[string, string, IDataObject]>([
	["'Limit'", 'getAll', { limit: '={{ $json.odd }}' }],
	["'Timeout (Seconds)'", 'getAll', { options: { timeout: '={{ $json.odd }}' } }],
	["'Name Fields By'", 'getAll', { options: { fieldKeys: '={{ $json.odd }}' } }],
	["'Must Match'", 'getAll', { matchType: '={{ $json.odd }}' }],
	["'If Not Found'", 'get', { recordId: byId('r1'), options: { ifNotFound: '={{ $json.odd }}' } }],
	["no field '{", 'getAll', { options: { outputFields: ['={{ $json.odd }}'] } }],
	["'Operation'", unspeakable as unknown as string, {}],
])('an object that has no text is refused by name: %s', async (named, operation, parameters) => {
	const { error } = await runAction({
		credentials: workspace.apiKey,
		parameters: { resource: 'record', operation, cardId: byId(card.id), ...parameters },
		items: [{ odd: unspeakable }],
	});
	expect(error?.message).toContain(named);
});

test('blank names among the output fields are ignored', async () => {
	await create({ Text: 'a', Number: 1 });
	const { json, error } = await runAction({
		credentials: workspace.apiKey,
		parameters: {
			resource: 'record',
			operation: 'getAll',
			cardId: byId(card.id),
			options: { outputFields: '={{ "Text, " }}' },
		},
	});
	expect(error).toBeUndefined();
	expect(json.at(-1)?.fields).toEqual({ Text: 'a' });
});

test.each(['__proto__', 'constructor', 'toString'])(
	'an unknown key %j is unknown, not a method',
	async (key) => {
		const { error } = await create(
			JSON.parse(`{"Text":"a",${JSON.stringify(key)}:"x"}`) as IDataObject,
		);
		expect(error?.message).toContain(`has no field '${key}'`);
	},
);
