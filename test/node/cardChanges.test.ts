/** If Field Is Unknown: Create the Field, If Choice Is Missing: Add to the Field, and the choices of Field and Card operations. */
import type { IDataObject } from 'n8n-workflow';
import { runAction, type ActionRun } from '../support/n8n';
import { byId, fromList, mapAutomatically, mapEach } from '../support/parameters';
import { startStopwatch } from '../support/stopwatch';
import { type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: { id: string; fieldIds: Record<string, string> };

useCard(
	'Follows',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
		{ name: 'Tags', type: 'multi_select', options: ['home'] },
	],
	(made) => ({ workspace, card } = made),
);

const write = async (
	operation: string,
	parameters: IDataObject,
	items: IDataObject[],
	more: Partial<ActionRun> = {},
) =>
	await runAction({
		credentials: workspace.apiKey,
		items,
		parameters: {
			resource: 'record',
			operation,
			cardId: fromList(card.id, 'Follows'),
			...parameters,
		},
		...more,
	});
const creates = { unknownFields: 'create', maxParallel: 1 };
const adds = { missingChoices: 'add', maxParallel: 1 };

interface Listed {
	id: string;
	name: string;
	type: string;
	options: string[];
}
const fields = async (): Promise<Listed[]> =>
	((await workspace.send('GET', `/cards/${card.id}/fields`)) as { fields: Listed[] }).fields;
const newFields = async () =>
	Object.fromEntries(
		(await fields()).slice(4).map(({ name, type }): [string, string] => [name, type]),
	);
const choicesOf = async (name: string) =>
	(await fields()).find((field) => field.name === name)?.options;
