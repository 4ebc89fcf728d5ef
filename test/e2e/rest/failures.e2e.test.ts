/** The user's view and n8n's reaction when an item fails. */
import { failureOf, outputOf } from '../../host/n8nClient.ts';
import {
	byId,
	chain,
	codeItems,
	manualTrigger,
	mapAutomatically,
	mapEach,
	type NodeDraft,
} from '../../host/workflowBuilder.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

describe(`failures in n8n ${major}`, () => {
	const bench = useSharedBench(major);

	/** Three rows, the second of which the service refuses. */
	async function threeRows(cardName: string, extra: Partial<NodeDraft>) {
		const { action, api } = bench();
		const card = await api.createCard(cardName, [
			['Title', 'text'],
			['Bought', 'date'],
		]);
		const rows = codeItems('Rows', [
			{ Title: 'one', Bought: '2024-01-01' },
			{ Title: 'two', Bought: 'some day' },
			{ Title: 'three', Bought: '2024-01-03' },
		]);
		const create = action(
			'Create',
			{
				resource: 'record',
				operation: 'create',
				cardId: byId(card.id),
				columns: mapAutomatically(),
			},
			extra,
		);
		return { card, workflow: chain(cardName, [manualTrigger(), rows, create]) };
	}

	const titles = (records: Array<{ fields: Record<string, unknown> }>) =>
		records.map(({ fields }) => fields.Title).sort();

	it('stops with the reason, the field and the item', async () => {
		const { workflow } = await threeRows('Stops', {});
		const execution = await bench().run(workflow);
		expect(execution.status).toBe('error');
		expect(failureOf(execution)).toMatch(/Bought/);
		expect(execution.data.resultData.error?.context).toMatchObject({ itemIndex: 1 });
	});

	it('continues with an error item in place (Continue)', async () => {
		const { workflow, card } = await threeRows('Continues', { onError: 'continueRegularOutput' });
		const execution = await bench().succeed(workflow);
		const items = outputOf(execution, 'Create');
		expect(items.map(({ json }) => 'error' in json)).toEqual([false, true, false]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(JSON.stringify(items[1]?.json)).toContain('Bought');
		expect(titles(await bench().api.records(card))).toEqual(['one', 'three']);
	});

	it('sends failed items to the error output', async () => {
		const { workflow, card } = await threeRows('Error output', { onError: 'continueErrorOutput' });
		const execution = await bench().succeed(workflow);
		expect(outputOf(execution, 'Create', 0)).toHaveLength(2);
		const [failed, ...others] = outputOf(execution, 'Create', 1);
		expect(others).toEqual([]);
		expect(failed?.json).toMatchObject({ error: expect.stringMatching(/\S/) });
		expect(titles(await bench().api.records(card))).toEqual(['one', 'three']);
	});

	it('retries on failure without running a success again', async () => {
		const { action, api, control, succeed } = bench();
		const card = await api.createCard('Retried', [['error', 'text']]);
		// One refusal more than the node tries by itself.
		await control.fail({ method: 'GET', path: '/fields$', status: 503, times: 3 });
		const create = action(
			'Create',
			{
				resource: 'record',
				operation: 'create',
				cardId: byId(card.id),
				columns: mapEach({ error: 'just the name of a field' }),
			},
			{ retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
		);
		const execution = await succeed(chain('Retry On Fail', [manualTrigger(), create]));
		expect(outputOf(execution, 'Create')[0]?.json.fields).toEqual({
			error: 'just the name of a field',
		});
		expect(await api.records(card)).toHaveLength(1);
	});

	it.each([
		['an unknown field', { columns: mapEach({ Titel: 'x' }) }, /Titel[\s\S]*Title/],
		['an empty field map', { columns: mapEach({}) }, /column|field/i],
		['an empty card', { cardId: byId("={{ '' }}"), columns: mapEach({ Title: 'x' }) }, /Card/],
	])('says what is wrong with %s and sends nothing', async (_what, parameters, message) => {
		const { action, api, control, run } = bench();
		const card = await api.createCard('Strict', [['Title', 'text']]);
		await control.resetRequests();
		const create = action('Create', {
			resource: 'record',
			operation: 'create',
			cardId: byId(card.id),
			...parameters,
		});
		const execution = await run(chain('Bad input', [manualTrigger(), create]));
		expect(execution.status).toBe('error');
		expect(failureOf(execution)).toMatch(message);
		expect((await control.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
	});

	it("names the record that isn't there", async () => {
		const { action, api, run } = bench();
		const card = await api.createCard('Empty', [['Title', 'text']]);
		const update = action('Update', {
			resource: 'record',
			operation: 'update',
			cardId: byId(card.id),
			recordId: byId('no-such-record'),
			columns: mapEach({ Title: 'x' }),
		});
		const execution = await run(chain('Missing record', [manualTrigger(), update]));
		expect(failureOf(execution)).toMatch(/not found/i);
	});

	it('stores no secret and no token', async () => {
		const { action, client, control, run, service } = bench();
		await control.fail({ method: 'GET', path: '/cards$', status: 500, times: 20 });
		const list = (authentication: string) =>
			action(authentication, {
				authentication,
				resource: 'card',
				operation: 'getAll',
				returnAll: true,
			});
		for (const authentication of ['apiKey', 'serviceAccount']) {
			const execution = await run(chain(authentication, [manualTrigger(), list(authentication)]));
			expect(execution.status).toBe('error');
			const stored = JSON.stringify(
				await client.request('GET', `/rest/executions/${execution.id}`),
			);
			for (const secret of [service.apiKey, service.clientSecret, 'Bearer ']) {
				expect(stored).not.toContain(secret);
			}
		}
	});
});
