/** The trigger: subscriptions come and go with publishing, events start executions. */
import { randomUUID } from 'node:crypto';

import { until } from '../../host/deadline.ts';
import {
	type Execution,
	type JsonObject,
	outputOf,
	type SavedWorkflow,
} from '../../host/n8nClient.ts';
import { byId, chain } from '../../host/workflowBuilder.ts';
import { useSharedBench } from '../support/bench.ts';
import type { TestCard } from '../support/serviceApi.ts';
import { major } from '../support/settings.ts';

describe(`trigger in n8n ${major}`, () => {
	const bench = useSharedBench(major);

	async function watching(card: TestCard, events: string[], parameters: JsonObject = {}) {
		const { client, trigger } = bench();
		const node = trigger(
			'On change',
			{ authentication: 'apiKey', events, watch: 'oneCard', cardId: byId(card.id), ...parameters },
			{ webhookId: randomUUID() },
		);
		const seen = { name: 'Seen', type: 'n8n-nodes-base.noOp', parameters: {} };
		return await client.createWorkflow(chain(`Watch ${card.name}`, [node, seen]));
	}

	const subscriptions = async (card: TestCard) =>
		(await bench().control.subscriptions()).filter((one) => JSON.stringify(one).includes(card.id));

	/** The executions of a workflow once there are so many, oldest first. */
	async function executions({ id, name }: SavedWorkflow, count: number): Promise<Execution[]> {
		const { client } = bench();
		const list = await until(`${count} executions of ${name}`, async () => {
			const all = await client.executions(id);
			const over = all.every(({ status }) => !['new', 'running'].includes(status));
			return all.length >= count && over ? all : undefined;
		});
		const sorted = list.map((one) => one.id).sort((a, b) => Number(a) - Number(b));
		return await Promise.all(sorted.map(async (id) => await client.execution(id)));
	}

	const event = (execution: Execution | undefined) =>
		execution && outputOf(execution, 'On change')[0]?.json;

	it('subscribes, runs for each event and unsubscribes', async () => {
		const { api, client } = bench();
		const card = await api.createCard('Watched', [
			['Title', 'text'],
			['Pages', 'number'],
		]);
		const saved = await watching(card, ['record.created', 'record.updated', 'record.deleted']);
		await client.publish(saved);
		expect(await subscriptions(card)).toHaveLength(1);

		const id = await api.createRecord(card, { Title: 'Emma', Pages: 474 });
		const [created] = await executions(saved, 1);
		expect(created?.status).toBe('success');
		expect(event(created)).toMatchObject({
			event: 'record.created',
			card_id: card.id,
			record_id: id,
			fields: { Title: 'Emma', Pages: 474 },
			delivery_key: expect.any(String),
		});
		await api.call('PATCH', `/cards/${card.id}/records/${id}`, {
			data: { [card.fields.Pages as string]: 475 },
		});
		await executions(saved, 2);
		await api.call('DELETE', `/cards/${card.id}/records/${id}`);
		const all = await executions(saved, 3);
		expect(all.map((one) => event(one)?.event)).toEqual([
			'record.created',
			'record.updated',
			'record.deleted',
		]);

		await client.unpublish(saved.id);
		await until('the subscription to be deleted', async () =>
			(await subscriptions(card)).length === 0 ? true : undefined,
		);
	});

	it("gives the body as delivered when it isn't to be simplified", async () => {
		const { api, client } = bench();
		const card = await api.createCard('Raw events', [['Title', 'text']]);
		const saved = await watching(card, ['record.created'], { simple: false });
		await client.publish(saved);
		await api.createRecord(card, { Title: 'Emma' });
		const [created] = await executions(saved, 1);
		expect(event(created)).toMatchObject({ data: { [card.fields.Title as string]: 'Emma' } });
		await client.unpublish(saved.id);
	});

	it('watches with the service account', async () => {
		const { api, client } = bench();
		const card = await api.createCard('By account', [['Title', 'text']]);
		const saved = await watching(card, ['record.created'], { authentication: 'serviceAccount' });
		await client.publish(saved);
		await api.createRecord(card, { Title: 'Emma' });
		expect(event((await executions(saved, 1))[0])).toMatchObject({ fields: { Title: 'Emma' } });
		await client.unpublish(saved.id);
	});

	it('takes changed events with the next publishing and leaves one subscription', async () => {
		const { api, client } = bench();
		const card = await api.createCard('Republished', [['Title', 'text']]);
		const saved = await watching(card, ['record.created']);
		await client.publish(saved);
		const nodes = saved.nodes.map((node) =>
			node.name === 'On change'
				? { ...node, parameters: { ...node.parameters, events: ['record.deleted'] } }
				: node,
		);
		const changed = await client.updateWorkflow(await client.workflow(saved.id), { nodes });
		await client.publish(changed);
		const [only] = await until('one subscription to the new events', async () => {
			const list = await subscriptions(card);
			return list.length === 1 && list[0]?.events.includes('record.deleted') ? list : undefined;
		});
		expect(only?.events).toEqual(['record.deleted']);
		const id = await api.createRecord(card, { Title: 'Emma' });
		await api.call('DELETE', `/cards/${card.id}/records/${id}`);
		const all = await executions(saved, 1);
		expect(all.map((one) => event(one)?.event)).toEqual(['record.deleted']);
		await client.unpublish(saved.id);
	});

	it('listens for a test event with a separate subscription', async () => {
		const { api, client } = bench();
		const card = await api.createCard('Tested', [['Title', 'text']]);
		const saved = await watching(card, ['record.created']);
		expect(await client.start(saved, 'On change')).toBeUndefined();
		await until('the test subscription', async () =>
			(await subscriptions(card)).length === 1 ? true : undefined,
		);
		await api.createRecord(card, { Title: 'Emma' });
		const [test] = await executions(saved, 1);
		expect(test?.mode).toBe('manual');
		expect(event(test)).toMatchObject({ event: 'record.created', fields: { Title: 'Emma' } });
		await until('the test subscription to be deleted', async () =>
			(await subscriptions(card)).length === 0 ? true : undefined,
		);
	});

	it("refuses deliveries that aren't signed by the subscription", async () => {
		const { api, client, control, service } = bench();
		const card = await api.createCard('Forged', [['Title', 'text']]);
		const saved = await watching(card, ['record.created']);
		await client.publish(saved);
		const address = (await subscriptions(card))[0]?.targetUrl ?? '';
		const body = JSON.stringify({
			event: 'record.created',
			timestamp: new Date().toISOString(),
			workspace_id: service.workspaceId,
			card_id: card.id,
			record_id: 'forged',
			data: {},
		});
		for (const signature of ['', 'a'.repeat(64), 'sha256=abc', 'é'.repeat(64)].map((text) =>
			Buffer.from(text, 'utf8').toString('latin1'),
		)) {
			const response = await fetch(address, {
				method: 'POST',
				headers: {
					'content-type': 'application/json',
					'x-service-signature': signature,
					// n8n closes idle connections after 5 s, perhaps with the next request under way.
					connection: 'close',
				},
				body,
			});
			expect(response.status).toBe(401);
		}
		// A true event afterwards is the only execution.
		await api.createRecord(card, { Title: 'true' });
		const all = await executions(saved, 1);
		expect(all.map((one) => event(one)?.fields)).toEqual([{ Title: 'true' }]);
		expect((await control.deliveries()).length).toBeGreaterThan(0);
		await client.unpublish(saved.id);
	});

	it("says why a workflow can't be published", async () => {
		const { api, client, credentials, control } = bench();
		const card = await api.createCard('Refused', [['Title', 'text']]);
		const { apiKey } = await control.createKey({ name: 'soon gone' });
		const data = {
			baseUrl: bench().service.baseUrl,
			workspaceId: bench().service.workspaceId,
			apiKey,
		};
		const credential = await client.createCredential('Revoked key', 'workspaceDataApi', data);
		await control.revokeKey({ apiKey });
		const saved = await watching(card, ['record.created']);
		const nodes = saved.nodes.map((node) =>
			node.credentials ? { ...node, credentials: { workspaceDataApi: credential } } : node,
		);
		const changed = await client.updateWorkflow(saved, { nodes });
		await expect(client.publish(changed)).rejects.toThrow(/API key|credential/i);
		expect(await subscriptions(card)).toEqual([]);
		expect(credentials.workspaceDataApi.id).not.toBe(credential.id);
	});
});
