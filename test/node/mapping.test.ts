/** Values and names on their way into records, also as people of a country write them, and of fields that were renamed since. */
import type { IDataObject } from 'n8n-workflow';
import { hintsOf, succeeded } from '../support/n8n';
import { byId, byName, mapAutomatically, mapEach, where } from '../support/parameters';
import { bodies, runOther, startOther } from '../support/otherService';
import { run, runCounted } from '../support/runs';
import { card, useCard, workspace } from '../support/workspace';

describe('mapping', () => {
	useCard('Mapping', {
		Title: 'text',
		Amount: 'number',
		Active: 'boolean',
		Due: 'date',
		At: 'datetime',
		Status: { type: 'single_select', options: ['Open', 'Done'] },
		Tags: { type: 'multi_select', options: ['a', 'b, c'] },
		Extra: 'json',
	});

	/** Create, with an item where the columns need one. */
	const write = async (columns: IDataObject, options: IDataObject = {}, item: IDataObject = {}) =>
		await run('create', { columns, options }, [item]);
	const update = async (recordId: string, columns: IDataObject, options: IDataObject = {}) =>
		await run('update', { recordId: byId(recordId), columns, options });

	const stored = async () => (await workspace.rows(card.id))[0];

	test('expressions and text become values of the fields; each kind: test/rules/values/enter', async () => {
		const values = { Amount: '={{ 0 }}', Active: '={{ false }}', Title: '={{ "" }}' };
		const textValues = { At: '2026-07-01T12:00:00', Tags: 'b, c; a', Extra: '{"a":1}' };
		succeeded(await write(mapEach({ ...values, ...textValues })));
		expect(await stored()).toEqual({
			...{ Amount: 0, Active: false, Title: '' },
			// The workflow's time zone is Europe/Berlin.
			...{ At: '2026-07-01T10:00:00.000Z', Tags: ['b, c', 'a'], Extra: { a: 1 } },
		});
	});

	test('an empty list clears a field with one choice, and is left out on create', async () => {
		const [id = ''] = await workspace.records(card.id, [{ Title: 'a', Status: 'Open' }]);
		succeeded(await update(id, mapEach({ Status: '={{ [] }}' })));
		expect(await stored()).toEqual({ Title: 'a' });
		const { json } = succeeded(await write(mapEach({ Title: 'b', Status: '={{ [] }}' })));
		expect(json).toMatchObject([{ Title: 'b', Status: null }]);
	});

	test('fields that a form adds: the message says to ignore them, map by hand or create them', async () => {
		const form = { Title: 'a', submittedAt: '2026-03-31T10:00:00+02:00', formMode: 'test' };
		const { error } = await run('upsert', { columns: mapAutomatically(['Title']) }, [form]);
		expect(error?.message).toContain("has no fields 'submittedAt', 'formMode'");
		expect(error?.description).toMatch(
			/'Ignore' in 'If Field Is Unknown'.*'Map Each Column Manually'.*'Create the Field'/,
		);
		expect(error?.description).not.toMatch(/again/);
	});

	test("null clears; undefined and fields that aren't mapped change nothing", async () => {
		const row = { Title: 'keep', Amount: 1, Status: 'Open' };
		const [id = ''] = await workspace.records(card.id, [row]);
		const columns = mapEach({ Amount: '={{ null }}', Status: '={{ undefined }}' });
		succeeded(await update(id, columns));
		expect(await stored()).toEqual({ Title: 'keep', Status: 'Open' });
	});

	test.each([
		['ignore', { Title: 'old' }],
		['clear', {}],
	])('empty values: %s', async (emptyValues, expected) => {
		const [id = ''] = await workspace.records(card.id, [{ Title: 'old' }]);
		await update(id, mapEach({ Title: '={{ "" }}', Amount: 1 }), { emptyValues });
		expect(await stored()).toEqual({ ...expected, Amount: 1 });
	});

	test('where the service refuses an empty text, the message names the field and Empty Values', async () => {
		workspace.fail('POST', '/records$', { status: 422, json: { title: 'No' } });
		const columns = mapEach({ Title: '={{ "" }}', Amount: 1 });
		const refused = await write(columns);
		expect(refused.error?.description).toContain(
			"Empty text was sent for 'Title'. 'Empty Values' can leave it out, or clear the fields.",
		);
		succeeded(await write(columns, { emptyValues: 'ignore' }));
	});

	test.each<[string, IDataObject]>([
		['create', {}],
		['update', {}],
		['upsert', {}],
		['sync', {}],
		['updateMany', where('Title', 'equals', 'a')],
	])(
		'empty text for a number is refused, and nothing sent: %s %j',
		async (...[operation, more]) => {
			const [id = ''] = await workspace.records(card.id, [{ Title: 'a', Amount: 1 }]);
			const columns = mapAutomatically(/upsert|sync/.test(operation) ? ['Title'] : []);
			const parameters = { recordId: byId(id), columns, ...more };
			const { error } = await runCounted(operation, parameters, [{ Title: 'a', Amount: '' }]);
			const told = `${error?.message} ${error?.description}`;
			expect(told).toContain("Field 'Amount' can't hold empty text");
			expect(told).toContain("'Empty Values'");
			expect(workspace.changes()).toEqual([]);
		},
	);

	test.each(['update', 'upsert'])('empty text changes no empty number: %s', async (operation) => {
		const [id = ''] = await workspace.records(card.id, [{ Title: 'a' }]);
		const columns = mapAutomatically(operation === 'upsert' ? ['Title'] : []);
		const options = operation === 'update' ? { oldValues: true } : {};
		const parameters = { recordId: byId(id), columns, options };
		succeeded(await runCounted(operation, parameters, [{ Title: 'a', Amount: '' }]));
		expect(workspace.changes()).toEqual([]);
	});

	test('unknown fields are left out where the option says so', async () => {
		succeeded(await write(mapEach({ Title: 'a', Nothing: 1 }), { unknownFields: 'ignore' }));
		expect(await stored()).toEqual({ Title: 'a' });
	});

	test.each([
		['nothing mapped', mapEach({})],
		['an empty item', mapAutomatically()],
	])('%s: a message with the label on the screen, and nothing is sent', async (_what, columns) => {
		const { error } = await write(columns);
		expect(error?.message).toBe("No value in 'Values to Send'");
		expect(workspace.requests()).toEqual([]);
	});

	test.each(['create', 'upsert', 'update', 'updateMany', 'sync'])(
		"%s: a mistyped card is named before the values that its mapper couldn't offer",
		async (operation) => {
			const { error } = await run(operation, {
				cardId: byName('Mappping'),
				recordId: byId('rec_1'),
				columns: mapEach({}),
				...where('Title', 'equals', 'a'),
			});
			expect(error?.message).toBe("The workspace has no card called 'Mappping'");
			expect(error?.description).toContain("The cards are 'Mapping'");
		},
	);
});

