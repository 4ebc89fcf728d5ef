/** What is the same value, in the node as people run it: rows of part H about values. */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { startOtherService, type OtherService } from '../support/otherService';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Values',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Amount', type: 'number' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Status', type: 'single_select', options: ['Open', 'Done'] },
		{ name: 'Tags', type: 'multi_select', options: ['a', 'Red, white'] },
	],
	(made) => ({ workspace, card } = made),
);
const { run, answer } = recordRuns(() => ({ workspace, card }));
const sent = () => workspace.requests().filter((request) => !request.startsWith('GET'));
const where = (field: string, condition: string, value: unknown) => ({
	filters: { conditions: [{ field, condition, value }] } as IDataObject,
});

let other: OtherService;
afterEach(async () => await other?.close());
const start = async (fields: OtherService['fields'], data: IDataObject[] = []) =>
	(other = await startOtherService(fields, data));
/** A record operation on a card of the other service. */
const runOther = async (operation: string, parameters: IDataObject, items: IDataObject[] = [{}]) =>
	await runAction({
		credentials: other.credentials,
		items,
		parameters: { resource: 'record', operation, cardId: byId('c'), ...parameters },
	});
const bodies = () => other.changes.map(({ body }) => body);
const methods = () => other.changes.map(({ method }) => method);
const deleted = (result: { json: IDataObject[] }) => result.json.map(({ id }) => id);

describe('a field of a type that the node does not know', () => {
	const ZIP = [
		{ id: 'k', name: 'Key', type: 'text' },
		{ id: 'z', name: 'Zip', type: 'postal' },
	];

	test('one record for one key, written in the order of the items (H1)', async () => {
		await start(ZIP);
		const items = ['12345', 'SW1A', '1', null].map((Zip) => ({ Key: 'k1', Zip }));
		const { json, error } = await runOther('upsert', { columns: mapAutomatically(['Key']) }, items);
		expect(error).toBeUndefined();
		expect(bodies()).toEqual(
			items.map(({ Zip }, place) => ({ data: { ...(place === 0 && { k: 'k1' }), z: Zip } })),
		);
		expect(json.map(({ action }) => action)).toEqual(['created', 'updated', 'updated', 'updated']);
		expect(other.records.map(({ data }) => data)).toEqual([{ k: 'k1', z: null }]);
	});

	test('matches by the text of a value, as a text and as a number (H1)', async () => {
		await start(ZIP, [{ k: 'a', z: 5 }]);
		const items = [
			{ Key: 'b', Zip: '5' },
			{ Key: 'c', Zip: 5 },
		];
		const { error } = await runOther('upsert', { columns: mapAutomatically(['Zip']) }, items);
		expect(error).toBeUndefined();
		expect(methods()).toEqual(['PATCH', 'PATCH']);
		expect(other.records.map(({ data }) => data.k)).toEqual(['c']);
	});

	test.each([
		['12', 12],
		['-0.5', -0.5],
		['007', '007'],
		['2026-03-31T10:00:00Z', '2026-03-31T10:00:00Z'],
		['any text', 'any text'],
		[' 12', ' 12'],
	])('whose records hold numbers: %j is sent as %j (H22)', async (value, expected) => {
		await start(ZIP, [{ z: 7 }, { z: null }]);
		const { error } = await runOther('create', { columns: mapEach({ Zip: value }) });
		expect(error).toBeUndefined();
		expect(bodies()).toEqual([{ data: { z: expected } }]);
	});
});

