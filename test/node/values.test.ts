/** Values, names and identifiers are what they are, or refused by name. */
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { succeeded } from '../support/n8n';
import { byId, fromList, mapAutomatically, mapEach, where } from '../support/parameters';
import { bodies, other, runOther, startOther } from '../support/otherService';
import { run } from '../support/runs';
import { answer, card, useCard, workspace } from '../support/workspace';

describe('exact values', () => {
	useCard('Exactness', {
		Key: 'text',
		Amount: 'number',
		Due: 'date',
		At: 'datetime',
		Status: { type: 'single_select', options: ['Open', 'In Work', 'Done'] },
		Tags: { type: 'multi_select', options: ['red', 'blue'] },
	});

	const keys = async (field: string, condition: string, value: unknown) => {
		const all = { returnAll: true, ...where(field, condition, value) };
		const { json, error } = await run('getAll', all);
		if (error) throw error;
		return json.map(({ Key }) => Key);
	};

	test.each([
		['Due', '={{ DateTime.fromISO("2026-03-31T00:00:00", { zone: "Europe/Berlin" }) }}'],
		['Due', '2026-03-31T23:30:00+02:00'],
		['At', '={{ new Date("2026-03-31T10:00:00Z") }}'],
		// In the time zone of the workflow, which is Berlin's.
		['At', '2026-03-31T12:00:00'],
	])('filters compare values of the field’s type: %s with %s', async (field, value) => {
		await workspace.records(card.id, [
			{ Key: 'before', Due: '2026-03-30', At: '2026-03-31T09:59:59Z' },
			{ Key: 'same', Due: '2026-03-31', At: '2026-03-31T12:00:00+02:00' },
			{ Key: 'after', Due: '2026-04-01', At: '2026-03-31T10:00:01Z' },
		]);
		expect(await keys(field, 'equals', value)).toEqual(['same']);
		expect(await keys(field, 'lessThan', value)).toEqual(['before']);
		expect(await keys(field, 'greaterOrEqual', value)).toEqual(['same', 'after']);
	});

	describe('nothing is changed silently', () => {
		test('an output field is named with its outer spaces', async () => {
			const { id } = await workspace.card('Spaces', { Status: 'text', 'Status ': 'text' });
			await workspace.records(id, [{ Status: 'without', 'Status ': 'with' }]);
			const options = { outputFields: ['Status '] };
			const { json } = await run('getAll', { cardId: byId(id), options });
			expect(json).toMatchObject([{ 'Status ': 'with' }]);
			expect(json[0]).not.toHaveProperty('Status');
		});

		test("an entry of the mapper’s schema that can't be read doesn't bring back hidden values", async () => {
			const schema = [
				{ displayName: 'without an ID' },
				{ id: 'Amount', displayName: null, removed: true },
				{ id: 'Key', displayName: 'Key', fieldId: card.fieldIds.Key },
			];
			const columns = mapEach({ Key: 'a', Amount: 0 }, { schema } as IDataObject);
			succeeded(await run('create', { columns }));
			expect(await workspace.rows(card.id)).toEqual([{ Key: 'a' }]);
		});

		test("data under a deleted ID doesn't pass for the field of that name", async () => {
			answer('GET', '/fields$', { fields: [{ id: 'f2', name: 'Status', type: 'text' }] });
			const data = { f2: 'live', Status: 'of a deleted field', other: 'of another' };
			answer('GET', '/records$', { records: [{ id: 'r1', data }], next_cursor: null });
			const { json } = await run('getAll', { returnAll: true });
			expect(json).toMatchObject([{ Status: 'live', other: 'of another', id: 'r1' }]);
		});
	});

	test('all bad values of an item are named', async () => {
		const { error } = await run('create', {
			columns: mapEach({ Key: 'fine', Amount: 'many', Status: 'Opne', Nothing: 1 }),
		});
		expect(error?.message).toBe("3 values of this item can't be sent");
		expect(error?.description).toContain("Field 'Amount' can't hold \"many\". Enter a number");
		expect(error?.description).toContain(
			"Field 'Status' can't hold \"Opne\". Allowed values are 'Open', 'In Work', 'Done'. Or select 'Add to the Field' in 'If Choice Is Missing'.",
		);
		expect(error?.description).toContain("has no field 'Nothing'. The fields are 'Key'");
		expect(error?.description).toContain("'Create the Field' in 'If Field Is Unknown'");
		expect(workspace.changes()).toEqual([]);
	});

	test.each([
		['upsert', 'Amount'],
		['sync', 'Amount'],
		['upsert', 'Key'],
	])('%s by %s: a key that may have lost digits is refused', async (operation, key) => {
		const options = { unknownFields: 'create' };
		const parameters = { columns: mapAutomatically([key]), missingRecords: 'keep', options };
		const { error } = await run(operation, parameters, [{ [key]: 363228830310334464 }]);
		expect(JSON.stringify(error)).toContain('Enter it as text.');
		expect(workspace.changes()).toEqual([]);
	});

	test.each([null, false, '', 0, 'text', { a: 1 }])(
		'%j under "error" in an object of the service is renamed: n8n would run the node again',
		async (error) => {
			answer('GET', `/cards/${card.id}$`, { id: card.id, name: 'Odd', error });
			const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
			const { json } = await run('get', { resource: 'card' }, [{}], { node });
			expect(json).toEqual([{ id: card.id, name: 'Odd', error_: error }]);
			expect(workspace.requests()).toHaveLength(1);
		},
	);
});

