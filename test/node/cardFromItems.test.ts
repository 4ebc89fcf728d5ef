/** Create From Items: a card, its fields and its records from the input items. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { runAction, type ActionRun } from '../support/n8n';
import { startStopwatch } from '../support/stopwatch';
import { anyColumn, givenBy, inJson } from '../support/tables';
import { type TestWorkspace, useWorkspace } from '../support/workspace';
import { cases } from '../support/cases';

let workspace: TestWorkspace;
useWorkspace((started) => (workspace = started));

let number = 0;
/** A name that no other card has. */
const newName = () => `Card ${(number += 1)}`;

async function run(
	name: string,
	items: IDataObject[],
	options: IDataObject = {},
	more: Partial<ActionRun> = {},
) {
	return await runAction({
		credentials: workspace.apiKey,
		items,
		parameters: { resource: 'card', operation: 'createFromItems', name, options },
		...more,
	});
}

interface Listed {
	id: string;
	name: string;
	type: string;
	options: string[];
}
const cardsCalled = async (name: string): Promise<string[]> => {
	const { cards } = (await workspace.send('GET', '/cards')) as { cards: Listed[] };
	return cards.filter((card) => card.name === name).map(({ id }) => id);
};
const fieldsOf = async (name: string): Promise<Listed[]> => {
	const [id] = await cardsCalled(name);
	return ((await workspace.send('GET', `/cards/${id}/fields`)) as { fields: Listed[] }).fields;
};
const typesOf = async (name: string) =>
	Object.fromEntries((await fieldsOf(name)).map((field) => [field.name, field.type]));
const rowsOf = async (name: string) => await workspace.rows((await cardsCalled(name))[0] ?? '');
const sent = (method: string) =>
	workspace.requests().filter((request) => request.startsWith(`${method} `));
const hintsOf = ({ run: { data } }: Awaited<ReturnType<typeof run>>) =>
	(data.resultData.runData['Workspace Data']?.[0]?.hints ?? []).map(({ message }) => message);

const people = Array.from({ length: 24 }, (_, index) => ({
	Name: `Person ${index}`,
	Age: 20 + index,
	Code: `00${index}`,
	Phone: `555010${index}`,
	Born: '1990-02-03',
	Seen: '2026-01-31T10:00:00Z',
	Mail: `p${index}@example.com`,
	Site: `https://example.com/${index}`,
	Active: index % 2 === 0,
	State: ['Open', 'Done', 'Late'][index % 3],
	Tags: ['home', 'office'].slice(index % 2),
	Extra: { index },
	Notes: `a\n${index}`,
	Score: index === 5 ? 'N/A' : String(index),
}));

test('a card, typed fields in the order of the items, a record for each item, paired', async () => {
	const name = newName();
	const result = await run(name, people, { maxParallel: 1 });
	expect(result.error).toBeUndefined();
	// The workspace's cards, the description, and the card's fields before and after.
	expect(sent('GET')).toHaveLength(4);
	expect(sent('POST')).toHaveLength(1 + 14 + people.length);
	expect(Object.entries(await typesOf(name))).toEqual([
		['Name', 'text'],
		['Age', 'number'],
		['Code', 'text'],
		['Phone', 'text'],
		['Born', 'date'],
		['Seen', 'datetime'],
		['Mail', 'email'],
		['Site', 'url'],
		['Active', 'boolean'],
		['State', 'single_select'],
		['Tags', 'multi_select'],
		['Extra', 'json'],
		['Notes', 'long_text'],
		['Score', 'text'],
	]);
	expect(await rowsOf(name)).toEqual(people);
	expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
		people.map((_, item) => ({ item })),
	);
	expect(result.json.map(({ fields }) => fields)).toEqual(people);
	const [hint = ''] = hintsOf(result);
	expect(hint).toContain(`'Score' (text: 'N/A' is not a number`);
	expect(hint).toContain(`'Code' (text: '000' would change as a number)`);
});

test('more items than requests at a time wait for each other, and no longer than needed', async () => {
	const name = newName();
	const items = Array.from({ length: 300 }, (_, index) => ({ Number: index }));
	const result = await run(name, items);
	expect(result.json).toHaveLength(300);
	expect(await rowsOf(name)).toHaveLength(300);
});

