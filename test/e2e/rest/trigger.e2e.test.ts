/** The trigger: subscriptions come and go with publishing, events start executions. */
import { until } from '../../host/deadline.ts';
import { outputOf, type SavedWorkflow } from '../../host/n8nClient.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';
import { draftWatch, subscriptionsOf } from '../support/watch.ts';

describe(`trigger in n8n ${major}`, () => {
	const bench = useSharedBench(major);

	/** What came out of the trigger once so many executions have ended, oldest first. */
	async function eventsOf({ id, name }: SavedWorkflow, count: number) {
		const { client } = bench();
		const list = await until(`${count} executions of ${name}`, async () => {
			const all = await client.executions(id);
			const over = all.every(({ status }) => !['new', 'running'].includes(status));
			return all.length >= count && over ? all : undefined;
		});
		const ids = list.map((one) => Number(one.id)).sort((a, b) => a - b);
		const executions = await Promise.all(ids.map(async (one) => await client.execution(`${one}`)));
		return executions.flatMap((one) => outputOf(one, 'On change').map(({ json }) => json));
	}

	it('subscribes, runs for each event and unsubscribes', async () => {
		const { api, client } = bench();
		const events = ['record.created', 'record.updated', 'record.deleted'];
		const { card, saved } = await draftWatch(bench(), 'Watched', {}, events);
		await client.publish(saved);
		expect(await subscriptionsOf(bench(), card)).toHaveLength(1);

		const id = await api.createRecord(card, { Title: 'Emma' });
		const [created] = await eventsOf(saved, 1);
		expect(created).toMatchObject({
			event: 'record.created',
			card_id: card.id,
			record_id: id,
			Title: 'Emma',
			delivery_key: expect.any(String),
		});
		const path = `/cards/${card.id}/records/${id}`;
		await api.call('PATCH', path, { data: { [card.fields.Title as string]: 'Emma W.' } });
		await eventsOf(saved, 2);
		await api.call('DELETE', path);
		expect((await eventsOf(saved, 3)).map(({ event }) => event)).toEqual(events);

		await client.unpublish(saved.id);
		await until('the subscription to be deleted', async () =>
			(await subscriptionsOf(bench(), card)).length === 0 ? true : undefined,
		);
	});

	it("says why a workflow can't be published", async () => {
		const { client, control, service } = bench();
		const { apiKey } = await control.createKey({ name: 'soon gone' });
		await control.revokeKey({ apiKey });
		const data = { baseUrl: service.baseUrl, workspaceId: service.workspaceId, apiKey };
		const credential = await client.createCredential('Revoked key', 'workspaceDataApi', data);
		const { card, saved } = await draftWatch(bench(), 'Refused');
		const nodes = saved.nodes.map((node) =>
			node.credentials ? { ...node, credentials: { workspaceDataApi: credential } } : node,
		);
		const changed = await client.updateWorkflow(saved, { nodes });
		await expect(client.publish(changed)).rejects.toThrow(/API key|credential/i);
		expect(await subscriptionsOf(bench(), card)).toEqual([]);
	});
});