describe('the same value', () => {
	useCard('Values', {
		Key: 'text',
		Amount: 'number',
		At: 'datetime',
		Status: { type: 'single_select', options: ['Open', 'Done'] },
		Tags: { type: 'multi_select', options: ['a', 'Red, white'] },
	});

	const methods = () => other.changes.map(({ method }) => method);
	const deleted = (result: { json: IDataObject[] }) => result.json.map(({ id }) => id);

	describe("a field of a type that the node doesn't know", () => {
		const ZIP = [
			{ id: 'k', name: 'Key', type: 'text' },
			{ id: 'z', name: 'Zip', type: 'postal' },
		];
		const byZip = { columns: mapAutomatically(['Zip']) };

		test('one record for one key, written in the order of the items', async () => {
			await startOther(ZIP);
			const items = ['12345', 'SW1A', '1', null].map((Zip) => ({ Key: 'k1', Zip }));
			const columns = mapAutomatically(['Key']);
			const { json } = succeeded(await runOther('upsert', { columns }, items));
			expect(bodies()).toEqual(
				items.map(({ Zip }, place) => ({ data: { ...(place === 0 && { k: 'k1' }), z: Zip } })),
			);
			const updated = new Array<string>(3).fill('updated');
			expect(json.map(({ action }) => action)).toEqual(['created', ...updated]);
			expect(other.records.map(({ data }) => data)).toEqual([{ k: 'k1', z: null }]);
		});

		test('one record for a key that comes as a text and as a number, new or there', async () => {
			await startOther(ZIP);
			succeeded(await runOther('upsert', byZip, [{ Zip: '5' }, { Zip: 5 }, { Zip: '5' }]));
			expect(other.records).toHaveLength(1);
			await other.close();
			await startOther(ZIP, [{ k: 'a', z: 5 }]);
			const items: IDataObject[] = [
				{ Key: 'b', Zip: '5' },
				{ Key: 'c', Zip: 5 },
			];
			succeeded(await runOther('upsert', byZip, items));
			expect(methods()).toEqual(['PATCH', 'PATCH']);
			expect(other.records.map(({ data }) => data.k)).toEqual(['c']);
		});
	});

	describe('choices that look like other choices’ labels', () => {
		const swapped = (first: unknown, second: unknown) => [
			{ id: first, name: '2' },
			{ id: second, name: '1' },
		];
		test.each(['create', 'getAll', 'upsert'])('%s: two choices fit', async (operation) => {
			await startOther([{ id: 'f', name: 'Rating', type: 'select', options: swapped('1', '2') }]);
			const columns = mapEach({ Rating: '1' }, { matchingColumns: ['Rating'] });
			const { error } = await runOther(operation, { columns, ...where('Rating', 'equals', '1') });
			expect(error?.message).toMatch(/^'1' matches 2 choices of field 'Rating'/);
			expect(error?.description).toContain("'1' (ID '2') and '2' (ID '1')");
			expect(bodies()).toEqual([]);
		});

		test('a text is a label where the identifiers are numbers', async () => {
			await startOther([{ id: 'f', name: 'Rating', type: 'select', options: swapped(1, 2) }]);
			succeeded(await runOther('create', { columns: mapEach({ Rating: '1' }) }));
			expect(bodies()).toEqual([{ data: { f: '1' } }]);
		});
	});

	describe('choices that a field lacks', () => {
		const adding = { columns: mapAutomatically(), options: { missingChoices: 'add' } };
		const add = async (values: IDataObject[]) => await runOther('create', adding, values);

		test('a choice that somebody else adds in between survives', async () => {
			const status = { id: 's', name: 'Status', type: 'select', options: ['Open'] };
			const tags = { id: 't', name: 'Tags', type: 'multi_select' };
			// As soon as the first field was changed.
			const theirs = () => (other.changes.length > 0 ? ['a', 'theirs'] : ['a']);
			await startOther(() => [status, { ...tags, options: theirs() }]);
			other.updateStatus = 204;
			await add([{ Status: 'Late', Tags: ['b'] }]);
			expect(bodies().slice(0, 2)).toEqual([
				{ options: ['Open', 'Late'] },
				{ options: ['a', 'theirs', 'b'] },
			]);
		});
	});

	test('Delete Many: the record’s own ID equals 100, not 1e2', async () => {
		const records = ['1e2', '100', '0100'].map((id) => ({ id, data: {}, created_at: null }));
		answer('GET', '/records$', { records, next_cursor: null });
		workspace.fail('DELETE', '/records/', { status: 204 });
		expect(deleted(await run('deleteMany', where('id', 'equals', '100')))).toEqual(['100']);
	});

	describe('If Record Exists', () => {
		const pass = async (item: IDataObject, settings: object = {}) =>
			await run('ifExists', where('Key', 'equals', 'a'), [item], settings);

		test('passes an item with a key `error` on as it came', async () => {
			await workspace.records(card.id, [{ Key: 'a' }]);
			for (const item of [{ error: 'x' }, { error: 0 }, { id: 1, error: { message: 'y' } }]) {
				expect((await pass(item)).json).toEqual([item]);
			}
		});
	});

	test('a field that was chosen from the list and renamed since is deleted by its ID', async () => {
		const id = card.fieldIds.Amount ?? '';
		await workspace.send('PATCH', `/cards/${card.id}/fields/${id}`, { name: 'Price' });
		const fieldId = fromList(id, 'Amount');
		const { json } = succeeded(await run('delete', { resource: 'field', fieldId }));
		expect(json).toEqual([{ deleted: true, id }]);
	});

	test.each([
		['9999-12-31T23:59:59', 'America/New_York', 'beyond the year 9999'],
		['2011-12-30T12:00:00', 'Pacific/Apia', 'skip this time'],
	])('the time %s in %s is refused with the reason', async (At, timezone, reason) => {
		const columns = mapAutomatically();
		const { error } = await run('create', { columns }, [{ At }], { timezone });
		expect(error?.description).toContain(reason);
		expect(workspace.changes()).toEqual([]);
	});

	test('an invalid DateTime is refused for a text field, also where fields are created', async () => {
		const schema = [{ id: 'Key', displayName: 'Key', type: 'string', display: true }];
		const mapped = { Key: '={{ DateTime.fromISO("no day") }}' };
		const item = { Key: DateTime.fromISO('no day') as never };
		for (const unknownFields of ['error', 'create']) {
			for (const columns of [mapEach(mapped), mapEach(mapped, { schema }), mapAutomatically()]) {
				const { error } = await run('create', { columns, options: { unknownFields } }, [item]);
				expect(error?.message).toContain("Field 'Key' can't hold");
			}
		}
		expect(workspace.changes()).toEqual([]);
	});
});

describe('values at the edge', () => {
	useCard('Extremes', { Text: 'long_text', Json: 'json' }, { bodyBytes: 2 * 1024 * 1024 });

	const create = async (fields: IDataObject) =>
		await run('create', { columns: mapAutomatically() }, [fields]);
	const stored = async () => (await workspace.rows(card.id)).at(-1);

	test('a text of 1 MB arrives whole', async () => {
		const text = 'ä'.repeat(500_000);
		const { json } = succeeded(await create({ Text: text }));
		expect(json[0]?.Text === text).toBe(true);
		expect((await stored())?.Text === text).toBe(true);
	});

	test('keys of JavaScript’s own objects inside a value survive and pollute nothing', async () => {
		// Text, as n8n itself drops `__proto__` when it copies items.
		const odd = '"constructor":{"prototype":{"polluted":1}},"toString":"x"';
		succeeded(await create({ Json: `{"__proto__":{"polluted":1},${odd}}` }));
		const value = (await stored())?.Json as object;
		expect(Object.keys(value).sort()).toEqual(['__proto__', 'constructor', 'toString']);
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
	});
});