test('items of several cards: one card for each name', async () => {
	const [one, other] = [newName(), newName()];
	const items = [
		{ card: one, A: 1 },
		{ card: other, B: 'x' },
		{ card: one, A: 2 },
	];
	const { error } = await run('={{ $json.card }}', items);
	expect(error).toBeUndefined();
	expect(await rowsOf(one)).toHaveLength(2);
	expect(await typesOf(other)).toEqual({ card: 'text', B: 'text' });
});

test('records of this node are taken for their fields, other items whole', async () => {
	const name = newName();
	const items = [
		{ id: 'rec_1', created_at: '2026-01-01T00:00:00Z', fields: { Title: 'a' } },
		{ id: 7, action: 'go', Title: 'b' },
	];
	expect((await run(name, items, { maxParallel: 1 })).error).toBeUndefined();
	expect(await rowsOf(name)).toEqual([{ Title: 'a' }, { id: 7, action: 'go', Title: 'b' }]);
});

test('empty cells are no values where the field holds no text, and a row may be empty', async () => {
	const name = newName();
	const items = [{ Number: '12', Text: 'a' }, { Number: '', Text: '' }, { '': '' }];
	expect((await run(name, items, { maxParallel: 1 })).error).toBeUndefined();
	expect(await typesOf(name)).toEqual({ Number: 'number', Text: 'text' });
	expect(await rowsOf(name)).toEqual([{ Number: 12, Text: 'a' }, { Text: '' }, {}]);
});

describe('a card of that name exists', () => {
	test('is an error that names the option, and nothing is changed', async () => {
		const name = newName();
		await workspace.card(name, [{ name: 'Title', type: 'text' }]);
		workspace.service.control.resetRequests();
		const { error } = await run(name.toLowerCase(), [{ Title: 'a' }]);
		expect(error?.message).toBe(`A card called '${name}' exists already`);
		expect(error?.description).toContain("'Reuse the Card' in 'If Card Exists'");
		expect(sent('POST')).toEqual([]);
	});

	test('reuse: missing fields are added, nothing is removed or retyped', async () => {
		const name = newName();
		await workspace.card(name, [
			{ name: 'Old', type: 'number' },
			{ name: 'Title', type: 'long_text' },
		]);
		const { error } = await run(
			name,
			[
				{ Title: 'a', Due: '2026-01-31' },
				{ Title: 5, Due: null },
			],
			{ ifExists: 'reuse', maxParallel: 1 },
		);
		expect(error).toBeUndefined();
		expect(await typesOf(name)).toEqual({ Old: 'number', Title: 'long_text', Due: 'date' });
		expect(await rowsOf(name)).toEqual([{ Title: 'a', Due: '2026-01-31' }, { Title: '5' }]);
	});

	test('reuse: a value that a field would keep in part only is refused', async () => {
		const name = newName();
		await run(name, [{ Code: '12', Day: '2026-01-31' }]);
		const again = { ifExists: 'reuse' };
		const number = await run(name, [{ Code: '007' }], again);
		expect(number.error?.message).toBe('Field \'Code\' cannot hold "007"');
		expect(number.error?.description).toContain('As a number it would become 7');
		const time = await run(name, [{ Day: '2026-01-31T10:00:00Z' }], again);
		expect(time.error?.description).toContain('keeps 2026-01-31 only');
		expect(await rowsOf(name)).toEqual([{ Code: 12, Day: '2026-01-31' }]);
	});

	test('reuse: the same items once more need no change of the card', async () => {
		const name = newName();
		await run(name, people);
		workspace.service.control.resetRequests();
		expect((await run(name, people, { ifExists: 'reuse' })).error).toBeUndefined();
		expect(sent('POST')).toHaveLength(people.length);
		expect(await rowsOf(name)).toHaveLength(2 * people.length);
	});

	test('reuse: new choices are added where the option says so', async () => {
		const name = newName();
		await run(name, people);
		const items = [{ State: 'Paused' }];
		const refused = await run(name, items, { ifExists: 'reuse' });
		expect(refused.error?.description).toContain(
			"'Add to the Field' in the option 'If Choice Is Missing'",
		);
		const added = await run(name, items, { ifExists: 'reuse', missingChoices: 'add' });
		expect(added.error).toBeUndefined();
		const state = (await fieldsOf(name)).find((field) => field.name === 'State');
		expect(state?.options).toEqual(['Open', 'Done', 'Late', 'Paused']);
	});

	test('reuse: two cards of that name are in doubt', async () => {
		const name = newName();
		await workspace.card(name, []);
		await workspace.card(name, []);
		const { error } = await run(name, [{ A: 1 }], { ifExists: 'reuse' });
		expect(error?.message).toBe(`The workspace has 2 cards called '${name}'`);
	});
});

