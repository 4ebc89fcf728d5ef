/** The editor's requests to the nodes: lists of cards, fields and records, and the mapper's columns. */
import type { DynamicRequest, JsonObject } from '../../host/n8nClient.ts';
import { byId } from '../../host/workflowBuilder.ts';
import { useSharedBench } from '../support/bench.ts';
import type { TestCard } from '../support/serviceApi.ts';
import { major } from '../support/settings.ts';

describe(`pickers in n8n ${major}`, () => {
	const bench = useSharedBench(major);
	let card: TestCard;

	beforeAll(async () => {
		const { api, control } = bench();
		for (let n = 1; n <= 12; n++) await api.createCard(`Shelf ${String(n).padStart(2, '0')}`);
		card = await api.createCard('Books', [
			['Title', 'text'],
			['Pages', 'number'],
			['Lent', 'boolean'],
			['Bought', 'date'],
			['Genre', 'single_select', ['Novel', 'Essay']],
			['Keywords', 'multi_select', ['sea', 'war']],
			['Extra', 'json'],
		]);
		await control.fillCard({ cardId: card.id, count: 230 });
	});

	function request(
		methodName: string,
		path: string,
		parameters: JsonObject = {},
		more: Partial<DynamicRequest> = {},
	): DynamicRequest {
		const { credentials, types } = bench();
		return {
			nodeType: types.action,
			methodName,
			path: `parameters.${path}`,
			credentials: { workspaceDataApi: credentials.workspaceDataApi },
			parameters: { authentication: 'apiKey', cardId: byId(card.id), ...parameters },
			...more,
		};
	}

	/** All pages of a list. */
	async function allPages(wanted: DynamicRequest) {
		const { client } = bench();
		const results = [];
		let pages = 0;
		let paginationToken: DynamicRequest['paginationToken'];
		do {
			const page = await client.locatorResults({ ...wanted, paginationToken });
			results.push(...page.results);
			paginationToken = page.paginationToken;
			pages++;
		} while (paginationToken !== undefined && paginationToken !== null && pages < 100);
		return { results, pages };
	}

	it('lists the cards by name', async () => {
		const { results } = await allPages(request('searchCards', 'cardId'));
		expect(results).toHaveLength(13);
		expect(results).toContainEqual(expect.objectContaining({ name: 'Books', value: card.id }));
	});

	it('finds cards by a part of their name', async () => {
		const { results } = await allPages(request('searchCards', 'cardId', {}, { filter: 'shelf 0' }));
		expect(results.map(({ name }) => name).sort()).toEqual(
			Array.from({ length: 9 }, (_, n) => `Shelf 0${n + 1}`),
		);
	});

	it('lists the cards for the service account and for the trigger', async () => {
		const { client, credentials, types } = bench();
		const found = await client.locatorResults({
			...request('searchCards', 'cardId', { authentication: 'serviceAccount' }),
			nodeType: types.trigger,
			credentials: { workspaceDataServiceAccountApi: credentials.workspaceDataServiceAccountApi },
		});
		expect(found.results.map(({ name }) => name)).toContain('Books');
	});

	it('lists the fields of the selected card', async () => {
		const { results } = await allPages(
			request('searchFields', 'fieldId', { resource: 'field', operation: 'get' }),
		);
		expect(Object.fromEntries(results.map(({ name, value }) => [name, value]))).toEqual(
			expect.objectContaining(card.fields),
		);
	});

	it('lists all records page by page', async () => {
		const { results, pages } = await allPages(
			request('searchRecords', 'recordId', { resource: 'record', operation: 'get' }),
		);
		expect(new Set(results.map(({ value }) => value)).size).toBe(230);
		expect(pages).toBeGreaterThan(1);
	});

	it('finds a record by its values', async () => {
		const { results } = await allPages(
			request(
				'searchRecords',
				'recordId',
				{ resource: 'record', operation: 'get' },
				{ filter: 'Title 229' },
			),
		);
		expect(results.map(({ name }) => name)).toEqual([expect.stringContaining('Title 229')]);
	});

	it('gives the mapper the field names, with types and choices', async () => {
		const { client } = bench();
		const { fields } = await client.mapperFields(
			request('getColumns', 'columns', { resource: 'record', operation: 'create' }),
		);
		const byKey = new Map(fields.map((field) => [field.id, field]));
		expect([...byKey.keys()]).toEqual(Object.keys(card.fields));
		// A text: n8n 1 would write 0 into an input for numbers.
		expect(byKey.get('Pages')).toMatchObject({ displayName: 'Pages', type: 'string' });
		const empty = { name: 'Empty', value: '={{ null }}' };
		// A choice: an untouched toggle would write `false`.
		expect(byKey.get('Lent')).toMatchObject({
			type: 'options',
			options: [{ value: true }, { value: false }, empty],
		});
		expect(byKey.get('Genre')).toMatchObject({
			type: 'options',
			options: [
				expect.objectContaining({ value: 'Novel' }),
				expect.objectContaining({ value: 'Essay' }),
				empty,
			],
		});
	});

	it('shows a renamed field at once', async () => {
		const { client, api, control } = bench();
		const other = await api.createCard('Short-lived', [['Before', 'text']]);
		const wanted = request('getColumns', 'columns', {
			resource: 'record',
			operation: 'create',
			cardId: byId(other.id),
		});
		expect((await client.mapperFields(wanted)).fields.map(({ id }) => id)).toEqual(['Before']);
		await control.renameField({
			cardId: other.id,
			fieldId: other.fields.Before as string,
			name: 'After',
		});
		expect((await client.mapperFields(wanted)).fields.map(({ id }) => id)).toEqual(['After']);
	});
});