describe('choices that look like other choices’ labels', () => {
	const RATING = [
		{
			id: 'f',
			name: 'Rating',
			type: 'select',
			options: [0, 1, 2, 3, 4].map((value) => ({ value, label: String(value + 1) })),
		},
	];
	const RATED = [0, 1, 2, 3, 4].map((f) => ({ f }));

	test('Delete Many deletes what is shown as 2, and nothing else (H2)', async () => {
		await start(RATING, RATED);
		expect(deleted(await runOther('deleteMany', where('Rating', 'equals', '2')))).toEqual(['r1']);
		expect(methods()).toEqual(['DELETE']);
	});

	test('a value from a record goes back as it came (H2)', async () => {
		await start(RATING, RATED);
		const { json } = await runOther('getAll', { returnAll: true });
		const update = { recordId: byId('={{ $json.id }}'), columns: mapAutomatically() };
		const { error } = await runOther('update', update, json);
		expect(error).toBeUndefined();
		expect(other.records.map(({ data }) => data)).toEqual(RATED);
	});

	test.each(
		['create', 'getAll', 'upsert'].flatMap((operation) => [
			{ operation, ids: ['1', '2'], shown: ["'1'", "'2'"] },
			// The listing does not tell whether records hold the name or the ID: as a text, they look alike.
			{ operation, ids: [1, 2], shown: ['1', '2'] },
		]),
	)(
		'$operation refuses what fits two choices of the IDs $ids (H2)',
		async ({ operation, ids: [first, second], shown }) => {
			const options = [
				{ id: first, name: '2' },
				{ id: second, name: '1' },
			];
			await start([{ id: 'f', name: 'Rating', type: 'select', options }]);
			const columns = mapEach({ Rating: '1' }, { matchingColumns: ['Rating'] });
			const { error } = await runOther(operation, { columns, ...where('Rating', 'equals', '1') });
			expect(error?.message).toMatch(
				operation === 'getAll'
					? /^'1' matches 2 choices of field 'Rating' \('Value' of a condition in 'Filters'\)$/
					: /^'1' matches 2 choices of field 'Rating'$/,
			);
			expect(error?.description).toContain(
				`'1' (stored as ${shown[1]}) and '2' (stored as ${shown[0]})`,
			);
			expect(bodies()).toEqual([]);
		},
	);
});

describe('choices that a field lacks', () => {
	const add = async (values: IDataObject[]) =>
		await runOther(
			'create',
			{ columns: mapAutomatically(), options: { missingChoices: 'add', maxParallel: 1 } },
			values,
		);

	test.each([
		['an object with another list', { options: { allowed: ['Open'], default: 'Open' } }],
		['a map', { options: { Open: 1 } }],
		['an object further in', { options: { select: { choices: ['Open'] } } }],
		['entries of another form', { options: [['Open']] }],
	])('are not added to a list that is not recognized: %s (H3)', async (_what, shape) => {
		await start([{ id: 's', name: 'Status', type: 'select', ...shape }]);
		const { error } = await add([{ Status: 'Late' }]);
		expect(error?.message).toContain('in a form that this node does not know');
		expect(bodies()).toEqual([]);
	});

	test('are added under the key that the list was read from (H3)', async () => {
		await start([{ id: 's', name: 'Status', type: 'select', options: null, choices: ['Open'] }]);
		await add([{ Status: 'Late' }]);
		expect(bodies()[0]).toEqual({ choices: ['Open', 'Late'] });
	});

	test('a choice that somebody else adds in between survives (H4)', async () => {
		await start(() => [
			{ id: 's', name: 'Status', type: 'select', options: ['Open'] },
			{
				id: 't',
				name: 'Tags',
				type: 'multi_select',
				// As soon as the first field was changed.
				options: other.changes.length > 0 ? ['a', 'theirs'] : ['a'],
			},
		]);
		await add([{ Status: 'Late', Tags: ['b'] }]);
		expect(bodies().slice(0, 2)).toEqual([
			{ options: ['Open', 'Late'] },
			{ options: ['a', 'theirs', 'b'] },
		]);
	});

	test('Field Update keeps a choice with commas (H5)', async () => {
		const { fields } = (await workspace.send('GET', `/cards/${card.id}/fields`)) as {
			fields: Array<{ id: string; name: string }>;
		};
		const id = fields.find(({ name }) => name === 'Tags')?.id ?? '';
		workspace.service.control.resetRequests();
		const { error } = await runAction({
			credentials: workspace.apiKey,
			items: [{}],
			parameters: {
				resource: 'field',
				operation: 'update',
				cardId: byId(card.id),
				fieldId: byId(id),
				updateFields: { choices: 'a, Red, white, new' },
			},
		});
		expect(error).toBeUndefined();
		const listed = (await workspace.send('GET', `/cards/${card.id}/fields`)) as {
			fields: Array<{ id: string; options: Array<string | { name: string }> }>;
		};
		const options = listed.fields.find((field) => field.id === id)?.options ?? [];
		const names = options.map((one) => (typeof one === 'object' ? one.name : one));
		expect(names).toEqual(['a', 'Red, white', 'new']);
	});
});

