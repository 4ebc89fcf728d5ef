/** The example workflows: importable unchanged, and they do what their notes say. */
import { until } from '../../host/deadline.ts';
import { importExamples, readExamples } from '../../host/examples.ts';
import { failureOf, outputOf, type JsonObject, type SavedWorkflow } from '../../host/n8nClient.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

const actionsOf = (items: readonly JsonObject[]) => [...new Set(items.map(({ action }) => action))];

it('hold no credentials: n8n would keep them in place of what a person selects', async () => {
	const examples = await readExamples();
	expect(examples.length).toBeGreaterThan(0);
	for (const { file, nodes, connections } of examples) {
		const held = nodes.filter(({ credentials }) => credentials !== undefined);
		expect([file, held.map(({ name }) => name)]).toEqual([file, []]);
		expect([file, nodes.some(({ type }) => type.endsWith('.stickyNote'))]).toEqual([file, true]);
		const names = new Set(nodes.map(({ name }) => name));
		const ends = Object.entries(connections).flatMap(([from, outputs]) => [
			from,
			...Object.values(outputs).flatMap((lists) => lists.flat().map((end) => end?.node ?? '')),
		]);
		expect([file, ends.filter((name) => !names.has(name))]).toEqual([file, []]);
	}
});

describe(`examples in n8n ${major}`, () => {
	const bench = useSharedBench(major);
	let workflows: Map<string, SavedWorkflow>;
	const example = (name: string): SavedWorkflow => {
		const found = workflows.get(`${name}.json`);
		if (!found) throw new Error(`There is no examples/${name}.json`);
		return found;
	};

	/** Runs an example. @returns the output of these nodes */
	async function run(name: string, ...nodes: string[]): Promise<JsonObject[][]> {
		const execution = await bench().succeedAgain(example(name));
		return nodes.map((node) => outputOf(execution, node).map(({ json }) => json));
	}
	const output = async (name: string, node: string) => (await run(name, node))[0] ?? [];

	beforeAll(async () => {
		const { client, credentials } = bench();
		({ workflows } = await importExamples(client, credentials));
	});

	it('create the card once, then rows, and no row twice', async () => {
		const create = 'create-card-with-typed-fields';
		expect(await output(create, 'Add fields')).toHaveLength(8);
		const [added, nothing] = await run(create, 'Add fields', 'Nothing to do');
		expect([added, nothing]).toEqual([[], [expect.anything()]]);

		const written = async () =>
			await output('import-rows-create-or-update', 'Create or update records');
		const first = await written();
		expect(first).toHaveLength(8);
		expect(actionsOf(first)).toEqual(['created']);
		const second = await written();
		expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
		expect(actionsOf(second)).toEqual(['unchanged']);
	});

	it('make a card match a source, and send nothing when nothing changed', async () => {
		const synced = async () => await output('nightly-sync', 'Sync products');
		expect((await synced()).map(({ action }) => action)).toEqual(Array(4).fill('created'));
		const again = await synced();
		expect(again).toHaveLength(4);
		expect(actionsOf(again)).toEqual(['unchanged']);
	});

	it('turn a CSV file into a card, once', async () => {
		const book = {
			...{ Code: '007', Title: 'The Left Hand of Darkness', Price: 12.5, Pages: 304 },
			...{ Published: '1969-03-01', Language: 'English', Available: true },
			Publisher: 'https://example.com/ace',
		};
		expect(await output('csv-file-to-card', 'Card from the rows')).toEqual([
			expect.objectContaining(book),
			expect.objectContaining({ Code: '0042', Price: 9.9, Available: true }),
			expect.objectContaining({ Code: '1984', Price: 11, Available: false }),
		]);
		const again = await bench().client.run(example('csv-file-to-card'), 'Start');
		expect(failureOf(again)).toContain("A card called 'Books' exists already");
	});

	it('keep a card up to date with a European CSV file', async () => {
		const synced = async () => await output('european-csv-to-card', 'Sync customers');
		const records = await synced();
		expect(records).toHaveLength(20);
		expect(actionsOf(records)).toEqual(['created']);
		const first = { Ort: 'Málaga', Betrag: 12.5, Geburtsdatum: '1985-02-03', PLZ: '01067' };
		expect(records.at(0)).toMatchObject({ Name: 'José Peña', Aktiv: true, ...first });
		expect(records.at(1)).toMatchObject({ Betrag: 1299, Geburtsdatum: '1999-12-31', Aktiv: false });
		expect(records.at(-1)).toMatchObject({ Name: 'Andrés Gil', Betrag: 1_000_000.01 });
		expect(actionsOf(await synced())).toEqual(['unchanged']);
	});

	it('keep two cards equal: the later change wins, without a time it is the oldest, the shop wins a tie', async () => {
		const { api } = bench();
		const nodes = ['Write to the shop', 'Write to the CRM'];
		const actions = async () => (await run('two-way-sync-by-key', ...nodes)).map(actionsOf);
		expect(await actions()).toEqual([['created'], ['created']]);

		const shop = await api.findCard('Customers in the shop');
		const { id: crmId, name } = await api.findCard('Customers in the CRM');
		// The CRM has something that the shop doesn't know.
		await api.call('POST', `/cards/${crmId}/fields`, { name: 'Orders', type: 'number' });
		const crm = await api.findCard(name);
		const change = async (card: typeof crm, Email: string, values: JsonObject) => {
			const record = (await api.records(card)).find(({ fields }) => fields.Email === Email);
			const data = Object.entries(values).map(([field, value]) => [card.fields[field], value]);
			const path = `/cards/${card.id}/records/${record?.id}`;
			await api.call('PATCH', path, { data: Object.fromEntries(data) as JsonObject });
		};
		const ada = { Name: 'Ada L.', Orders: 3, Changed: '2026-06-01T09:00:00Z' };
		await change(crm, 'ada@example.com', ada);
		await change(shop, 'grace@example.com', { Name: 'Unknown', Changed: null });
		const tie = { Email: 'tie@example.com', Level: 'Gold', Changed: '2026-06-02T09:00:00Z' };
		await api.createRecord(crm, { ...tie, Name: 'Of the CRM' });
		await api.createRecord(shop, { ...tie, Name: 'Of the shop' });

		await actions();
		const grace = { Name: 'Grace', Level: 'Silver', Changed: '2026-05-02T09:00:00Z' };
		for (const card of [await api.findCard(shop.name), crm]) {
			const rows = (await api.records(card)).map(({ fields }) => fields);
			// Written in parallel, they are stored in any order.
			rows.sort((a, b) => (String(a.Email) < String(b.Email) ? -1 : 1));
			expect(rows).toMatchObject([
				{ Email: 'ada@example.com', Level: 'Gold', ...ada },
				{ Email: 'grace@example.com', ...grace },
				{ ...tie, Name: 'Of the shop' },
			]);
		}
		expect(await actions()).toEqual([['unchanged'], ['unchanged']]);
	});

	it('poll: published, it returns each record once; by hand it shows what would come', async () => {
		const { api, client } = bench();
		const { nodes, connections } = example('poll-for-new-records');
		const often = { rule: { interval: [{ field: 'seconds', secondsInterval: 10 }] } };
		const poll = await client.createWorkflow({
			name: 'Poll often',
			connections,
			nodes: nodes.map((node) =>
				node.name === 'Every five minutes' ? { ...node, parameters: often } : node,
			),
		});
		const messages = (execution: Parameters<typeof outputOf>[0]) =>
			outputOf(execution, 'One message each').map(({ json }) => json.message);
		/** Publishes until executions returned so many records. @returns what all executions returned, in their order */
		async function polled(count: number): Promise<unknown[]> {
			await client.publish(poll);
			const given = await until('records from the polling workflow', async () => {
				const list = await client.executions(poll.id);
				const ended = list.filter(({ status }) => status === 'success').reverse();
				const all = await Promise.all(ended.map(async ({ id }) => await client.execution(id)));
				const found = all.filter(({ mode }) => mode === 'trigger').flatMap(messages);
				return found.length >= count ? found : undefined;
			});
			await client.unpublish(poll.id);
			return given;
		}
		const first = await polled(8);
		expect(first).toHaveLength(8);
		expect(first).toContain('New: Water the plants');

		await api.createRecord(await api.findCard('Tasks'), { Title: 'Feed the cat' });
		expect(messages(await client.run(poll, 'Every five minutes'))).toEqual(['New: Feed the cat']);
		expect(await polled(9)).toEqual([...first, 'New: Feed the cat']);
	});

	it('react to changes by the service account', async () => {
		const { client, triggered } = bench();
		const watcher = example('react-to-record-changes');
		await client.publish(watcher);
		const changed = await output('service-account-update', 'Mark as done');
		expect(changed).toMatchObject([{ Done: true }]);
		const [item] = outputOf(await triggered(watcher), 'Changed');
		expect(item?.json.message).toMatch(/^Changed: record \S+, Done is true$/);
		await client.unpublish(watcher.id);
	});

	it('list, filter, count and sum up the open tasks', async () => {
		const listed = await output('list-and-filter-records', 'One line each');
		expect(listed.map(({ line }) => line)).toEqual([
			...['2026-05-06: Book the train (1 h)', '2026-05-20: Prepare the talk (8 h)'],
		]);

		const [summary] = await output('weekly-summary', 'Summary');
		const lines = String(summary?.text).split('\n');
		expect(summary?.subject).toBe(`${lines.length} open tasks`);
		expect(lines.at(0)).toBe('2026-05-05: Call the plumber (Normal)');
		expect(lines.at(-1)).toBe('no date: Sort the photos (Low)');

		const [open = [], counted = []] = await run('weekly-report', 'Get open tasks', 'One line each');
		const expected = [...new Set(open.map(({ Priority }) => Priority))].map((priority) => {
			const tasks = open.filter(({ Priority }) => Priority === priority);
			const hours = tasks.reduce((sum, { Hours }) => sum + Number(Hours ?? 0), 0);
			return `${String(priority)}: ${tasks.length} open, ${hours} h`;
		});
		expect(expected.length).toBeGreaterThan(1);
		expect(counted.map(({ line }) => line).sort()).toEqual(expected.sort());
	});

	it('take a branch for records that exist, and create the others', async () => {
		const titles = ['Order new pots', 'Repair the fence'];
		const branch = async () => await run('branch-on-existing-records', 'Create them', 'Skipped');
		expect(await branch()).toMatchObject([titles.map((Title) => ({ Title })), []]);
		const message = (title: string) => ({ message: `There is a task '${title}' already` });
		expect(await branch()).toMatchObject([[], titles.map(message)]);
	});

	it('make a record of each form submission', async () => {
		const { client, triggered } = bench();
		const saved = example('form-to-record');
		const address = saved.nodes.find(({ name }) => name === 'New task form')?.webhookId;
		await client.publish(saved);
		const body = new FormData();
		for (const [place, entry] of ['Paint the door', 'Normal', '', 'Blue'].entries())
			body.set(`field-${place}`, entry);
		const response = await fetch(`${client.baseUrl}/form/${address}`, { method: 'POST', body });
		expect(response.status).toBe(200);
		const created = outputOf(await triggered(saved), 'Create the task');
		expect(created.map(({ json }) => json)).toMatchObject([
			{ Title: 'Paint the door', Priority: 'Normal', Done: false, Notes: 'Blue' },
		]);
		await client.unpublish(saved.id);
	});

	it('show old records, and delete them only when told to', async () => {
		const name = 'clean-up-old-records';
		const [deleted, old = []] = await run(name, 'Delete old records', 'Show old records');
		expect(deleted).toEqual([]);
		const titles = old.map(({ Title }) => Title).sort();
		expect(titles).toEqual(['File the receipts', 'Renew the passport']);

		const assignments = [
			{ id: 'a', name: 'before', type: 'string', value: '2026-05-01' },
			{ id: 'b', name: 'reallyDelete', type: 'boolean', value: true },
		];
		const nodes = example(name).nodes.map((node) =>
			node.name === 'Settings'
				? { ...node, parameters: { ...node.parameters, assignments: { assignments } } }
				: node,
		);
		workflows.set(`${name}.json`, await bench().client.updateWorkflow(example(name), { nodes }));
		const ids = async () => (await output(name, 'Delete old records')).map(({ id }) => id);
		expect(await ids()).toEqual(old.map(({ id }) => id));
		expect(await ids()).toEqual([]);
	});

	it('bring back what was deleted or overwritten', async () => {
		const nodes = ['Create them again', 'Write them back'];
		const [created, written] = await run('bring-back-records', ...nodes);
		const book = { Title: 'Return the library books', Priority: 'High', Due: '2026-05-11' };
		expect(created).toMatchObject([book]);
		const old = { Priority: 'Normal', Notes: 'On the way home', Hours: 0.5 };
		expect(written).toMatchObject([{ id: created?.[0]?.id, ...old }]);
	});
});
