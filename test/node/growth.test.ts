/** Cards, fields and choices that a run adds. */
import { hurry } from '../support/quickTime';
import type { IDataObject } from 'n8n-workflow';
import { type ActionRun, hintsOf, placesOf, succeeded } from '../support/n8n';
import { byId, fromList, mapAutomatically, mapEach } from '../support/parameters';
import { startStopwatch } from '../support/stopwatch';
import { bodies, other, runOther, startOther } from '../support/otherService';
import { GOING_ON, run, runNode } from '../support/runs';
import { card, useCard, useWorkspace, workspace } from '../support/workspace';

describe('fields and choices', () => {
	useCard('Follows', {
		Key: 'text',
		Amount: 'number',
		Status: { type: 'single_select', options: ['Open', 'Done'] },
		Tags: { type: 'multi_select', options: ['home'] },
	});

	const write = async (...[operation, parameters, ...more]: Parameters<typeof run>) =>
		await run(operation, { cardId: fromList(card.id, 'Follows'), ...parameters }, ...more);
	/** Record Create with Map Automatically. */
	const writeItems = async (options: IDataObject, ...items: IDataObject[]) =>
		await write('create', { columns: mapAutomatically(), options }, items);
	/** Record Create with one item whose columns are mapped by hand. */
	const writeValues = async (options: IDataObject, values: IDataObject) =>
		await write('create', { columns: mapEach(values), options });
	const creates = { unknownFields: 'create', maxParallel: 1 };
	const adds = { missingChoices: 'add', maxParallel: 1 };

	const fields = async () => await workspace.fields(card.id);
	const newFields = async () =>
		Object.fromEntries((await fields()).slice(4).map(({ name, type }) => [name, type] as const));
	const choicesOf = async (name: string) =>
		(await fields()).find((field) => field.name === name)?.options;
	const rows = async () => await workspace.rows(card.id);
	const sent = (request: RegExp) => workspace.requests(request);
	const created = () => sent(/^POST .*\/fields$/);
	const changed = () => sent(/^PATCH .*\/fields\//);

	describe('If Field Is Unknown', () => {
		test('Create the Field: once for all items, typed from all of them, before the first record', async () => {
			const items = [
				{ Key: 'a', Size: '1', Day: '2026-01-31', Mixed: 1 },
				{ Key: 'b', Size: '', Mixed: 'x' },
				{ Key: 'c', Size: '2', Flag: true, Mixed: { a: 1 } },
			];
			const { json } = succeeded(await writeItems(creates, ...items));
			const types = { Size: 'number', Day: 'date', Mixed: 'text', Flag: 'boolean' };
			expect(await newFields()).toEqual(types);
			expect(await rows()).toEqual([
				{ Key: 'a', Size: 1, Day: '2026-01-31', Mixed: '1' },
				{ Key: 'b', Mixed: 'x' },
				{ Key: 'c', Size: 2, Mixed: '{"a":1}', Flag: true },
			]);
			expect(json[2]).toMatchObject({ Key: 'c', Size: 2, Mixed: '{"a":1}', Flag: true });
			const requests = workspace.requests();
			const lastField = requests.findLastIndex((one) => /^POST .*\/fields$/.test(one));
			expect(requests.findIndex((one) => /^POST .*\/records$/.test(one))).toBeGreaterThan(
				lastField,
			);
			expect(created()).toHaveLength(4);
			// The same once more: nothing is missing, so only the listing is read.
			workspace.service.control.resetRequests();
			succeeded(await writeItems(creates, ...items.slice(0, 2)));
			expect(created()).toEqual([]);
			expect(sent(/^GET /)).toHaveLength(1);
		});

		test.each([[{ a: 1 }], [['a']]])('%j for a text field that exists is refused', async (Key) => {
			const { error } = await writeItems(creates, { Key, New: 'x' });
			expect(error?.message).toContain("Field 'Key' can't hold");
			expect(workspace.changes()).toEqual([]);
		});

		test('with Continue, a field that is refused is the error of the items that have it; all else is added', async () => {
			workspace.fail('POST', '/fields$', { status: 422 });
			const items = [{ Bad: 1 }, { Key: 'b', Good: 2 }, { Status: 'Late' }, { Status: 'Open' }];
			const parameters = { columns: mapAutomatically(), options: { ...creates, ...adds } };
			const result = await write('create', parameters, items, GOING_ON);
			const [bad, ...others] = result.json;
			expect(bad?.error).toEqual(expect.any(String));
			expect(JSON.stringify(bad)).not.toContain('has no field');
			expect(others).toMatchObject([{ Key: 'b', Good: 2 }, { Status: 'Late' }, { Status: 'Open' }]);
			expect(hintsOf(result).join()).toMatch(
				/Fields were added to card 'Follows': 'Good'.*Choices were/,
			);
		});

		test('of two cards, the first refusal ends all; records are stored in the order of the items', async () => {
			const cards = [card, await workspace.card('B', { Key: 'text' })];
			const items = [0, 1, 2, 3].map((n) => ({ Key: `k${n}`, New: n, c: cards[n % 2]?.id }));
			const columns = mapEach({ Key: '={{ $json.Key }}', New: '={{ $json.New }}' });
			const given = { cardId: byId('={{ $json.c }}'), columns, options: creates };
			workspace.fail('POST', '/fields$', { status: 422 });
			workspace.service.control.resetRequests();
			const { error } = await run('create', given, items);
			expect(error).toBeDefined();
			expect(workspace.changes()).toHaveLength(1);
			workspace.service.control.resetRequests();
			succeeded(await run('create', given, items));
			const stored = sent(/^POST .*\/records$/).map((one) => one.includes(card.id));
			expect(stored).toEqual([true, false, true, false]);
		});

		test('with Continue, a field whose creation got no response is found, used and told', async () => {
			workspace.fail('POST', '/fields$', { mode: 'dropAfter' });
			const parameters = { columns: mapAutomatically(), options: creates };
			const result = await write('create', parameters, [{ New: 1 }, { Key: 'b' }], GOING_ON);
			expect(result.json).toMatchObject([{ New: 1 }, { Key: 'b' }]);
			expect(hintsOf(result).join()).toContain("Fields were added to card 'Follows': 'New'");
		});

		test('with Continue, a dry run tells no field that only refused items need', async () => {
			const columns = mapAutomatically(['Key']);
			const parameters = { columns, dryRun: true, options: creates };
			const result = await write('upsert', parameters, [{ Key: '', New: 1 }], GOING_ON);
			expect(hintsOf(result).join()).not.toContain('would be added');
		});

		test('with Continue, a choice that is refused is the error of the items that have it', async () => {
			workspace.fail('PATCH', '/fields/', { status: 422 });
			const parameters = { columns: mapAutomatically(), options: adds };
			const items = [{ Status: 'Late' }, { Status: 'Open' }, { Tags: 'garden' }];
			const { json } = await write('create', parameters, items, GOING_ON);
			expect(JSON.stringify(json[0])).toContain('Choices were to be added to');
			expect(json.slice(1)).toMatchObject([{ Status: 'Open' }, { Tags: ['garden'] }]);
		});

		test('names that differ in case, or in what nobody sees, are one field', async () => {
			const nbsp = '\u00a0';
			const items: IDataObject[] = [
				{ Key: 'b', [`\ufeffFirst${nbsp}Name `]: 'Ann', 'Cafe\u0301': 1, Size: 'S' },
				{ Key: 'c', 'First Name': 'Bob', Café: 2, ' size\u200b': 'M' },
				{ Key: 'd', 'first\tname': 'Cy', CAFÉ: 3, SIZE: 'L' },
			];
			succeeded(await writeItems(creates, ...items));
			expect(Object.keys(await newFields())).toEqual(['First Name', 'Café', 'Size']);
			expect(await rows()).toEqual([
				{ Key: 'b', 'First Name': 'Ann', Café: 1, Size: 'S' },
				{ Key: 'c', 'First Name': 'Bob', Café: 2, Size: 'M' },
				{ Key: 'd', 'First Name': 'Cy', Café: 3, Size: 'L' },
			]);
		});

		const nameless = 'A column of the items has no name: item 0 has "lost?" in it';
		const sheet: IDataObject[] = [
			{ Key: 'a', New: 1, ' ': 'lost?' },
			{ Key: 'b', New: 2, ' ': '' },
			{ Key: 'c', New: 3, ' ': null },
		];
		const byHand = { Key: '={{ $json.Key }}', New: '={{ $json.New }}', ' ': '={{ $json[" "] }}' };

		test.each([
			['automatically', mapAutomatically()],
			['by hand', mapEach(byHand)],
		])(
			'a column without a name costs only items with a value in it, mapped %s',
			async (_, columns) => {
				const { json } = await write('create', { columns, options: creates }, sheet, GOING_ON);
				expect(json.map(({ error }) => error)).toEqual([nameless, undefined, undefined]);
				expect(JSON.stringify(json[0])).toContain('Give each column a name');
				expect(await newFields()).toEqual({ New: 'number' });
				expect(created()).toHaveLength(1);
				expect(await rows()).toEqual([
					{ Key: 'b', New: 2 },
					{ Key: 'c', New: 3 },
				]);
			},
		);

		test('a field that somebody else made at the same moment: a message says so, and nothing is written', async () => {
			// Another process adds it after the listing was read: here, while the answer to the creation drips.
			workspace.fail('POST', '/fields$', { mode: 'slowBody', byteMs: 4 });
			const running = writeValues(creates, { New: 'x' });
			while (created().length === 0) await new Promise(setImmediate);
			await workspace.send('POST', `/cards/${card.id}/fields`, { name: 'New', type: 'text' });
			const { error } = await running;
			expect(error?.message).toBe("'New' matches 2 fields of card 'Follows'");
			expect(error?.description).toMatch(/Use one of these field IDs instead: fld_\w+/);
			expect(await rows()).toEqual([]);
		});
	});

	describe('If Choice Is Missing', () => {
		const items = [
			{ Key: 'a', Status: 'open', Tags: 'home, garden' },
			{ Key: 'b', Status: 'Late', Tags: ['Smith, John', 'garden'] },
			{ Key: 'c', Status: 'late', Tags: ['home'] },
		];

		test('Add to the Field: one PATCH for each field, before the first record', async () => {
			await workspace.records(card.id, [{ Status: 'Done', Tags: ['home'] }]);
			const { json } = succeeded(await writeItems(adds, ...items));
			expect(changed()).toHaveLength(2);
			expect(json.map(({ Status }) => Status)).toEqual(['Open', 'Late', 'Late']);
			expect(await choicesOf('Status')).toEqual(['Open', 'Done', 'Late']);
			expect(await choicesOf('Tags')).toEqual(['home', 'garden', 'Smith, John']);
			expect((await rows()).slice(1)).toEqual([
				{ Key: 'a', Status: 'Open', Tags: ['home', 'garden'] },
				{ Key: 'b', Status: 'Late', Tags: ['Smith, John', 'garden'] },
				{ Key: 'c', Status: 'Late', Tags: ['home'] },
			]);
		});

		test('existing choices keep their IDs', async () => {
			const listed = ['Open', 'Done'].map((name, n) => ({ id: `o${n}`, name }));
			const status = { id: 's', name: 'Status', type: 'single_select' };
			await startOther(() => {
				const change = other.changes.findLast(({ path }) => path.includes('/fields/'));
				return [{ ...status, options: change?.body?.options ?? listed }];
			});
			other.updateStatus = 204;
			const columns = mapAutomatically();
			const given = [{ Status: 'open' }, { Status: 'Late' }];
			succeeded(await runOther('create', { columns, options: adds }, given));
			expect(bodies()[0]).toEqual({ options: [...listed, { name: 'Late' }] });
			expect(other.records.map(({ data }) => data.s)).toEqual(['Open', 'Late']);
		});

		test.each([{ status: 409 }, { status: 200, body: 'html' }] as const)(
			'refused by %j: the fields that were added before are named',
			async (refusal) => {
				workspace.fail('PATCH', '/fields/', refusal);
				const { error } = await writeValues({ ...creates, ...adds }, { New: 'x', Status: 'Late' });
				expect(error?.description).toContain(
					"Choices were to be added to 'Status' ('Late'). Card 'Follows' has the new fields 'New'.",
				);
				expect(await rows()).toEqual([]);
			},
		);
	});
});

describe('Create From Items', () => {
	useWorkspace();

	let number = 0;
	/** A name that no other card has. */
	const newName = () => `Card ${(number += 1)}`;

	async function run(
		name: string,
		items: IDataObject[],
		{ dryRun = false, ...options }: IDataObject = {},
		more: Partial<ActionRun> = {},
	) {
		const parameters = { resource: 'card', operation: 'createFromItems', name, dryRun, options };
		return await runNode(parameters, items, more);
	}

	const idOf = async (name: string) => (await workspace.cardsCalled(name))[0]?.id ?? '';
	const typesOf = async (name: string) => {
		const fields = await workspace.fields(await idOf(name));
		return Object.fromEntries(fields.map((field) => [field.name, field.type]));
	};
	const rowsOf = async (name: string) => await workspace.rows(await idOf(name));
	const sent = (method: string) => workspace.requests(new RegExp(`^${method} `));

	/** The types of fields: test/rules/values/inferType. */
	const people = Array.from({ length: 6 }, (_, index) => ({
		Name: `Person ${index}`,
		Age: 20 + index,
		Code: `00${index}`,
		Born: '1990-02-03',
		Active: index % 2 === 0,
		Extra: { index },
		Notes: `a\n${index}`,
		Score: index === 5 ? 'N/A' : String(index),
	}));

	test('a card, typed fields in the order of the items, a record for each item, paired', async () => {
		const name = newName();
		const result = succeeded(await run(name, people, { maxParallel: 1 }));
		// The workspace's cards, the description, and the card's fields.
		expect(sent('GET')).toHaveLength(3);
		expect(sent('POST')).toHaveLength(1 + 8 + people.length);
		const fields = await workspace.fields(await idOf(name));
		expect(fields.map((field) => `${field.name} ${field.type}`)).toEqual([
			...['Name text', 'Age number', 'Code text', 'Born date', 'Active boolean', 'Extra json'],
			...['Notes long_text', 'Score text'],
		]);
		expect(await rowsOf(name)).toEqual(people);
		expect(placesOf(result.items)).toEqual([...people.keys()]);
		expect(result.json).toMatchObject(people);
		const [hint = ''] = hintsOf(result);
		expect(hint).toContain(`'Score' (text: 'N/A' isn't a number`);
		expect(hint).toContain(`'Code' (text: '000' would change as a number)`);
	});

	test('items of several cards: one card for each name', async () => {
		const [one, other] = [newName(), newName()];
		const items = [
			{ card: one, A: 1 },
			{ card: other, B: 'x' },
			{ card: one, A: 2 },
		];
		succeeded(await run('={{ $json.card }}', items));
		expect(await rowsOf(one)).toHaveLength(2);
		expect(await typesOf(other)).toEqual({ card: 'text', B: 'text' });
	});

	test('empty cells are no values where the field holds no text, and items without any value are left out', async () => {
		const name = newName();
		const items = [
			{ Number: '12', Text: 'a' },
			{ Number: ' ', Text: '' },
			{ '': '' },
			{ Number: '7' },
		];
		const result = succeeded(await run(name, items, { maxParallel: 1 }));
		expect(await typesOf(name)).toEqual({ Number: 'number', Text: 'text' });
		expect(await rowsOf(name)).toEqual([{ Number: 12, Text: 'a' }, { Number: 7 }]);
		expect(placesOf(result.items)).toEqual([0, 3]);
		expect(hintsOf(result).join()).toContain('2 items without values are left out');
	});

	describe('Field Types', () => {
		const typed = (...values: IDataObject[]) => ({ fieldTypes: { values } });
		const entry = (column: string, type: string, choices?: string): IDataObject => ({
			column,
			type,
			...(choices !== undefined && { choices }),
		});
		test('say what values cannot, in the service’s spelling or plain', async () => {
			const name = newName();
			const items = [
				{ PLZ: '10115', State: 'Open', Tags: 'home, office', Rank: '1' },
				{ PLZ: '20095', State: 'Done', Tags: 'home', Rank: '2' },
			];
			const tags = entry('Tags', 'multi_select', 'home, office, garden');
			const options = typed(entry('PLZ', 'text'), entry('State', 'Single Select'), tags);
			const { json } = succeeded(await run(name, items, options));
			expect(await typesOf(name)).toEqual({
				...{ PLZ: 'text', State: 'single_select', Tags: 'multi_select', Rank: 'number' },
			});
			expect(json[0]).toMatchObject({
				PLZ: '10115',
				State: 'Open',
				Tags: ['home', 'office'],
				Rank: 1,
			});
			const fields = await workspace.fields(await idOf(name));
			expect(fields[1]?.options).toEqual(['Open', 'Done']);
			expect(fields[2]?.options).toEqual(['home', 'office', 'garden']);
			const dry = await run(newName(), items, { ...options, dryRun: true });
			expect(dry.json[0]?.reason).toBe("set in 'Field Types'");
		});

		const PLZ = entry('PLZ', 'text');
		test.each<[string, IDataObject[], string]>([
			['a column that no item has', [PLZ, entry('X', 'text')], "column 'X', which no item has"],
			['two entries for one column', [PLZ, entry('PLZ', 'number')], "two entries for 'PLZ'"],
			['choices for a type without', [entry('PLZ', 'number', 'a, b')], "type 'number' has none"],
			['no column', [entry(' ', 'number')], "Enter a column for entry 1 in 'Field Types'"],
			['no type', [entry('PLZ', '')], "Enter a type for entry 1 in 'Field Types'"],
			['an unknown type', [entry('PLZ', 'postcode')], "which the service doesn't offer"],
		])('%s: refused before anything is sent', async (_what, values, message) => {
			const name = newName();
			for (const dryRun of [true, false]) {
				const { error } = await run(name, [{ PLZ: '10115' }], { ...typed(...values), dryRun });
				expect(error?.message).toContain(message);
				expect(error?.message).toContain('Field Types');
			}
			expect(workspace.changes()).toEqual([]);
			expect(await workspace.cardsCalled(name)).toEqual([]);
		});

		const COMMAS = [{ Preis: '12,50' }, { Preis: '3,99' }, { Preis: '5' }, { Preis: '7,00' }];
		const refused =
			/^'Preis': 3 items, such as "12,50"\. .*select 'Number Format'\.\nNothing was sent\./s;
		test('values that the type does not take are refused before a field is added, in one line', async () => {
			const types = typed(entry('Preis', 'number'));
			const existing = newName();
			await workspace.card(existing, { Preis: 'number' });
			workspace.service.control.resetRequests();
			for (const { error } of [
				await run(newName(), COMMAS, types),
				await run(newName(), COMMAS, { ...types, dryRun: true }),
				await run(existing, COMMAS, { ifExists: 'reuse' }),
			]) {
				expect(error?.message).toBe("Values of 3 items can't be sent");
				expect(error?.description).toMatch(refused);
			}
			expect(workspace.changes()).toEqual([]);
		});

		test('a type that an existing field does not have is refused', async () => {
			const name = newName();
			await workspace.card(name, { Wert: 'number', Text: 'long_text' });
			workspace.service.control.resetRequests();
			for (const dryRun of [true, false]) {
				const options = { ...typed(entry('wert', 'text')), ifExists: 'reuse', dryRun };
				const { error } = await run(name, [{ Wert: 5, New: 1 }], options);
				expect(error?.message).toBe("'Field Types': field 'Wert' exists already, with type number");
			}
			expect(workspace.changes()).toEqual([]);
			const same = typed(...[entry('Wert', 'Number'), entry('Text', 'long text')]);
			const options = { ...same, ifExists: 'reuse' };
			succeeded(await run(name, [{ Wert: 5, Text: 'a' }], options));
		});
	});

	test('rows of a database become a card, and the same rows are synced by their id', async () => {
		const name = newName();
		const rows = [1, 2].map((id) => ({ id, name: `n${id}`, created_at: '2026-01-31T10:00:00Z' }));
		const dry = await run(name, rows, { dryRun: true });
		expect(hintsOf(dry).join()).toContain(
			"'id', 'created_at' of the items would become fields, too",
		);
		const { json } = succeeded(await run(name, rows, { maxParallel: 1 }));
		expect(json[0]).toMatchObject({ 'fields.id': 1, name: 'n1' });
		const sync = { resource: 'record', operation: 'sync', columns: mapAutomatically(['id']) };
		const more = { id: 3, name: 'n3', created_at: '2026-01-31T10:00:00Z' };
		const synced = await runNode({ ...sync, cardId: byId(await idOf(name)) }, [...rows, more]);
		expect(synced.json.map(({ action }) => action)).toEqual(['unchanged', 'unchanged', 'created']);
	});

	describe('a card of that name exists', () => {
		test('is an error that names the option, and nothing is changed', async () => {
			const name = newName();
			await workspace.card(name, { Title: 'text' });
			workspace.service.control.resetRequests();
			const { error } = await run(name.toLowerCase(), [{ Title: 'a' }]);
			expect(error?.message).toBe(`A card called '${name}' exists already`);
			expect(error?.description).toContain(`Card '${name}' (${await idOf(name)}) has 0 records`);
			expect(error?.description).toMatch(/'Sync'.*'Reuse the Card' in 'If Card Exists'/);
			expect(sent('POST')).toEqual([]);
		});

		test('reuse: missing fields are added, nothing is removed or retyped', async () => {
			const name = newName();
			await workspace.card(name, { Old: 'number', Title: 'long_text' });
			const items = [
				{ Title: 'a', Due: '2026-01-31' },
				{ Title: 5, Due: null },
			];
			const reused = await run(name, items, { ifExists: 'reuse', maxParallel: 1 });
			expect(hintsOf(reused)).toEqual([expect.stringContaining("'Due' (date: each is a day")]);
			expect(await typesOf(name)).toEqual({ Old: 'number', Title: 'long_text', Due: 'date' });
			expect(await rowsOf(name)).toEqual([{ Title: 'a', Due: '2026-01-31' }, { Title: '5' }]);
		});
	});

	test('without records: one item, the card with its fields', async () => {
		const name = newName();
		const { json, items } = await run(name, people.slice(0, 3), { createRecords: false });
		expect(json).toHaveLength(1);
		expect(json[0]?.name).toBe(name);
		const { fields } = json[0] as { fields: IDataObject[] };
		expect(fields.map((field) => field.name)).toEqual(Object.keys(people[0] ?? {}));
		expect(items[0]?.pairedItem).toEqual({ item: 0 });
		expect(await rowsOf(name)).toEqual([]);
	});

	test('without records, with Continue: a field that is refused is the error of its items', async () => {
		const name = newName();
		workspace.fail('POST', '/fields$', { status: 422 });
		const more = { createRecords: false };
		const { json } = await run(name, [{ Bad: 1 }, { Good: 2 }], more, GOING_ON);
		expect(json).toMatchObject([{ error: expect.any(String) as string }, { name }]);
		expect(await typesOf(name)).toEqual({ Good: 'number' });
	});

	test('a dry run with Continue counts what a real run makes', async () => {
		const bad = { Day: 'Invalid DateTime' };
		const dry = async (...items: IDataObject[]) =>
			hintsOf(await run(newName(), items, { dryRun: true }, GOING_ON)).join();
		expect(await dry({ Day: '2026-01-01' }, bad)).toContain('with 1 field and 1 record.');
		expect(await dry(bad)).toBe('');
	});

	test('a dry run changes nothing, and says what would be done', async () => {
		const name = newName();
		const result = succeeded(await run(name, people, { dryRun: true }));
		expect(result.json.map(({ field }) => field)).toEqual(Object.keys(people[0] ?? {}));
		expect(result.json[1]).toEqual({
			...{ dry_run: true, action: 'create', field: 'Age', type: 'number' },
			reason: 'each is a number, such as 20',
		});
		expect(hintsOf(result)).toEqual([
			`Dry run: card '${name}' would be created with 8 fields and 6 records. For other types, use 'Field Types'`,
		]);
		expect(workspace.changes()).toEqual([]);

		await workspace.card(name, { Name: 'text' });
		const again = await run(name, [{ Name: 'a', Age: 3 }], { dryRun: true, ifExists: 'reuse' });
		expect(again.json).toMatchObject([{ action: 'create', field: 'Age', type: 'number' }]);
		expect(hintsOf(again)[0]).toBe(
			`Dry run: 1 field and 1 record would be added to card '${name}'. For other types, use 'Field Types'`,
		);
		expect(await typesOf(name)).toEqual({ Name: 'text' });
	});

	const reuse = { ifExists: 'reuse', maxParallel: 1 };

	test.each([
		['a later item', [{ Qty: 1 }, { Qty: '1,5' }, { Qty: 3 }], [1]],
		// Its values don't count for the type of a new field.
		[
			'the first item',
			[
				{ Qty: '1,5', New: 'x' },
				{ Qty: 2, New: 5 },
			],
			[0],
		],
		['all items', [{ Qty: 'a' }, { Qty: 'b' }], [0, 1]],
	])(
		'a dry run refuses values of %s as the real run does, and shows the card',
		async (_, items, refused) => {
			const name = newName();
			await workspace.card(name, { Qty: 'number' });
			workspace.service.control.resetRequests();
			const dry = await run(name, items, { ...reuse, dryRun: true }, GOING_ON);
			expect(workspace.changes()).toEqual([]);
			const real = await run(name, items, reuse, GOING_ON);
			const errorsOf = ({ items: output }: typeof dry) =>
				output.flatMap(({ json, pairedItem }) => (json.error ? [[pairedItem, json.error]] : []));
			expect(errorsOf(dry)).toEqual(errorsOf(real));
			expect(placesOf(dry.items.filter(({ json }) => json.error))).toEqual(refused);
			const previews = dry.items.filter(({ json }) => json.dry_run);
			const isAdded = items.some((item) => 'New' in item);
			expect(previews.map(({ json }) => json)).toMatchObject(
				isAdded ? [{ field: 'New', type: 'number' }] : [],
			);
			expect(placesOf(previews)).toEqual(isAdded ? [0] : []);
			// After the errors of the items.
			if (isAdded) expect(dry.items.at(-1)).toBe(previews[0]);
		},
	);

	test.each([
		['no items with values', [{}, { '': '' }], /The items have no values/],
		['empty items', [{ A: '', B: null }, { A: ' ' }], /The items have no values/],
	])('%s: an error before anything is sent', async (_what, items, message) => {
		const { error } = await run(newName(), items);
		expect(error?.message).toMatch(message);
		expect(workspace.requests()).toEqual([]);
	});

	test.each([
		[
			'a column without a name',
			[{ A: 1 }, { '': 'lost?', A: 1 }],
			/has no name: item 1 has "lost\?" in it$/,
		],
		['a name with and without the prefix', [{ A: 1, 'fields.A': 2 }], /'A' and 'fields\.A'/],
		['names that differ in case', [{ A: 1, a: 2 }], /^'A' and 'a' both refer to field 'A'$/],
	])('%s: an error before a card is created', async (_what, items, message) => {
		const { error } = await run(newName(), items);
		expect(error?.message).toMatch(message);
		expect(workspace.changes()).toEqual([]);
	});

	describe('what goes wrong', () => {
		const items = [{ A: 'a', B: 1, C: 'ada@example.com' }];

		test('a field whose creation got no clear response is not sent again; the message names what exists', async () => {
			const name = newName();
			workspace.fail('POST', '/fields$', { mode: 'dropBefore', skip: 1 });
			const { error } = await run(name, items);
			expect(error?.message).toContain('The field may have been created');
			expect(error?.description).toContain(`Card '${name}' has the new fields 'A'.`);
			expect(error?.description).toContain("Maybe created: 'B'. Not created: 'C'.");
			expect(error?.description).toMatch(/exists now\b.*'Reuse the Card'/);
			expect(sent('POST').filter((request) => request.endsWith('/fields'))).toHaveLength(2);
			succeeded(await run(name, items, { ifExists: 'reuse' }));
			expect(await rowsOf(name)).toEqual(items);
		});

		test('records whose creation got no clear response: the message leads to a key, not to doubles', async () => {
			const name = newName();
			workspace.fail('POST', '/records$', { mode: 'dropAfter', times: 2 });
			const { error } = await run(name, [...items, ...items]);
			expect(error?.description).not.toContain('without records');
			expect(error?.description).toContain("use 'Sync' or 'Create or Update'");
		});

		test('a description that never comes: the usual types, after no more than Timeout', async () => {
			const name = newName();
			workspace.service.control.fail({ path: '/openapi.json$', mode: 'hang' });
			const elapsed = startStopwatch();
			succeeded(await run(name, items, { timeout: 1 }));
			// Without the option it would wait for 10 s.
			expect(elapsed()).toBeLessThan(8_000);
			expect(await typesOf(name)).toEqual({ A: 'text', B: 'number', C: 'text' });
		});

		test('a description that the rate limit refuses first: its types, after the wait', async () => {
			hurry();
			const name = newName();
			const { control } = workspace.service;
			const path = '/openapi.json$';
			control.fail({ path, status: 429, headers: { 'retry-after': '8' } });
			const properties = { type: { enum: ['text', 'email'] } };
			const content = { 'application/json': { schema: { properties } } };
			const fields = { post: { requestBody: { content } } };
			const json = { paths: { '/workspaces/{wid}/cards/{cid}/fields': fields } };
			control.fail({ path, status: 200, body: 'json', json });
			succeeded(await run(name, items));
			expect(await typesOf(name)).toEqual({ A: 'text', B: 'text', C: 'text' });
		});

		const sixty = Array.from({ length: 60 }, (_, n) => ({ Key: `k${n}`, Amount: n }));
		test.each([422, 502])(
			'a record that gets %d: what exists, how to go on without doubles, and Sync goes on',
			async (status) => {
				hurry();
				const name = newName();
				workspace.fail('POST', '/records$', { status, skip: 44 });
				const { error } = await run(name, sixty, { maxParallel: 1 });
				const id = await idOf(name);
				expect(error?.description).toContain('44 of 60 items were processed');
				expect(error?.description).toContain(`Card '${name}' (${id}) exists now, with 44 records`);
				expect(error?.description).toMatch(/use 'Sync' or 'Create or Update' with a field/);
				expect(error?.description).toMatch(/'Reuse the Card' in 'If Card Exists' would add these/);
				const again = await run(name, sixty);
				expect(again.error?.description).toContain(`Card '${name}' (${id}) has 44 records`);
				const sync = { resource: 'record', operation: 'sync', columns: mapAutomatically(['Key']) };
				succeeded(await runNode({ ...sync, cardId: byId(id) }, sixty));
				expect(await rowsOf(name)).toEqual(sixty);
			},
		);

		test("'Retry On Fail' is refused: a second try would add the records again", async () => {
			const name = newName();
			const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
			const { error } = await run(name, sixty, {}, { node });
			expect(error?.message).toContain("'Retry On Fail' is on");
			expect(workspace.requests()).toEqual([]);
		});

		test.each<[string, unknown]>([
			['NaN', NaN],
			['Infinity', Infinity],
			['a date that is none', new Date(NaN)],
			['a number that has lost digits', Number('12345678901234567890')],
		])('%s in a later item: refused before the card is created', async (_, V) => {
			const name = newName();
			const { error } = await run(name, [{ K: 'a', V: 1 }, { K: 'b', V } as IDataObject]);
			expect(error?.message).toContain("Field 'V' can't hold");
			expect(error?.context?.itemIndex).toBe(1);
			expect(workspace.changes()).toEqual([]);
		});
	});

	test('the hint begins with the columns that need a decision, a line each', async () => {
		const items = ['1,234', '5,678'].map((Preis, n) => ({ Name: `n${n}`, Preis, Amount: n }));
		const [hint = ''] = hintsOf(succeeded(await run(newName(), items)));
		expect(hint).toMatch(
			/: 'Preis' \(text: .*select 'Number Format'.*\)<br>'Name' \(text\), 'Amount'/,
		);
	});
});