test('without records: one item, the card with its fields', async () => {
	const name = newName();
	const { json, items } = await run(name, people.slice(0, 3), { createRecords: false });
	expect(json).toHaveLength(1);
	expect(json[0]?.name).toBe(name);
	const { fields } = json[0] as { fields: Listed[] };
	expect(fields.map((field) => field.name)).toEqual(Object.keys(people[0] ?? {}));
	expect(items[0]?.pairedItem).toEqual({ item: 0 });
	expect(await rowsOf(name)).toEqual([]);
});

test('a dry run changes nothing, and says what would be done', async () => {
	const name = newName();
	const result = await run(name, people, { dryRun: true });
	expect(result.error).toBeUndefined();
	expect(result.json).toHaveLength(1);
	expect(result.json[0]).toMatchObject({ dry_run: true, action: 'create', id: null, before: null });
	expect((result.json[0]?.after as { fields: unknown[] }).fields[9]).toEqual({
		name: 'State',
		type: 'single_select',
		choices: ['Open', 'Done', 'Late'],
		why: '24 values, 3 different',
	});
	expect(hintsOf(result)[0]).toContain(`Dry run: card '${name}' would be created`);
	expect(workspace.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);

	await workspace.card(name, [{ name: 'Name', type: 'text' }]);
	const again = await run(name, [{ Name: 'a', Age: 3 }], { dryRun: true, ifExists: 'reuse' });
	expect(again.json[0]).toMatchObject({
		action: 'update',
		before: { name, fields: [{ name: 'Name', type: 'text' }] },
		after: {
			name,
			fields: [
				{ name: 'Name', type: 'text' },
				{ name: 'Age', type: 'number' },
			],
		},
	});
	expect(await typesOf(name)).toEqual({ Name: 'text' });
});