describe('formats', () => {
	useCard('Formats', {
		Key: 'text',
		Price: 'number',
		Due: 'date',
		At: 'datetime',
		Active: 'boolean',
	});

	const german = { numberFormat: 'comma', dateFormat: 'dayFirst', booleanWords: 'ja, nein' };
	const day = { Due: '03.02.1985', At: '3.2.1985 14:30' };
	const row = { Key: 'a', Price: '1.299,00', ...day, Active: 'Nein' };
	// The workflow's time zone is Europe/Berlin.
	const storedDay = { Due: '1985-02-03', At: '1985-02-03T13:30:00.000Z' };
	const stored = { Key: 'a', Price: 1299, ...storedDay, Active: false };

	const fromItems = async (name: string, items: IDataObject[], options: IDataObject) =>
		await run('createFromItems', { resource: 'card', name, options }, items);

	describe('Number Format, Date Format, Yes and No Words', () => {
		test.each<[string, IDataObject]>([
			['create', { columns: mapAutomatically() }],
			['create', { columns: mapEach(row) }],
			['upsert', { columns: mapAutomatically(['Key']) }],
			['sync', { columns: mapAutomatically(['Key']) }],
			['update', { columns: mapAutomatically() }],
			['updateMany', { columns: mapAutomatically(), ...where('Key', 'equals', 'a') }],
		])('%s reads them', async (operation, parameters) => {
			const [id = ''] =
				operation === 'create' ? [] : await workspace.records(card.id, [{ Key: 'a' }]);
			const more = operation === 'update' ? { recordId: byId(id) } : {};
			succeeded(await run(operation, { ...parameters, ...more, options: german }, [row]));
			expect(await workspace.rows(card.id)).toEqual([stored]);
		});

		test('matching on such a value finds the record, and nothing is sent for equal ones', async () => {
			await workspace.records(card.id, [stored]);
			const columns = mapAutomatically(['Price', 'Due']);
			const { json } = await run('upsert', { columns, options: german }, [row]);
			expect(json[0]?.action).toBe('unchanged');
		});

		test.each<[IDataObject, RegExp]>([
			[{ numberFormat: 'german' }, /'Number Format' can't be 'german'/],
			[{ dateFormat: 'dmy' }, /'Date Format' can't be 'dmy'/],
			...['ja', 'ja, Ja', 'a,b,c', '', 'ja,', ', nein', 'false, true', '0, 1', 'nein, TRUE'].map(
				(booleanWords): [IDataObject, RegExp] => [{ booleanWords }, /'Yes and No Words' can't be/],
			),
		])('%j is refused before anything is sent', async (options, message) => {
			const unknown = { ...options, unknownFields: 'create' };
			const items = [{ ...row, New: 1 }];
			for (const result of [
				await run('create', { columns: mapAutomatically(), options: unknown }, items),
				await run('sync', { columns: mapAutomatically(['Key']), options: unknown }, items),
				await fromItems('Refused', items, options),
			]) {
				expect(result.error?.message).toMatch(message);
			}
			expect(workspace.requests()).toEqual([]);
		});
	});

	describe('Create From Items', () => {
		test('rows of a European file become typed fields, and are synced', async () => {
			const items = [
				['José Peña', '01067', '12,50', '03.02.1985', 'ja'],
				['Zoë', '10115', '1.299,00', '31.12.1999', 'nein'],
				['Åse', '20095', '0,99', '1.1.2026', 'ja'],
			].map(([name, PLZ, Preis, Datum, Aktiv]) => ({
				'\ufeffName': name,
				PLZ,
				Preis,
				Datum,
				Aktiv,
			}));
			const { json } = succeeded(await fromItems('Europe', items, german));
			expect(json[1]).toMatchObject({
				...{ Name: 'Zoë', PLZ: '10115', Preis: 1299, Datum: '1999-12-31', Aktiv: false },
			});
			const [made] = await workspace.cardsCalled('Europe');
			const fieldsNow = await workspace.fields(made?.id ?? '');
			expect(fieldsNow.map(({ name, type }) => `${name}: ${type}`)).toEqual([
				...['Name: text', 'PLZ: text', 'Preis: number', 'Datum: date', 'Aktiv: boolean'],
			]);
			// The same file once more, by Sync: the name of the column has the byte order mark.
			const cardId = byId(made?.id ?? '');
			const sync = { cardId, columns: mapAutomatically(['Name']), options: german };
			const synced = await run('sync', sync, items);
			expect(synced.json.map(({ action }) => action)).toEqual(items.map(() => 'unchanged'));
		});

		test('day numbers of Excel are amounts, unless Field Types says that they are days', async () => {
			const items = [
				{ Due: 46205, 'Amount due': 25_000, 'Start salary': 46205 },
				{ Due: '46206', 'Amount due': 26_000, 'Start salary': 46206 },
			];
			const fieldTypes = { values: [{ column: 'Due', type: 'date' }] };
			const { json } = await fromItems('Excel', items, { dateFormat: 'excel', fieldTypes });
			expect(json).toMatchObject([
				{ Due: '2026-07-02', 'Amount due': 25_000, 'Start salary': 46205 },
				{ Due: '2026-07-03', 'Amount due': 26_000, 'Start salary': 46206 },
			]);
			const { error } = await run('create', { columns: mapEach({ Due: '={{ 46205 }}' }) });
			expect(error?.description).toMatch(
				/looks like Excel's number for 2026-07-02.*'Excel Day Numbers' in 'Date Format'/,
			);
		});

		test('nobody says what 1,234 is: it stays a text, and a number field refuses it with both readings', async () => {
			const items = [{ Total: '1,234' }, { Total: '1,234,567' }];
			const { json } = await fromItems('Doubtful', items, {});
			expect(json).toMatchObject(items);
			const { error } = await run('create', { columns: mapEach({ Price: '1,234' }) });
			expect(error?.description).toContain("'1,234' is 1.234 or 1234: select 'Number Format'");
			expect(await workspace.rows(card.id)).toEqual([]);
		});
	});
});

describe('Fields to Clear: a way to remove values that an empty box in the values leaves alone', () => {
	useCard('Clear', { Key: 'text', Note: 'text', Amount: 'number', Due: 'date' });

	const ROW = { Key: 'a', Note: 'x', Amount: 1, Due: '2026-03-31' };
	let recordId: IDataObject;
	beforeEach(async () => {
		const [id = ''] = await workspace.records(card.id, [ROW]);
		recordId = byId(id);
		workspace.service.control.resetRequests();
	});
	const automatic = mapAutomatically(['Key']);

	test.each<[string, IDataObject]>([
		['update', { columns: mapAutomatically() }],
		['upsert', { columns: automatic }],
		['sync', { columns: automatic }],
		['updateMany', { ...where('Key', 'equals', 'a'), columns: mapEach({ Key: 'a' }) }],
	])('%s clears them, by name or ID, next to other values', async (operation, parameters) => {
		const options = { clearFields: ['Note', card.fieldIds.Due] };
		const given = { recordId, ...parameters, options };
		const result = succeeded(await run(operation, given, [{ Key: 'a' }]));
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Amount: 1 }]);
		expect(hintsOf(result).join()).toContain("cleared 'Note' in 1 record, 'Due' in 1 record");
	});

	test.each([
		['update', mapEach({})],
		['update', mapAutomatically()],
		['updateMany', mapEach({})],
		['updateMany', mapAutomatically()],
	])('%s without any other value', async (operation, columns) => {
		const parameters = { recordId, ...where('Key', 'equals', 'a'), columns };
		const options = { clearFields: 'Note, Amount' };
		succeeded(await run(operation, { ...parameters, options }));
		expect(await workspace.rows(card.id)).toEqual([{ Key: 'a', Due: '2026-03-31' }]);
		// Without the option, there is nothing to write.
		const empty = await run(operation, parameters);
		expect(empty.error?.message).toBe("No value in 'Values to Update'");
	});

	test('a new record has nothing to clear', async () => {
		const options = { clearFields: ['Note'] };
		const { json } = await run('upsert', { columns: automatic, options }, [{ Key: 'n' }]);
		expect(json).toMatchObject([{ action: 'created', Note: null }]);
	});

	test.each<[unknown, IDataObject]>([
		[null, {}],
		['', { emptyValues: 'ignore' }],
		['', { emptyValues: 'clear' }],
	])('%j, which is no value, is no conflict: %j', async (Note, more) => {
		const options = { clearFields: ['Note'], ...more };
		const item = { Key: 'a', Note } as IDataObject;
		succeeded(await run('upsert', { columns: automatic, options }, [item]));
		expect((await workspace.rows(card.id))[0]).not.toHaveProperty('Note');
	});

	test.each<[unknown, IDataObject, string]>([
		['Note', { Note: 'y' }, 'also has a value Remove the field from the option, or its value'],
		['Note', { Note: '' }, "Field 'Note' is in 'Fields to Clear' and also has a value"],
		['Amount', { Amount: 'many' }, "Field 'Amount' is in 'Fields to Clear' and also has a value"],
		['Key', {}, "Field 'Key' is in 'Fields to Clear' and also has a value"],
		['Nota', {}, "has no field 'Nota' Select the field again."],
		['note', {}, "has no field 'note'"],
	])('%j next to %j is refused, and nothing is sent', async (name, values, message) => {
		for (const operation of ['upsert', 'sync']) {
			const options = { clearFields: [name] as string[] };
			const item = { Key: 'a', ...values };
			const { error } = await run(operation, { columns: automatic, options }, [item]);
			const told = `${error?.message} ${error?.description}`;
			expect(told).toContain(message);
			expect(told).toContain("'Fields to Clear'");
		}
		expect(workspace.changes()).toEqual([]);
	});

	test('a field that the service computes is refused', async () => {
		await startOther([
			{ id: 'k', name: 'Key', type: 'text' },
			{ id: 'x', name: 'Total', type: 'number', read_only: true },
		]);
		const given = { columns: mapEach({ Key: 'a' }), options: { clearFields: ['Total'] } };
		const { error } = await runOther('update', { recordId: byId('r'), ...given });
		expect(error?.message).toBe("'Fields to Clear': field 'Total' can't be written");
		expect(error?.description).toContain('The service computes its value. Remove the field');
		expect(bodies()).toEqual([]);
	});
});