const rows = async () => await workspace.rows(card.id);
const sent = (request: RegExp) => workspace.requests().filter((one) => request.test(one));
const created = () => sent(/^POST .*\/fields$/);
const changed = () => sent(/^PATCH .*\/fields\//);

describe('If Field Is Unknown', () => {
	test('is an error that names the option', async () => {
		const { error } = await write('create', { columns: mapEach({ Nmae: 'x' }) }, [{}]);
		expect(error?.message).toBe("Card 'Follows' has no field 'Nmae'");
		expect(error?.description).toContain("'Create the Field' in the option 'If Field Is Unknown'");
		expect(created()).toEqual([]);
	});

	test('Create the Field: once for all items, typed from all of them, before the first record', async () => {
		const items = [
			{ Key: 'a', Size: '1', Day: '2026-01-31', Mixed: 1 },
			{ Key: 'b', Size: '', Mixed: 'x' },
			{ Key: 'c', Size: '2', Flag: true, Mixed: { a: 1 } },
		];
		const { error, json } = await write(
			'create',
			{ columns: mapAutomatically(), options: creates },
			items,
		);
		expect(error).toBeUndefined();
		expect(await newFields()).toEqual({
			Size: 'number',
			Day: 'date',
			Mixed: 'text',
			Flag: 'boolean',
		});
		expect(await rows()).toEqual([
			{ Key: 'a', Size: 1, Day: '2026-01-31', Mixed: '1' },
			{ Key: 'b', Mixed: 'x' },
			{ Key: 'c', Size: 2, Mixed: '{"a":1}', Flag: true },
		]);
		expect(json[2]?.fields).toEqual({ Key: 'c', Size: 2, Mixed: '{"a":1}', Flag: true });
		const requests = workspace.requests();
		const lastField = requests.findLastIndex((one) => /^POST .*\/fields$/.test(one));
		expect(requests.findIndex((one) => /^POST .*\/records$/.test(one))).toBeGreaterThan(lastField);
		expect(created()).toHaveLength(4);
		// The same once more: nothing is missing, so only the listing is read.
		workspace.service.control.resetRequests();
		await write('create', { columns: mapAutomatically(), options: creates }, items);
		expect(created()).toEqual([]);
		expect(sent(/^GET /)).toHaveLength(1);
	});

	test('a manual mapping, an update and a match that may or may not be there', async () => {
		const [id = ''] = await workspace.records(card.id, [{ Key: 'a' }]);
		const update = { recordId: byId(id), columns: mapEach({ Site: 'https://example.com' }) };
		expect((await write('update', { ...update, options: creates }, [{}])).error).toBeUndefined();
		const columns = mapAutomatically(['Key']);
		const upsert = await write('upsert', { columns, options: creates }, [
			{ Key: 'a', Rank: 1 },
			{ Key: 'b', Rank: 2 },
		]);
		expect(upsert.json.map(({ action }) => action)).toEqual(['updated', 'created']);
		expect(await newFields()).toEqual({ Site: 'url', Rank: 'number' });
		expect(await rows()).toEqual([
			{ Key: 'a', Site: 'https://example.com', Rank: 1 },
			{ Key: 'b', Rank: 2 },
		]);
	});

	test('Update Many', async () => {
		await workspace.records(card.id, [{ Key: 'a' }, { Key: 'b' }]);
		const filters = { conditions: [{ field: 'Key', condition: 'equals', value: 'b' }] };
		const columns = mapEach({ Checked: true });
		const { error } = await write('updateMany', { filters, columns, options: creates }, [{}]);
		expect(error).toBeUndefined();
		expect(await rows()).toEqual([{ Key: 'a' }, { Key: 'b', Checked: true }]);
	});

	test('names that differ in case, or in what nobody sees, are one field (O18)', async () => {
		await write('create', { columns: mapEach({ key: 'a' }), options: creates }, [{}]);
		expect(await newFields()).toEqual({});
		const nbsp = '\u00a0';
		const items: IDataObject[] = [
			{ Key: 'b', [`\ufeffFirst${nbsp}Name `]: 'Ann', 'Cafe\u0301': 1, Size: 'S' },
			{ Key: 'c', 'First Name': 'Bob', Café: 2, ' size\u200b': 'M' },
			{ Key: 'd', 'first\tname': 'Cy', CAFÉ: 3, SIZE: 'L' },
		];
		const { error } = await write(
			'create',
			{ columns: mapAutomatically(), options: creates },
			items,
		);
		expect(error).toBeUndefined();
		expect(Object.keys(await newFields())).toEqual(['First Name', 'Café', 'Size']);
		expect(await rows()).toEqual([
			{ Key: 'a' },
			{ Key: 'b', 'First Name': 'Ann', Café: 1, Size: 'S' },
			{ Key: 'c', 'First Name': 'Bob', Café: 2, Size: 'M' },
			{ Key: 'd', 'First Name': 'Cy', Café: 3, Size: 'L' },
		]);
	});

	test('two columns of one item for one field are refused, and both are named (O18)', async () => {
		const columns = mapEach({ Key: 'a', Size: 'S', size: 'M' });
		const { error } = await write('create', { columns, options: creates }, [{}]);
		expect(error?.message).toBe("'Size' and 'size' both refer to field 'Size'");
		expect(await rows()).toEqual([]);
	});

	test.each(['label', 'title', 'field_name'] as const)(
		'a service that lists names under %s: one field, however often it runs (O5)',
		async (nameKey) => {
			workspace.service.control.setVariants({ nameKey });
			for (const place of [1, 2, 3]) {
				const columns = mapEach({ Key: `k${place}`, 'My Col': place });
				const { error } = await write('create', { columns, options: creates }, [{}]);
				expect(error).toBeUndefined();
			}
			workspace.service.control.resetVariants();
			expect(Object.keys(await newFields())).toEqual(['My Col']);
			expect((await rows()).map((row) => row['My Col'])).toEqual([1, 2, 3]);
		},
	);

	test('a service that stores My Col as my_col: one field, however often it runs, with a hint (O5)', async () => {
		workspace.service.control.setVariants({ storedNames: 'snakeCase' });
		for (const place of [1, 2, 3]) {
			const columns = mapEach({ Key: `k${place}`, 'My Col': place });
			const { error, run } = await write('create', { columns, options: creates }, [{}]);
			expect(error).toBeUndefined();
			expect(JSON.stringify(run.data.resultData.runData)).toContain(
				"The service calls field 'My Col'",
			);
		}
		expect(Object.keys(await newFields())).toEqual(['my_col']);
		expect((await rows()).map((row) => row.my_col)).toEqual([1, 2, 3]);
	});

	describe('a column without a name (M19)', () => {
		const nameless = 'A column of the items has no name';
		const sheet: IDataObject[] = [
			{ Key: 'a', New: 1, ' ': 'lost?' },
			{ Key: 'b', New: 2, '': '' },
			{ Key: 'c', New: 3, '': null },
		];

		test.each([
			['automatically', mapAutomatically(), sheet],
			[
				'by hand',
				mapEach({ Key: '={{ $json.Key }}', New: '={{ $json.New }}', ' ': '={{ $json.cell }}' }),
				[
					{ Key: 'a', New: 1, cell: 'lost?' },
					{ Key: 'b', New: 2, cell: '' },
					{ Key: 'c', New: 3, cell: null },
				],
			],
		])('costs only the item that has a value in it, mapped %s', async (_, columns, items) => {
			const { json } = await write('create', { columns, options: creates }, items, {
				node: { onError: 'continueRegularOutput' },
			});
			expect(json.map(({ error }) => error)).toEqual([nameless, undefined, undefined]);
			expect(await newFields()).toEqual({ New: 'number' });
			expect(created()).toHaveLength(1);
			expect(await rows()).toEqual([
				{ Key: 'b', New: 2 },
				{ Key: 'c', New: 3 },
			]);
		});

		test('is refused in a dry run and in the real one, without recommending the option that is already set', async () => {
			const given = { columns: mapAutomatically(['Key']), options: creates };
			const dry = { ...given, options: { ...creates, dryRun: true } };
			const preview = await write('upsert', dry, sheet);
			const real = await write('upsert', given, sheet);
			expect(real.error?.message).toBe(nameless);
			expect(preview.error?.message).toBe(nameless);
			for (const { error } of [preview, real]) {
				expect(error?.description).toContain('Give each column a name');
				expect(error?.description).not.toContain('Create the Field');
			}
		});

		test('keeps Sync from its card, and the message names the item', async () => {
			const { error } = await write(
				'sync',
				{ columns: mapAutomatically(['Key']), options: creates },
				sheet,
			);
			expect(error?.message).toBe(`The item with Key 'a': ${nameless}`);
			expect(created()).toEqual([]);
			expect(await rows()).toEqual([]);
		});
	});

	test('two runs at once make each field once', async () => {
		workspace.service.control.setLatency({ ms: 30 });
		const results = await Promise.all(
			['a', 'b', 'c'].map(
				async (Key) =>
					await write('create', { columns: mapAutomatically(), options: creates }, [
						{ Key, New: Key, [`Own ${Key}`]: 1 },
					]),
			),
		);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		expect(Object.keys(await newFields()).sort()).toEqual(['New', 'Own a', 'Own b', 'Own c']);
		expect(await rows()).toHaveLength(3);
	});

	test('a field that somebody else made at the same moment: a message says so, and nothing is written', async () => {
		// Another process adds it after the listing was read: here, while the answer to the creation drips.
		workspace.service.control.fail({
			method: 'POST',
			path: '/fields$',
			mode: 'slowBody',
			byteMs: 4,
		});
		const running = write('create', { columns: mapEach({ New: 'x' }), options: creates }, [{}]);
		while (created().length === 0) await new Promise((resolve) => setImmediate(resolve));
		await workspace.send('POST', `/cards/${card.id}/fields`, { name: 'New', type: 'text' });
		const { error } = await running;
		expect(error?.message).toBe("Card 'Follows' has 2 fields called 'New' now");
		expect(error?.description).toMatch(/Delete all but one of them \(fld_\w+, fld_\w+\)/);
		expect(await rows()).toEqual([]);
	});

	test('a lost answer: the field is looked up, not made twice', async () => {
		workspace.service.control.fail({ method: 'POST', path: '/fields$', mode: 'dropAfter' });
		const { error } = await write('create', { columns: mapEach({ New: 'x' }), options: creates }, [
			{},
		]);
		expect(error).toBeUndefined();
		expect(await newFields()).toEqual({ New: 'text' });
		expect(created()).toHaveLength(1);
	});

	test('a quota that ends the fields: the message names the fields that exist, and no record is written', async () => {
		workspace.service.control.fail({
			method: 'POST',
			path: '/fields$',
			status: 403,
			skip: 1,
			json: { title: 'Quota exceeded' },
		});
		const { error } = await write(
			'create',
			{ columns: mapEach({ New: 'x', Other: 'y', Third: 'z' }), options: creates },
			[{}],
		);
		expect(error?.message).toBe('Quota exceeded');
		expect(error?.description).toContain("Card 'Follows' has the new fields 'New'.");
		expect(error?.description).toContain("Not created: 'Other', 'Third'.");
		expect(await rows()).toEqual([]);
	});

	test('an item that cannot be read does not keep the others waiting', async () => {
		const columns = mapEach({ Key: '={{ $json.key }}', New: '={{ $json.new }}' });
		const { json } = await write(
			'create',
			{ cardId: byId('={{ $json.card }}'), columns, options: creates },
			[
				{ card: card.id, key: 'a', new: 1 },
				{ card: '', key: 'b', new: 2 },
				{ card: card.id, key: 'c', new: 3 },
			],
			{ node: { onError: 'continueRegularOutput' } },
		);
		expect(json[1]?.error).toBe("'Card' is empty");
		expect(await rows()).toEqual([
			{ Key: 'a', New: 1 },
			{ Key: 'c', New: 3 },
		]);
	});

	test('cancelled while another run makes fields: ends at once', async () => {
		workspace.service.control.fail({ method: 'POST', path: '/fields$', mode: 'hang' });
		const columns = mapEach({ New: 'x' });
		let cancelFirst = (): void => {};
		const first = write('create', { columns, options: creates }, [{}], {
			onStarted: ({ cancel }) => (cancelFirst = cancel),
		});
		while (created().length === 0) await new Promise((resolve) => setImmediate(resolve));
		let cancelSecond = (): void => {};
		const second = write('create', { columns, options: creates }, [{}], {
			onStarted: ({ cancel }) => (cancelSecond = cancel),
		});
		while (sent(/^GET .*\/fields$/).length < 3)
			await new Promise((resolve) => setImmediate(resolve));
		const elapsed = startStopwatch();
		cancelSecond();
		await second;
		// The creation that it waits for hangs for 30 s.
		expect(elapsed()).toBeLessThan(5_000);
		cancelFirst();
		await first;
		expect(await rows()).toEqual([]);
	});
});

describe('If Choice Is Missing', () => {
	const items = [
		{ Key: 'a', Status: 'open', Tags: 'home, garden' },
		{ Key: 'b', Status: 'Late', Tags: ['office', 'garden'] },
		{ Key: 'c', Status: 'late', Tags: ['home'] },
	];

	test('is an error that names the option', async () => {
		const { error } = await write('create', { columns: mapEach({ Status: 'Late' }) }, [{}]);
		expect(error?.message).toBe('Field \'Status\' cannot hold "Late"');
		expect(error?.description).toContain("'Add to the Field' in the option 'If Choice Is Missing'");
	});

	test.each(['strings', 'idName', 'valueLabel'] as const)(
		'Add to the Field: one PATCH for each field, with options as %s',
		async (fieldOptions) => {
			const { control } = workspace.service;
			// A record holds a choice: were its option replaced instead of kept, the service would refuse.
			await workspace.records(card.id, [{ Status: 'Done', Tags: ['home'] }]);
			control.setVariants({ fieldOptions: 'idName' });
			const before = (await fields()) as unknown as Array<{ options: Array<{ id: string }> }>;
			control.setVariants({ fieldOptions });
			control.resetRequests();
			const { error, json } = await write(
				'create',
				{ columns: mapAutomatically(), options: adds },
				items,
			);
			expect(error).toBeUndefined();
			expect(changed()).toHaveLength(2);
			expect(json.map((item) => (item.fields as IDataObject).Status)).toEqual([
				'Open',
				'Late',
				'Late',
			]);
			control.setVariants({ fieldOptions: 'idName' });
			const after = (await fields()) as unknown as typeof before;
			expect(after[2]?.options.slice(0, 2)).toEqual(before[2]?.options);
			expect(after[3]?.options.slice(0, 1)).toEqual(before[3]?.options);
			control.reset();
			expect(await choicesOf('Status')).toEqual(['Open', 'Done', 'Late']);
			expect(await choicesOf('Tags')).toEqual(['home', 'garden', 'office']);
			expect((await rows()).slice(1)).toEqual([
				{ Key: 'a', Status: 'Open', Tags: ['home', 'garden'] },
				{ Key: 'b', Status: 'Late', Tags: ['office', 'garden'] },
				{ Key: 'c', Status: 'Late', Tags: ['home'] },
			]);
		},
	);

	test('refused: the fields that were added before are named', async () => {
		workspace.service.control.fail({ method: 'PATCH', path: '/fields/', status: 409 });
		const columns = mapEach({ New: 'x', Status: 'Late' });
		const { error } = await write('create', { columns, options: { ...creates, ...adds } }, [{}]);
		expect(error?.description).toContain(
			"Card 'Follows' has the new fields 'New'. Choices were to be added to 'Status' ('Late').",
		);
		expect(await rows()).toEqual([]);
	});

	test('a choice that the service does not take: the message names it and its field', async () => {
		const columns = mapEach({ Status: 'x'.repeat(2_000) });
		const { error } = await write('create', { columns, options: adds }, [{}]);
		expect(error?.description).toContain(
			`Choices were to be added to 'Status' ('${'x'.repeat(80)}…').`,
		);
		expect(await rows()).toEqual([]);
	});

	test('many that are refused: the message names the first of them', async () => {
		workspace.service.control.fail({ method: 'PATCH', path: '/fields/', status: 409 });
		const columns = mapEach({ Tags: '={{ ["a", "b", "c", "d", "e", "f", "g"] }}' });
		const { error } = await write('create', { columns, options: adds }, [{}]);
		expect(error?.description).toContain("('a', 'b', 'c', 'd', 'e' and 2 more)");
	});

	test('nothing is missing: only the write is sent', async () => {
		const columns = mapEach({ Status: 'Done' });
		await write('create', { columns, options: adds }, [{}]);
		expect(changed()).toEqual([]);
		expect(sent(/^GET /)).toHaveLength(1);
	});

	test('two runs at once: neither takes the choices of the other away', async () => {
		workspace.service.control.setLatency({ ms: 30 });
		const results = await Promise.all(
			['x', 'y', 'z'].map(
				async (Status) =>
					await write('create', { columns: mapEach({ Status }), options: adds }, [{}]),
			),
		);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		expect((await choicesOf('Status'))?.sort()).toEqual(['Done', 'Open', 'x', 'y', 'z']);
	});

	test('with Create the Field: choices of a field that is new come with it', async () => {
		const many = Array.from({ length: 20 }, (_, index) => ({
			Key: `k${index}`,
			Stage: ['One', 'Two'][index % 2],
			Status: 'Later',
		}));
		const { error } = await write(
			'create',
			{ columns: mapAutomatically(), options: { ...creates, ...adds } },
			many,
		);
		expect(error).toBeUndefined();
		expect(await choicesOf('Stage')).toEqual(['One', 'Two']);
		expect(await rows()).toEqual(many);
	});
});

describe('Field: Choices', () => {
	const field = async (operation: string, parameters: IDataObject) =>
		await runAction({
			credentials: workspace.apiKey,
			parameters: { resource: 'field', operation, cardId: byId(card.id), ...parameters },
		});
	const create = { name: 'Stage', type: 'single_select' };

	test.each([
		[['One', ' Two ', '', 'One']],
		['={{ ["One", "Two"] }}'],
		['One, Two'],
		[['={{ ["One", "Two"] }}']],
	])('create with %j', async (choices) => {
		const { error } = await field('create', { ...create, additionalFields: { choices } });
		expect(error).toBeUndefined();
		expect(await choicesOf('Stage')).toEqual(['One', 'Two']);
	});

	test.each(['strings', 'idName', 'valueLabel'] as const)(
		'update: those that stay keep their IDs, with options as %s',
		async (fieldOptions) => {
			const { control } = workspace.service;
			await workspace.records(card.id, [{ Status: 'Done' }]);
			control.setVariants({ fieldOptions: 'idName' });
			const idsBefore = (await fields())[2]?.options;
			control.setVariants({ fieldOptions });
			const { error } = await field('update', {
				fieldId: byId(card.fieldIds.Status ?? ''),
				updateFields: { choices: ['Late', 'Done'] },
			});
			expect(error).toBeUndefined();
			control.setVariants({ fieldOptions: 'idName' });
			expect((await fields())[2]?.options).toEqual([
				expect.objectContaining({ name: 'Late' }),
				idsBefore?.[1],
			]);
		},
	);

	test('next to an execution that adds choices, and to another Update, none that is in use disappears (O7)', async () => {
		const { control } = workspace.service;
		control.setLatency({ ms: 100 });
		const update = async (choices: string[]) =>
			await field('update', {
				fieldId: byId(card.fieldIds.Status ?? ''),
				updateFields: { choices },
			});
		const results = await Promise.all([
			write('create', { columns: mapEach({ Status: 'Late' }), options: adds }, [{}]),
			update(['Open', 'Done', 'One']),
			update(['Open', 'Done', 'Two']),
		]);
		for (const { error } of results) expect(error).toBeUndefined();
		const after = await choicesOf('Status');
		expect(after).toEqual(expect.arrayContaining(['Open', 'Done', 'Late', 'One', 'Two']));
		expect(after).toHaveLength(5);
	});

	test('both ways at once are an error, and an empty list changes nothing', async () => {
		const both = { choices: ['One'], options: '["Two"]' };
		const { error } = await field('create', { ...create, additionalFields: both });
		expect(error?.message).toBe("'Choices' and 'Options (JSON)' are both filled in");
		const none = await field('update', {
			fieldId: byId(card.fieldIds.Status ?? ''),
			updateFields: { choices: [] },
		});
		expect(none.error?.message).toBe("'Update Fields' is empty");
		expect(sent(/^(POST|PATCH) /)).toEqual([]);
	});
});

describe('Card: If Card Exists', () => {
	let number = 0;
	const newName = () => `Own ${(number += 1)}`;
	const create = async (name: string, additionalFields: IDataObject = {}) =>
		await runAction({
			credentials: workspace.apiKey,
			parameters: { resource: 'card', operation: 'create', name, additionalFields },
		});
	const called = async (name: string) =>
		((await workspace.send('GET', '/cards')) as { cards: Listed[] }).cards.filter(
			(one) => one.name === name,
		).length;

	test('reuse gives the card that is there, error refuses it, without it another is made', async () => {
		const name = newName();
		const first = await create(name, { ifExists: 'reuse', description: 'new' });
		const again = await create(name, { ifExists: 'reuse', description: 'other' });
		expect(again.json[0]).toEqual(first.json[0]);
		const { error } = await create(name, { ifExists: 'error' });
		expect(error?.message).toBe(`A card called '${name}' exists already`);
		expect(await called(name)).toBe(1);
		expect((await create(name)).error).toBeUndefined();
		expect(await called(name)).toBe(2);
	});

	test('two at once, and an answer that is lost, make one card', async () => {
		const name = newName();
		workspace.service.control.fail({ method: 'POST', path: '/cards$', mode: 'dropAfter' });
		const both = await Promise.all([
			create(name, { ifExists: 'reuse' }),
			create(name, { ifExists: 'reuse' }),
		]);
		expect(both.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(await called(name)).toBe(1);
	});
});