describe('a dry run and the real run refuse the same values (M18)', () => {
	const goingOn = { node: { onError: 'continueRegularOutput' } } as const;
	const reuse = { ifExists: 'reuse', maxParallel: 1 };

	test.each([
		['a later item', [{ Qty: 1 }, { Qty: '1,5' }, { Qty: 3 }], [1], 0],
		['the first item', [{ Qty: '1,5' }, { Qty: 2, New: 'x' }], [0], 1],
		['all items', [{ Qty: 'a' }, { Qty: 'b' }], [0, 1], 1],
	])(
		'of %s, with its message, and shows the card all the same',
		async (_, items, refused, shows) => {
			const name = newName();
			await workspace.card(name, [{ name: 'Qty', type: 'number' }]);
			workspace.service.control.resetRequests();
			const dry = await run(name, items, { ...reuse, dryRun: true }, goingOn);
			expect(workspace.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
			const real = await run(name, items, reuse, goingOn);
			const errorsOf = ({ items: output }: typeof dry) =>
				output.flatMap(({ json, pairedItem }) => (json.error ? [[pairedItem, json.error]] : []));
			expect(errorsOf(dry)).toEqual(errorsOf(real));
			expect(errorsOf(dry).map(([pairedItem]) => pairedItem)).toEqual(
				refused.map((item) => ({ item })),
			);
			const previews = dry.items.filter(({ json }) => json.dry_run);
			expect(previews).toMatchObject([{ json: { before: { name } }, pairedItem: { item: shows } }]);
			// In the order of the items.
			const order = dry.items.map(({ pairedItem }) => (pairedItem as { item: number }).item);
			expect(order).toEqual([...order].sort((a, b) => a - b));
		},
	);

	test('so that the run ends with the same message', async () => {
		const name = newName();
		await workspace.card(name, [{ name: 'Qty', type: 'number' }]);
		const items = [{ Qty: 1 }, { Qty: '1,5' }];
		const dry = await run(name, items, { ...reuse, dryRun: true });
		const real = await run(name, items, reuse);
		expect(real.error?.message).toBe('Field \'Qty\' cannot hold "1,5"');
		expect(dry.error?.message).toBe(real.error?.message);
	});
});

test.each([
	['no items with values', [{}, { '': '' }], /The items have no values/],
	['a column without a name', [{ '': 'lost?', A: 1 }], /has no name/],
])('%s: an error before anything is sent', async (_what, items, message) => {
	const { error } = await run(newName(), items);
	expect(error?.message).toMatch(message);
	expect(workspace.requests()).toEqual([]);
});

describe('what goes wrong', () => {
	const items = [{ A: 'a', B: 1, C: 'ada@example.com' }];

	test('the answers to the card and to a field are lost: looked up, not sent again', async () => {
		const name = newName();
		const { control } = workspace.service;
		control.fail({ method: 'POST', path: '/cards$', mode: 'dropAfter' });
		control.fail({ method: 'POST', path: '/fields$', mode: 'dropAfter', skip: 1 });
		expect((await run(name, items)).error).toBeUndefined();
		expect(await cardsCalled(name)).toHaveLength(1);
		expect(Object.keys(await typesOf(name))).toEqual(['A', 'B', 'C']);
		expect(await rowsOf(name)).toEqual(items);
		expect(sent('POST')).toHaveLength(5);
	});

	test('a field that may have arrived and is not listed is not sent again; the message names what exists', async () => {
		const name = newName();
		workspace.service.control.fail({
			method: 'POST',
			path: '/fields$',
			mode: 'dropBefore',
			skip: 1,
		});
		const { error } = await run(name, items);
		expect(error?.message).toBe(
			'The field may have been created: the connection was closed before an answer came',
		);
		expect(error?.description).toContain(`Card '${name}' has the new fields 'A'.`);
		expect(error?.description).toContain("Not created: 'B', 'C'.");
		expect(error?.description).toMatch(/exists now\b.*'Reuse the Card'/);
		expect(sent('POST').filter((request) => request.endsWith('/fields'))).toHaveLength(2);
		// For a minute it may still come; then the run continues where it ended.
		const again = async () => await run(name, items, { ifExists: 'reuse' });
		expect((await again()).error?.message).toBe(
			"Field 'B' may exist already, but the service does not list it",
		);
		const now = Date.now();
		const time = jest.spyOn(Date, 'now').mockImplementation(() => now + 60_001);
		expect((await again()).error).toBeUndefined();
		time.mockRestore();
		expect(await rowsOf(name)).toEqual(items);
	});

	test('a type that the service refuses becomes text, and the hint says so', async () => {
		const name = newName();
		workspace.service.control.fail({
			method: 'POST',
			path: '/fields$',
			status: 422,
			skip: 1,
			json: { title: 'No such type', type: 'about:blank', detail: 'number is not offered.' },
		});
		const result = await run(name, items);
		expect(result.error).toBeUndefined();
		expect(await typesOf(name)).toEqual({ A: 'text', B: 'text', C: 'email' });
		expect(await rowsOf(name)).toEqual([{ ...items[0], B: '1' }]);
		expect(hintsOf(result)[0]).toContain("'B' (text: the service refused number: No such type)");
	});

	test('a description that never comes: the usual types, after no more than Timeout', async () => {
		const name = newName();
		workspace.service.control.fail({ path: '/openapi.json$', mode: 'hang' });
		const elapsed = startStopwatch();
		expect((await run(name, items, { timeout: 1 })).error).toBeUndefined();
		// Without the option it would wait for 10 s.
		expect(elapsed()).toBeLessThan(8_000);
		expect(await typesOf(name)).toEqual({ A: 'text', B: 'number', C: 'email' });
	});

	test('a description that is none: the usual types', async () => {
		const name = newName();
		workspace.service.control.fail({ path: '/openapi.json$', body: 'html', status: 200, times: 5 });
		expect((await run(name, items)).error).toBeUndefined();
		expect(await typesOf(name)).toEqual({ A: 'text', B: 'number', C: 'email' });
	});

	test('a refused record: the message says how far the run came', async () => {
		const name = newName();
		workspace.service.control.fail({ method: 'POST', path: '/records$', status: 422, skip: 1 });
		const { error } = await run(name, [{ A: 1 }, { A: 2 }, { A: 3 }], { maxParallel: 1 });
		expect(error?.description).toContain('1 of 3 items were processed');
		expect(error?.description).toMatch(/Card 'Card \d+' \(.*\) exists now/);
	});

	test('with Continue On Fail one refused record is one item', async () => {
		const name = newName();
		workspace.service.control.fail({ method: 'POST', path: '/records$', status: 422, skip: 1 });
		const { json } = await run(
			name,
			[{ A: 1 }, { A: 2 }, { A: 3 }],
			{ maxParallel: 1 },
			{ node: { onError: 'continueRegularOutput' } },
		);
		expect(json.map(({ error }) => error !== undefined)).toEqual([false, true, false]);
	});

	test('an item that fails before the others come together does not keep them waiting', async () => {
		const name = newName();
		const { json } = await run(
			`={{ $json.A === 2 ? '' : '${name}' }}`,
			[{ A: 1 }, { A: 2 }, { A: 3 }],
			{},
			{ node: { onError: 'continueRegularOutput' } },
		);
		expect(json[1]?.error).toContain("'Name' is empty");
		expect(await rowsOf(name)).toHaveLength(2);
	});
});

test('two runs at once make one card, and each field once', async () => {
	const name = newName();
	const both = [[{ A: 1, B: 2 }], [{ A: 3, C: 4 }]];
	const results = await Promise.all(
		both.map(async (items) => await run(name, items, { ifExists: 'reuse' })),
	);
	expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
	expect(await cardsCalled(name)).toHaveLength(1);
	expect(Object.keys(await typesOf(name)).sort()).toEqual(['A', 'B', 'C']);
	expect(await rowsOf(name)).toHaveLength(2);
});

describe('each shape that the service can have', () => {
	test.each([
		{ fieldOptions: 'idName' },
		{ fieldOptions: 'valueLabel' },
		{ createStatus: 204, updateStatus: 204 },
		{ createStatus: 200, objects: 'named', lists: 'bare' },
		{ objects: 'data', lists: 'items', fieldIdKey: 'field_id', extraProperties: true },
	] as const)('%j', async (variants) => {
		const name = newName();
		workspace.service.control.setVariants(variants);
		const result = await run(name, people, { maxParallel: 1 });
		expect(result.error).toBeUndefined();
		expect(result.json.map(({ fields }) => fields)).toEqual(people);
		workspace.service.control.reset();
		expect(await rowsOf(name)).toEqual(people);
	});
});

test('random tables are read back as they were given', async () => {
	const table = fc
		.tuple(fc.array(anyColumn, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 24 }))
		.map(([columns, count]) =>
			columns.map((values) => Array.from({ length: count }, (_, row) => values[row])),
		);
	await fc.assert(
		fc.asyncProperty(table, async (columns) => {
			const name = newName();
			const rows = (columns[0] ?? []).map((_, row) =>
				Object.fromEntries(columns.map((values, at) => [`Column ${at}`, values[row]])),
			);
			const hasValues = rows.some((row) => Object.values(row).some((value) => value !== undefined));
			// JSON has no `undefined`: an item of n8n lacks the key.
			const items = rows.map((row) => JSON.parse(JSON.stringify(row)) as IDataObject);
			const { error } = await run(name, items, { maxParallel: 1 });
			if (!hasValues) {
				expect(error?.message).toBe('The items have no values');
				return;
			}
			expect(error).toBeUndefined();
			const stored = await rowsOf(name);
			expect(stored).toHaveLength(rows.length);
			for (const [row, shown] of stored.entries()) {
				for (const [at, values] of columns.entries()) {
					const given = values[row] ?? null;
					const read = shown[`Column ${at}`] ?? null;
					// Without a text there is nothing to read back from an empty cell.
					if (given === '' && read === null) continue;
					expect(givenBy(read, given, values)).toEqual(inJson(given));
				}
			}
		}),
		cases(25),
	);
});
