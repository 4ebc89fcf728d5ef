/** Services that differ in what usually goes wrong in silence, in a real n8n: long numbers, spellings, ages, computed fields. */
import { randomUUID } from 'node:crypto';
import { until } from '../../host/deadline.ts';
import { failureOf, outputOf } from '../../host/n8nClient.ts';
import {
	byId,
	chain,
	codeItems,
	manualTrigger,
	mapAutomatically,
	mapEach,
} from '../../host/workflowBuilder.ts';
import { useSharedBench } from '../support/bench.ts';
import type { FieldDraft } from '../support/serviceApi.ts';
import { major } from '../support/settings.ts';

const TEXTS: FieldDraft[] = [
	['Key', 'text'],
	['Total (computed)', 'text'],
];

describe(`what goes wrong in silence, in n8n ${major}`, () => {
	const bench = useSharedBench(major);
	const record = (name: string, operation: string, parameters = {}) =>
		bench().action(name, { resource: 'record', operation, ...parameters });
	const where = (field: string, value: string) => ({
		filters: { conditions: [{ field, condition: 'equals', value }] },
	});

	it('O2 a number of 18 digits is deleted by itself, not by its neighbor', async () => {
		const { api, control, succeed } = bench();
		const card = await api.createCard('Long numbers', TEXTS);
		for (const Key of ['363228830310334464', '363228830310334460']) {
			await api.createRecord(card, { Key });
		}
		await control.setVariants({ longNumbers: true });
		const cardId = byId(card.id);
		const execution = await succeed(
			chain('Long numbers', [
				manualTrigger(),
				record('Delete', 'deleteMany', { cardId, ...where('Key', '363228830310334460') }),
				record('Rest', 'getAll', { cardId, returnAll: true }),
			]),
		);
		expect(outputOf(execution, 'Delete')).toHaveLength(1);
		expect(outputOf(execution, 'Rest')[0]?.json.fields).toEqual({ Key: '363228830310334464' });
	});

	it('O3 a service that keeps e-mails in lower case gets one record, and Sync deletes none', async () => {
		const { api, control, run, succeed } = bench();
		const card = await api.createCard('Spellings', TEXTS);
		await control.setVariants({ storedTexts: 'lowerCase' });
		const cardId = byId(card.id);
		const items = codeItems('Items', [{ Key: 'Ann@X.Y' }]);
		const columns = mapAutomatically(['Key']);
		const sync = { cardId, columns, missingRecords: 'delete', maxDeletions: '10' };
		const first = chain('First night', [manualTrigger(), items, record('Sync', 'sync', sync)]);
		expect(outputOf(await succeed(first), 'Sync')[0]?.json.action).toBe('created');
		const [made] = await api.records(card);
		for (const operation of ['sync', 'upsert']) {
			const parameters = operation === 'sync' ? sync : { cardId, columns };
			const again = [manualTrigger(), items, record('Again', operation, parameters)];
			const execution = await run(chain(`Second ${operation}`, again));
			expect(execution.status).toBe('error');
			expect(failureOf(execution)).toContain('ann@x.y');
		}
		expect(await api.records(card)).toEqual([made]);
	});

	it('O4 each new record comes once, also where all have one time', async () => {
		const { api, client, control } = bench();
		const card = await api.createCard('Ages', TEXTS);
		await control.setVariants({ createdAt: 'same' });
		const path = randomUUID();
		const webhook = {
			...{ name: 'Call', type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: path },
			parameters: { path, responseMode: 'lastNode', responseData: 'allEntries' },
		};
		const news = record('News', 'getAll', { cardId: byId(card.id), returnAll: true, since: 'new' });
		const saved = await client.createWorkflow(chain('Ages', [webhook, news]));
		await client.publish(saved);
		const call = async (): Promise<string[]> => {
			const response = await fetch(`${client.baseUrl}/webhook/${path}`);
			if (!response.ok) return [];
			const items = (await response.json()) as Array<{ fields?: { Key: string } }>;
			return items.flatMap(({ fields }) => fields?.Key ?? []).sort();
		};
		for (const Key of ['a', 'b']) await api.createRecord(card, { Key });
		await until('the first two', async () => ((await call()).length === 2 ? true : undefined));
		for (const keys of [['c'], ['d', 'e']]) {
			for (const Key of keys) await api.createRecord(card, { Key });
			expect(await call()).toEqual(keys);
		}
		await client.unpublish(saved.id);
	});

	it('O8 what Get Many gives goes back, although the service computes a field', async () => {
		const { api, control, run, succeed } = bench();
		const card = await api.createCard('Computed', TEXTS);
		await api.createRecord(card, { Key: 'a', 'Total (computed)': '7' });
		await control.setVariants({ readOnlyKey: 'readOnly' });
		const cardId = byId(card.id);
		const execution = await succeed(
			chain('Computed', [
				manualTrigger(),
				record('Read', 'getAll', { cardId, returnAll: true }),
				record('Write', 'upsert', { cardId, columns: mapAutomatically(['Key']) }),
			]),
		);
		expect(outputOf(execution, 'Write')[0]?.json.action).toBe('unchanged');
		const columns = mapEach({ Key: 'a', 'Total (computed)': '8' }, ['Key']);
		const refused = await run(
			chain('Computed by hand', [manualTrigger(), record('Write', 'upsert', { cardId, columns })]),
		);
		expect(failureOf(refused)).toContain("Field 'Total (computed)' can't be written");
	});
});