describe('records are chosen by exact values', () => {
	test.each<[string, unknown, string[], string[]]>([
		['equals', '={{ 7 }}', ['7', '7.0', '007', '0x7'], ['7']],
		[
			'equals',
			'2026-03-31T15:00:00Z',
			['2026-03-31T15:00:00Z', '2026-03-31T17:00:00+02:00'],
			['2026-03-31T15:00:00Z'],
		],
		['greaterThan', '10', ['N/A', '9', '11'], ['11']],
		['isAnyOf', '={{ ["7", "x"] }}', ['7', '7.0', 'x'], ['7', 'x']],
	])('Delete Many: a text %s %j (H6)', async (condition, value, texts, gone) => {
		await workspace.records(
			card.id,
			texts.map((Key) => ({ Key })),
		);
		const { error } = await run('deleteMany', where('Key', condition, value));
		expect(error).toBeUndefined();
		const left = (await workspace.rows(card.id)).map(({ Key }) => Key);
		expect(left).toEqual(texts.filter((text) => !gone.includes(text)));
	});

	test('Delete Many: the record’s own ID equals 100, not 1e2 (H6)', async () => {
		answer('GET', '/records$', {
			records: ['1e2', '100', '0100'].map((id) => ({ id, data: {}, created_at: null })),
			next_cursor: null,
		});
		workspace.service.control.fail({
			method: 'DELETE',
			path: '/records/',
			mode: 'answer',
			status: 204,
		});
		expect(deleted(await run('deleteMany', where('id', 'equals', '100')))).toEqual(['100']);
	});

	test('Delete Many touches exactly the one of two times that differ in microseconds (H9)', async () => {
		const times = ['2026-03-31T15:00:00.000001Z', '2026-03-31T15:00:00.000002Z'];
		await workspace.records(
			card.id,
			times.map((At) => ({ At })),
		);
		await run('deleteMany', where('At', 'equals', times[0]));
		expect(await workspace.rows(card.id)).toEqual([{ At: times[1] }]);
	});

	test('Create or Update touches exactly the one of two times that differ in microseconds (H9)', async () => {
		const times = ['2026-03-31T15:00:00.000001Z', '2026-03-31T15:00:00.000002Z'];
		await workspace.records(
			card.id,
			times.map((At) => ({ At })),
		);
		const { json } = await run('upsert', { columns: mapAutomatically(['At']) }, [
			{ At: times[1], Key: 'second' },
		]);
		expect(json.map(({ action }) => action)).toEqual(['updated']);
		expect(await workspace.rows(card.id)).toEqual([
			{ At: times[0] },
			{ At: times[1], Key: 'second' },
		]);
	});

	test.each(['id', 'created_at'])(
		'Delete Many by %s is refused where a field has that name (H14)',
		async (name) => {
			const fields = [{ id: 'f1', name, type: 'text' }];
			await start(fields, [{ f1: 'r0' }, { f1: 'x' }]);
			const { error } = await runOther('deleteMany', where(name, 'equals', 'r0'));
			expect(error?.message).toBe(
				`'${name}' in a filter is both a property of the record and a field of the card`,
			);
			expect(error?.description).toContain('f1');
			expect(bodies()).toEqual([]);
		},
	);

	test.each(['getAll', 'count', 'ifExists', 'ifNotExists', 'updateMany', 'deleteMany'])(
		'%s refuses a condition without its value (H6)',
		async (operation) => {
			await workspace.records(card.id, [{ Key: 'a' }, {}]);
			workspace.service.control.resetRequests();
			for (const condition of ['equals', 'notEquals', 'isAnyOf', 'greaterThan', 'inLastDays']) {
				const more = operation === 'updateMany' ? { columns: mapEach({ Amount: 1 }) } : {};
				const { error } = await run(operation, { ...where('Key', condition, ''), ...more });
				expect(error?.message).toBe("'Value' is empty in a condition of 'Filters'");
			}
			expect(sent()).toEqual([]);
		},
	);
});