describe('conditions, sorting and matching by a field that was renamed since', () => {
	useCard('Renamed', { SKU: 'text', Shop: 'text', Price: 'number' });
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
	const inNorth = where('Shop', 'equals', 'north');
	/** The mapper as the editor saved it before the fields were renamed. */
	const columns = (value: IDataObject, matchingColumns: string[] = []): IDataObject => {
		const schema = Object.entries(card.fieldIds).map(([id, fieldId]) => ({ id, fieldId }));
		return mapEach(value, { matchingColumns, schema });
	};
	const prices = async () =>
		Object.fromEntries(
			(await workspace.rows(card.id)).map(({ Article, Price }) => [Article, Price] as const),
		);

	test('Sync finds the field of its key, and those of its values', async () => {
		const row = { SKU: '={{ $json.sku }}', Price: '={{ $json.price }}' };
		const sync = { columns: columns(row, ['SKU']), missingRecords: 'delete' };
		const { json } = succeeded(await run('sync', sync, [{ sku: 'a', price: 5 }]));
		expect(json).toMatchObject([{ action: 'updated' }, { action: 'deleted' }]);
		expect(await prices()).toEqual({ a: 5 });
	});

	test('a name that another field has by now means that field', async () => {
		rename('Price', 'Shop');
		const { error } = await run('updateMany', { ...inNorth, columns: columns({ SKU: 'x' }) });
		expect(error?.message).toContain('can\'t hold "north"');
		expect((await workspace.rows(card.id)).map(({ Article }) => Article)).toEqual(['a', 'b']);
	});
});
