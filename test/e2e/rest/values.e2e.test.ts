/** What is the same value, where records are deleted or overwritten: in a real n8n. */
import { outputOf } from '../../host/n8nClient.ts';
import {
	byId,
	byName,
	chain,
	codeItems,
	manualTrigger,
	mapAutomatically,
} from '../../host/workflowBuilder.ts';
import { startOtherService, type OtherService } from '../../support/otherService.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

describe(`values in n8n ${major}`, () => {
	const bench = useSharedBench(major);
	let other: OtherService | undefined;
	afterEach(async () => await other?.close());

	const where = (field: string, condition: string, value: string) => ({
		filters: {
			conditions: [{ field, condition, value: { __rl: true, mode: 'value', value } }],
		},
	});
	const record = (operation: string, parameters: object, extra = {}) =>
		bench().action(operation, { resource: 'record', operation, ...parameters }, extra);

	/** Starts a service of another kind, and gives nodes for its card. */
	async function startOther(fields: OtherService['fields'], data: Array<Record<string, unknown>>) {
		const started = await startOtherService(fields, data);
		other = started;
		const reference = await bench().client.createCredential(
			`Other ${Date.now()}`,
			'workspaceDataApi',
			started.credentials.workspaceDataApi,
		);
		const extra = { credentials: { workspaceDataApi: reference } };
		const node = (operation: string, parameters: object) =>
			record(operation, { cardId: byId('c'), ...parameters }, extra);
		return { started, node };
	}

	it('Delete Many deletes exact texts and times only (H6, H9)', async () => {
		const { api, succeed } = bench();
		const card = await api.createCard('Codes', [
			['Code', 'text'],
			['At', 'datetime'],
		]);
		const at = (digit: number) => `2026-03-31T15:00:00.00000${digit}Z`;
		for (const Code of ['7', '7.0', '007', '0x7'])
			await api.createRecord(card, { Code, At: at(1) });
		await api.createRecord(card, { Code: 'x', At: at(2) });
		const cardId = byName('Codes');
		const many = (name: string, conditions: object) => ({
			...record('deleteMany', { cardId, ...conditions }),
			name,
		});
		await succeed(
			chain('Exact', [
				manualTrigger(),
				many('Codes', where('Code', 'equals', '={{ 7 }}')),
				many('Times', where('At', 'equals', at(2))),
			]),
		);
		const left = (await api.records(card)).map(({ fields }) => fields.Code);
		expect(left).toEqual(['7.0', '007', '0x7']);
	});

	it('one key of a card with a field of an unknown type makes one record (H1)', async () => {
		const fields = [
			{ id: 'k', name: 'Key', type: 'text' },
			{ id: 'z', name: 'Zip', type: 'postal' },
		];
		const { started, node } = await startOther(fields, []);
		const items = ['12345', 'SW1A', '1'].map((Zip) => ({ Key: 'k1', Zip }));
		await bench().succeed(
			chain('One key', [
				manualTrigger(),
				codeItems('Items', items),
				node('upsert', { columns: mapAutomatically(['Key']) }),
			]),
		);
		expect(started.records.map(({ data }) => data)).toEqual([{ k: 'k1', z: '1' }]);
	});

	it('choices and times go back as they came, and choose what is shown (H2, H8)', async () => {
		const ratings = [0, 1, 2].map((value) => ({ value, label: String(value + 1) }));
		const fields = [
			{ id: 'f', name: 'Rating', type: 'select', options: ratings },
			{ id: 'a', name: 'At', type: 'datetime' },
		];
		const data = [0, 1, 2].map((f) => ({ f, a: `2026-03-31T1${f}:00:00` }));
		const { started, node } = await startOther(fields, structuredClone(data));
		const recordId = byId('={{ $json.id }}');
		await bench().succeed(
			chain('Round trip', [
				manualTrigger(),
				node('getAll', { returnAll: true }),
				node('update', { recordId, columns: mapAutomatically() }),
			]),
		);
		expect(started.records.map((one) => one.data)).toEqual(data);
		const execution = await bench().succeed(
			chain('Shown', [manualTrigger(), node('deleteMany', where('Rating', 'equals', '2'))]),
		);
		expect(outputOf(execution, 'deleteMany').map(({ json }) => json.id)).toEqual(['r1']);
		await bench().succeed(
			chain('Times', [
				manualTrigger(),
				node('deleteMany', where('At', 'equals', '2026-03-31T12:00:00')),
			]),
		);
		expect(started.records.map(({ id }) => id)).toEqual(['r0']);
	});

	it('Delete Many by `id` is refused where a field has that name (H14)', async () => {
		const { started, node } = await startOther(
			[{ id: 'f', name: 'id', type: 'text' }],
			[{ f: 'r0' }],
		);
		const execution = await bench().run(
			chain('Ambiguous', [manualTrigger(), node('deleteMany', where('id', 'equals', 'r0'))]),
		);
		expect(execution.status).toBe('error');
		expect(started.changes).toEqual([]);
	});
});