describe('times without an offset', () => {
	const AT = [{ id: 'a', name: 'At', type: 'datetime' }];
	const STORED = '2026-03-31T15:00:00';

	test('Get Many → Update sends back what came (H8)', async () => {
		await start(AT, [{ a: STORED }]);
		const { json } = await runOther('getAll', { returnAll: true });
		const update = { recordId: byId('={{ $json.id }}'), columns: mapAutomatically() };
		const { error } = await runOther('update', update, json);
		expect(error).toBeUndefined();
		expect(bodies()).toEqual([{ data: { a: STORED } }]);
	});

	test('matching on the shown value finds the record (H8)', async () => {
		await start(AT, [{ a: STORED }, { a: '2026-03-31T17:00:00' }]);
		const { json } = await runOther('upsert', { columns: mapAutomatically(['At']) }, [
			{ At: STORED },
		]);
		expect(json.map(({ id, action }) => [id, action])).toEqual([['r0', 'unchanged']]);
		expect(deleted(await runOther('deleteMany', where('At', 'equals', STORED)))).toEqual(['r0']);
	});

	test('a time that clocks skip is refused (H8)', async () => {
		const { error } = await run('create', { columns: mapEach({ At: '2026-03-29T02:30:00' }) });
		expect(error?.message).toBe('Field \'At\' cannot hold "2026-03-29T02:30:00"');
		expect(sent()).toEqual([]);
	});
});

test.each(['12345678901234567890', '9007199254740993', '1.5'])(
	'a record ID given as the number %s is refused, as a text it is sent (H15)',
	async (id) => {
		const { error } = await run('delete', { recordId: byId(`={{ ${id} }}`) });
		expect(error?.message).toContain("'Record' cannot be the number");
		expect(sent()).toEqual([]);
		await run('delete', { recordId: byId(id.replace('.', '')) });
		expect(sent()).toHaveLength(1);
	},
);

describe('If Record Exists', () => {
	const pass = async (item: IDataObject, settings: object = {}) =>
		await run('ifExists', where('Key', 'equals', 'a'), [item], settings);

	test('passes an item with a key `error` on as it came (H16)', async () => {
		await workspace.records(card.id, [{ Key: 'a' }]);
		for (const item of [{ error: 'x' }, { error: 0 }, { id: 1, error: { message: 'y' } }]) {
			expect((await pass(item)).json).toEqual([item]);
		}
	});

	test('where n8n would take the item for a failed one, `error` becomes `error_` (H16)', async () => {
		await workspace.records(card.id, [{ Key: 'a' }]);
		const node = { onError: 'continueErrorOutput' } as const;
		expect((await pass({ error: 'x' }, { node })).json).toEqual([{ error_: 'x' }]);
		expect((await pass({ error: 'x', id: 1 }, { node })).json).toEqual([{ error: 'x', id: 1 }]);
		const retries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		workspace.service.control.resetRequests();
		expect((await pass({ error: 0 }, { node: retries })).json).toEqual([{ error_: 0 }]);
	});
});

test.each(['999999999999999.99', '1e-400', '0.1000000000000000055'])(
	'a number field refuses the text %s, of which it would keep another number (H19)',
	async (text) => {
		const { error } = await run('create', { columns: mapEach({ Amount: text }) });
		expect(error?.message).toBe(`Field 'Amount' cannot hold "${text}"`);
		expect(sent()).toEqual([]);
	},
);

test('all bad values of an item are in one message', async () => {
	const { error } = await run('create', {
		columns: mapEach({ Amount: 'many', At: 'soon', Status: 'Lost' }),
	});
	expect(error?.message).toBe('3 values of this item cannot be sent');
	for (const word of ['many', 'soon', 'Lost']) expect(error?.description).toContain(word);
});

describe('Create From Items into an existing card', () => {
	test.each([
		['a text for yes or no', { Done: '1' }, 'Field \'Done\' cannot hold "1"'],
		['a day for a point in time', { At: '2026-03-31' }, 'Field \'At\' cannot hold "2026-03-31"'],
		['a time without an offset', { At: '2026-03-31T10:00:00' }, "Field 'At' cannot hold"],
	])('refuses %s, so that nothing shifts (H20)', async (_what, item, message) => {
		const name = `Existing ${Date.now()}`;
		await workspace.card(name, [
			{ name: 'Done', type: 'boolean' },
			{ name: 'At', type: 'datetime' },
		]);
		const { error } = await runAction({
			credentials: workspace.apiKey,
			items: [item],
			parameters: {
				resource: 'card',
				operation: 'createFromItems',
				name,
				options: { ifExists: 'reuse' },
			},
		});
		expect(error?.message).toContain(message);
	});
});

