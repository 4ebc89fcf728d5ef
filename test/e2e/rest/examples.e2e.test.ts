/** The example workflows: importable unchanged, and they do what their notes say. */
import { until } from '../../host/deadline.ts';
import { importExamples, readExamples } from '../../host/examples.ts';
import { failureOf, outputOf, type SavedWorkflow } from '../../host/n8nClient.ts';
import { useSharedBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

const actionsOf = (items: ReturnType<typeof outputOf>) =>
	new Set(items.map(({ json }) => json.action));

it('holds no credentials: n8n would keep them in place of what a person chooses', async () => {
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
	const example = (file: string): SavedWorkflow => {
		const found = workflows.get(file);
		if (!found) throw new Error(`There is no examples/${file}`);
		return found;
	};

	beforeAll(async () => {
		const { client, credentials } = bench();
		({ workflows } = await importExamples(client, credentials));
	});

	it('create the card once, then rows, and no row twice', async () => {
		const { succeedAgain } = bench();
		const create = example('create-card-with-typed-fields.json');
		expect(outputOf(await succeedAgain(create), 'Add fields')).toHaveLength(8);
		const again = await succeedAgain(create);
		expect(outputOf(again, 'Add fields')).toEqual([]);
		expect(outputOf(again, 'Nothing to do')).not.toEqual([]);

		const rows = example('import-rows-create-or-update.json');
		const written = async () => outputOf(await succeedAgain(rows), 'Create or update records');
		const first = await written();
		expect(first).toHaveLength(8);
		expect(actionsOf(first)).toEqual(new Set(['created']));
		const second = await written();
		expect(second.map(({ json }) => json.id)).toEqual(first.map(({ json }) => json.id));
		expect(actionsOf(second)).toEqual(new Set(['unchanged']));
	});

	it('make a card equal to a source, and send nothing when nothing changed', async () => {
		const { succeedAgain } = bench();
		const nightly = example('nightly-sync.json');
		const synced = async () => outputOf(await succeedAgain(nightly), 'Sync products');
		expect((await synced()).map(({ json }) => json.action)).toEqual(
			Array.from({ length: 4 }, () => 'created'),
		);
		const again = await synced();
		expect(again).toHaveLength(4);
		expect(actionsOf(again)).toEqual(new Set(['unchanged']));
	});

	it('turn a CSV file into a card, once', async () => {
		const { client, succeedAgain } = bench();
		const file = example('csv-file-to-card.json');
		const records = outputOf(await succeedAgain(file), 'Card from the rows');
		expect(records.map(({ json }) => json)).toMatchObject([
			{
				Code: '007',
				Title: 'The Left Hand of Darkness',
				Price: 12.5,
				Pages: 304,
				Published: '1969-03-01',
				Language: 'English',
				Available: true,
				Publisher: 'https://example.com/ace',
			},
			expect.objectContaining({ Code: '0042', Price: 9.9, Available: true }),
			expect.objectContaining({ Code: '1984', Price: 11, Available: false }),
		]);
		const again = await client.run(file, 'Start');
		expect(failureOf(again)).toContain("A card called 'Books' exists already");
	});

	it('keep a card equal to a CSV file of Europe', async () => {
		const { succeedAgain } = bench();
		const file = example('european-csv-to-card.json');
		const synced = async () => outputOf(await succeedAgain(file), 'Sync customers');
		const records = await synced();
		expect(records).toHaveLength(20);
		expect(actionsOf(records)).toEqual(new Set(['created']));
		expect(records.map(({ json }) => json)).toMatchObject([
			{
				...{ Name: 'José Peña', Ort: 'Málaga', Betrag: 12.5, Geburtsdatum: '1985-02-03' },
				...{ Aktiv: true, PLZ: '01067' },
			},
			{ Name: 'Zoë Müller', Betrag: 1299, Geburtsdatum: '1999-12-31', Aktiv: false },
			...Array.from({ length: 17 }, () => ({ Aktiv: expect.any(Boolean) as unknown })),
			{ Name: 'Andrés Gil', Betrag: 1_000_000.01, Geburtsdatum: '1974-03-08' },
		]);
		expect(actionsOf(await synced())).toEqual(new Set(['unchanged']));
	});

	it('keep two cards equal, with new fields and choices', async () => {
		const { api, succeedAgain } = bench();
		const sync = example('two-way-sync-by-key.json');
		const actions = async () => {
			const execution = await succeedAgain(sync);
			return ['Write to the shop', 'Write to the CRM'].map((node) => [
				...actionsOf(outputOf(execution, node)),
			]);
		};
		expect(await actions()).toEqual([['created'], ['created']]);

		const crm = await api.findCard('Customers in the CRM');
		// A customer of the CRM is changed there, and has something that the shop does not know.
		await api.call('POST', `/cards/${crm.id}/fields`, { name: 'Orders', type: 'number' });
		const changed = await api.findCard(crm.name);
		const ada = (await api.records(changed)).find(({ fields }) => fields.Name === 'Ada');
		const values = { Name: 'Ada L.', Orders: 3, Changed: '2026-06-01T09:00:00Z' };
		const data = Object.fromEntries(
			Object.entries(values).map(([name, value]) => [changed.fields[name] ?? name, value]),
		);
		await api.call('PATCH', `/cards/${crm.id}/records/${ada?.id}`, { data });
		// The other customer is the same in both, and the CRM has its own change already.
		expect((await actions()).map((written) => written.sort())).toEqual([
			['unchanged', 'updated'],
			['unchanged'],
		]);
		const shop = await api.findCard('Customers in the shop');
		const rows = (await api.records(shop)).map(({ fields }) => fields);
		// Written side by side, they are stored in any order.
		rows.sort((a, b) => (String(a.Email) < String(b.Email) ? -1 : 1));
		expect(rows).toEqual([
			{ Email: 'ada@example.com', Level: 'Gold', ...values },
			{
				Email: 'grace@example.com',
				Name: 'Grace',
				Level: 'Silver',
				Changed: '2026-05-02T09:00:00Z',
			},
		]);
	});

	it('list and filter', async () => {
		const execution = await bench().succeedAgain(example('list-and-filter-records.json'));
		expect(outputOf(execution, 'One line each').map(({ json }) => json.line)).toEqual([
			'2026-05-04: Water the plants (0.5 h)',
			'2026-05-06: Book the train (1 h)',
			'2026-05-20: Prepare the talk (8 h)',
		]);
	});

	it('poll: published, it gives each record once; by hand it shows what would come', async () => {
		const { api, client } = bench();
		const { nodes, connections } = example('poll-for-new-records.json');
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
		/** Publishes until an execution gave records. @returns what all executions gave, in their order */
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
		const byHand = messages(await client.run(poll, 'Every five minutes'));
		// n8n 1 does not tell a manual run what was returned before.
		expect(byHand).toHaveLength(major === 1 ? 9 : 1);
		expect(byHand).toContain('New: Feed the cat');
		expect(await polled(9)).toEqual([...first, 'New: Feed the cat']);
	});

	it('react to changes by the service account', async () => {
		const { client, succeedAgain, triggered } = bench();
		const watcher = example('react-to-record-changes.json');
		await client.publish(watcher);
		const change = await succeedAgain(example('service-account-update.json'));
		expect(outputOf(change, 'Mark as done')[0]?.json).toMatchObject({ Done: true });
		const execution = await triggered(watcher);
		expect(outputOf(execution, 'Changed')[0]?.json.message).toMatch(
			/^Changed: record \S+, Done is true$/,
		);
		await client.unpublish(watcher.id);
	});

	it('sum up the open tasks', async () => {
		const execution = await bench().succeedAgain(example('weekly-summary.json'));
		const { subject, text } = outputOf(execution, 'Summary')[0]?.json ?? {};
		const lines = String(text).split('\n');
		expect(subject).toBe(`${lines.length} open tasks`);
		expect(lines.at(0)).toBe('2026-05-05: Call the plumber (Normal)');
		expect(lines.at(-1)).toBe('no date: Sort the photos (Low)');
	});

	it('count the open tasks and add up their hours, by priority', async () => {
		const execution = await bench().succeedAgain(example('weekly-report.json'));
		const open = outputOf(execution, 'Get open tasks').map(({ json }) => json);
		const lines = outputOf(execution, 'One line each').map(({ json }) => json.line);
		const expected = [...new Set(open.map(({ Priority }) => Priority))].map((priority) => {
			const tasks = open.filter(({ Priority }) => Priority === priority);
			const hours = tasks.reduce((sum, { Hours }) => sum + Number(Hours ?? 0), 0);
			return `${String(priority)}: ${tasks.length} open, ${hours} h`;
		});
		expect(expected.length).toBeGreaterThan(1);
		expect(lines.sort()).toEqual(expected.sort());
	});

	it('take a branch for records that exist, and create the others', async () => {
		const { succeedAgain } = bench();
		const branch = example('branch-on-existing-records.json');
		const titles = ['Order new pots', 'Repair the fence'];
		const first = await succeedAgain(branch);
		expect(outputOf(first, 'Skipped')).toEqual([]);
		const created = outputOf(first, 'Create them').map(({ json }) => json);
		expect(created).toMatchObject(titles.map((Title) => ({ Title })));
		const second = await succeedAgain(branch);
		expect(outputOf(second, 'Create them')).toEqual([]);
		expect(outputOf(second, 'Skipped').map(({ json }) => json.message)).toEqual(
			titles.map((title) => `There is a task '${title}' already`),
		);
	});

	it('make a record of each form submission', async () => {
		const { client, triggered } = bench();
		const saved = example('form-to-record.json');
		const address = saved.nodes.find(({ name }) => name === 'New task form')?.webhookId;
		await client.publish(saved);
		const entries = new FormData();
		for (const [place, entry] of ['Paint the door', 'Normal', '', 'Blue'].entries()) {
			entries.set(`field-${place}`, entry);
		}
		const answer = await fetch(`${client.baseUrl}/form/${address}`, {
			method: 'POST',
			body: entries,
		});
		expect(answer.status).toBe(200);
		const created = outputOf(await triggered(saved), 'Create the task');
		expect(created.map(({ json }) => json)).toMatchObject([
			{ Title: 'Paint the door', Priority: 'Normal', Done: false, Notes: 'Blue' },
		]);
		await client.unpublish(saved.id);
	});

	it('show old records, and delete them only when told to', async () => {
		const { client, succeedAgain } = bench();
		const cleanUp = example('clean-up-old-records.json');
		const shown = await succeedAgain(cleanUp);
		expect(outputOf(shown, 'Delete old records')).toEqual([]);
		const old = outputOf(shown, 'Show old records').map(({ json }) => json);
		expect(old.map(({ Title }) => Title).sort()).toEqual([
			'File the receipts',
			'Renew the passport',
		]);

		const assignments = [
			{ id: 'a', name: 'before', type: 'string', value: '2026-05-01' },
			{ id: 'b', name: 'reallyDelete', type: 'boolean', value: true },
		];
		const nodes = cleanUp.nodes.map((node) =>
			node.name === 'Settings'
				? { ...node, parameters: { ...node.parameters, assignments: { assignments } } }
				: node,
		);
		const told = await client.updateWorkflow(cleanUp, { nodes });
		const deleted = async () =>
			outputOf(await succeedAgain(told), 'Delete old records').map(({ json }) => json.id);
		expect(await deleted()).toEqual(old.map(({ id }) => id));
		expect(await deleted()).toEqual([]);
	});

	it('bring back what was deleted or overwritten', async () => {
		const execution = await bench().succeedAgain(example('bring-back-records.json'));
		const created = outputOf(execution, 'Create them again').map(({ json }) => json);
		expect(created).toMatchObject([
			{ Title: 'Return the library books', Priority: 'High', Due: '2026-05-11' },
		]);
		expect(outputOf(execution, 'Write them back').map(({ json }) => json)).toMatchObject([
			{ id: created[0]?.id, Priority: 'Normal', Notes: 'On the way home', Hours: 0.5 },
		]);
	});
});
