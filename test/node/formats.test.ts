/** Q3, Q13: rows as the people of a country write them, into new and existing fields. */
import type { IDataObject } from 'n8n-workflow';
import { runAction } from '../support/n8n';
import { byId, mapAutomatically, mapEach } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'Formats',
	[
		{ name: 'Key', type: 'text' },
		{ name: 'Price', type: 'number' },
		{ name: 'Due', type: 'date' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Active', type: 'boolean' },
	],
	(made) => ({ workspace, card } = made),
);
const { run } = recordRuns(() => ({ workspace, card }));

const german = { numberFormat: 'comma', dateFormat: 'dayFirst', booleanWords: 'ja, nein' };
const row = {
	Key: 'a',
	Price: '1.299,00',
	Due: '03.02.1985',
	At: '3.2.1985 14:30',
	Active: 'Nein',
};
// The workflow's time zone is Europe/Berlin.
const stored = {
	Key: 'a',
	Price: 1299,
	Due: '1985-02-03',
	At: '1985-02-03T13:30:00.000Z',
	Active: false,
};

const fromItems = async (name: string, items: IDataObject[], options: IDataObject) =>
	await runAction({
		credentials: workspace.apiKey,
		items,
		parameters: { resource: 'card', operation: 'createFromItems', name, options },
	});

describe('Q3: Number Format, Date Format, Yes and No Words', () => {
	const all = { filters: { conditions: [{ field: 'Key', condition: 'equals', value: 'a' }] } };

	test.each<[string, IDataObject]>([
		['create', { columns: mapAutomatically() }],
		['create', { columns: mapEach(row) }],
		['upsert', { columns: mapAutomatically(['Key']) }],
		['sync', { columns: mapAutomatically(['Key']) }],
		['update', { columns: mapAutomatically() }],
		['updateMany', { columns: mapAutomatically(), ...all }],
	])('%s reads them', async (operation, parameters) => {
		const [id = ''] =
			operation === 'create' ? [] : await workspace.records(card.id, [{ Key: 'a' }]);
		const more = operation === 'update' ? { recordId: byId(id) } : {};
		const { error } = await run(operation, { ...parameters, ...more, options: german }, [row]);
		expect(error).toBeUndefined();
		expect(await workspace.rows(card.id)).toEqual([stored]);
	});

	test('matching on such a value finds the record, and nothing is sent for equal ones', async () => {
		await workspace.records(card.id, [stored]);
		const { json } = await run(
			'upsert',
			{ columns: mapAutomatically(['Price', 'Due']), options: german },
			[row],
		);
		expect(json[0]?.action).toBe('unchanged');
	});

	test.each<[IDataObject, RegExp]>([
		[{ numberFormat: 'german' }, /'Number Format' cannot be 'german'/],
		[{ dateFormat: 'dmy' }, /'Date Format' cannot be 'dmy'/],
		...['ja', 'ja, Ja', 'a,b,c', '', 'ja,', ', nein'].map((booleanWords): [IDataObject, RegExp] => [
			{ booleanWords },
			/'Yes and No Words' cannot be/,
		]),
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

	test('a value that does not fit is refused with its field and the format, before anything is written', async () => {
		const items = [row, { ...row, Key: 'b', Price: '12.50', Due: '3/2/85' }];
		const { error } = await run(
			'sync',
			{ columns: mapAutomatically(['Key']), options: german },
			items,
		);
		expect(error?.description).toMatch(/'Price' cannot hold "12\.50".*'Number Format' is 'Comma'/s);
		expect(error?.description).toMatch(
			/'Due' cannot hold "3\/2\/85".*'Date Format' is 'Day First'/s,
		);
		expect(await workspace.rows(card.id)).toEqual([]);
	});

	test('filters read values as before', async () => {
		await workspace.records(card.id, [stored]);
		const filters = { conditions: [{ field: 'Price', condition: 'equals', value: '1299' }] };
		const columns = mapEach({ Price: '1.300,5' });
		await run('updateMany', { columns, filters, options: german });
		expect((await workspace.rows(card.id))[0]?.Price).toBe(1300.5);
	});
});

describe('Create From Items', () => {
	const typesOf = async (id: unknown) =>
		(
			(await workspace.send('GET', `/cards/${String(id)}/fields`)) as {
				fields: Array<{ name: string; type: string }>;
			}
		).fields.map(({ name, type }) => `${name}: ${type}`);
	const cardCalled = async (name: string) =>
		(
			(await workspace.send('GET', '/cards')) as { cards: Array<{ id: string; name: string }> }
		).cards.find((one) => one.name === name)?.id;

	test('Q3: rows of a European file become typed fields; the reasons are true without the formats', async () => {
		const items = [
			{ '\ufeffName': 'José Peña', PLZ: '01067', Preis: '12,50', Datum: '03.02.1985', Aktiv: 'ja' },
			{ '\ufeffName': 'Zoë', PLZ: '10115', Preis: '1.299,00', Datum: '31.12.1999', Aktiv: 'nein' },
			{ '\ufeffName': 'Åse', PLZ: '20095', Preis: '0,99', Datum: '1.1.2026', Aktiv: 'ja' },
		];
		const { error, json } = await fromItems('Europe', items, german);
		expect(error).toBeUndefined();
		expect(json[1]?.fields).toEqual({
			...{ Name: 'Zoë', PLZ: '10115', Preis: 1299, Datum: '1999-12-31', Aktiv: false },
		});
		const id = await cardCalled('Europe');
		expect(await typesOf(id)).toEqual([
			...['Name: text', 'PLZ: text', 'Preis: number', 'Datum: date', 'Aktiv: boolean'],
		]);
		// The same file once more, by Sync: the name of the column has the byte order mark.
		const synced = await run(
			'sync',
			{ cardId: byId(id ?? ''), columns: mapAutomatically(['Name']), options: german },
			items,
		);
		expect(synced.json.map(({ action }) => action)).toEqual(items.map(() => 'unchanged'));
		const plain = await fromItems('Plain', items, { dryRun: true });
		const { fields } = plain.json[0]?.after as { fields: Array<{ name: string; why: string }> };
		expect(Object.fromEntries(fields.map(({ name, why }) => [name, why]))).toEqual({
			Name: 'mixed values',
			PLZ: 'digits under such a name are a code, not an amount',
			Preis: "'12,50' has a decimal comma: see 'Number Format'",
			Datum: "'03.02.1985' is not a day like 2026-03-31: see 'Date Format'",
			Aktiv: "only 'ja' and 'nein': for true and false, see 'Yes and No Words'",
		});
	});

	test('Q13: day numbers of Excel are days where the name of the column says so', async () => {
		const items = [
			{ Due: 46205, Amount: 46205 },
			{ Due: 46206, Amount: 46206 },
		];
		const { json } = await fromItems('Excel', items, { dateFormat: 'excel' });
		expect(json[0]?.fields).toEqual({ Due: '2026-07-02', Amount: 46205 });
		const { error } = await run('create', { columns: mapEach({ Due: '={{ 46205 }}' }) });
		expect(error?.description).toMatch(/looks like Excel's number for 2026-07-02.*\{\{.*toISODate/);
	});
});