test('a field that was chosen from the list and renamed since is deleted by its ID (H24)', async () => {
	const { fields } = (await workspace.send('GET', `/cards/${card.id}/fields`)) as {
		fields: Array<{ id: string; name: string }>;
	};
	const id = fields.find(({ name }) => name === 'Amount')?.id ?? '';
	await workspace.send('PATCH', `/cards/${card.id}/fields/${id}`, { name: 'Price' });
	const { json, error } = await runAction({
		credentials: workspace.apiKey,
		items: [{}],
		parameters: {
			resource: 'field',
			operation: 'delete',
			cardId: byId(card.id),
			fieldId: { __rl: true, mode: 'list', value: id, cachedResultName: 'Amount' },
		},
	});
	expect(error).toBeUndefined();
	expect(json).toEqual([{ deleted: true, id }]);
});

describe('choices that look like numbers (O17)', () => {
	const LEVEL = [
		{ id: 'k', name: 'Key', type: 'text' },
		{
			id: 'l',
			name: 'Level',
			type: 'single_select',
			options: [1, 2, 3].map((id) => ({ id, name: `L${id}` })),
		},
		{ id: 'y', name: 'Years', type: 'multi_select', options: ['2024', '2025'] },
	];
	const create = async (item: IDataObject, options: IDataObject = {}) =>
		await runOther('create', { columns: mapAutomatically(), options }, [item]);

	test.each<[IDataObject, IDataObject]>([
		[{ Level: 3 }, { l: 3 }],
		[{ Level: ['L3'] }, { l: 'L3' }],
		[{ Years: 2024 }, { y: ['2024'] }],
	])('%j is sent as %j', async (item, data) => {
		await start(LEVEL);
		const { error } = await create(item);
		expect(error).toBeUndefined();
		expect(bodies()).toEqual([{ data }]);
	});

	test.each<[IDataObject, string]>([
		[{ Level: '3' }, "'L1', 'L2', 'L3'"],
		[{ Level: true }, "'L1', 'L2', 'L3'"],
		[{ Level: ['L1', 'L2'] }, 'Enter one choice'],
		[{ Years: true }, "'2024', '2025'"],
		[{ Level: [null] }, 'Enter one choice'],
		[{ Years: ['2024', null] }, 'Enter one choice'],
	])('%j is refused', async (item, advice) => {
		await start(LEVEL);
		const { error } = await create(item);
		expect(error?.description).toContain(advice);
		expect(bodies()).toEqual([]);
	});

	test("a text of digits is a new choice where 'If Choice Is Missing' adds it", async () => {
		await start(LEVEL);
		const { error } = await create({ Level: '3' }, { missingChoices: 'add' });
		expect(bodies()[0]).toEqual({
			options: [...[1, 2, 3].map((id) => ({ id, name: `L${id}` })), { name: '3' }],
		});
		expect(error?.description).toContain("'L1', 'L2', 'L3'");
	});
});

describe('times at the edge of the calendar (O22)', () => {
	const create = async (At: unknown, timezone: string) =>
		await run('create', { columns: mapAutomatically() }, [{ At } as IDataObject], {
			timezone,
		});
	test.each([
		['9999-12-31T23:59:59', 'America/New_York', 'beyond the year 9999'],
		['2011-12-30T12:00:00', 'Pacific/Apia', 'skip this time'],
	])('%s in %s is refused with the reason', async (time, zone, reason) => {
		const { error } = await create(time, zone);
		expect(error?.description).toContain(reason);
		expect(sent()).toEqual([]);
	});
	test('with an offset it is sent', async () => {
		const { json } = await create('9999-12-31T23:59:59Z', 'America/New_York');
		expect(json[0]?.fields).toEqual({ At: '9999-12-31T23:59:59Z' });
	});
});

test('an invalid DateTime is refused for a text field, also where fields are created (O22)', async () => {
	for (const unknownFields of ['error', 'create']) {
		const columns = mapEach({ Key: '={{ DateTime.fromISO("no day") }}' });
		const { error } = await run('create', { columns, options: { unknownFields } });
		expect(error?.message).toContain("Field 'Key' cannot hold");
	}
	expect(sent()).toEqual([]);
});
