/** The action node as a tool of an agent whose model is scripted. */
import { readExamples, withCredentials } from '../../host/examples.ts';
import { outputOf } from '../../host/n8nClient.ts';
import { useSharedBench } from '../support/bench.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scriptedModel.ts';
import type { TestCard } from '../../host/serviceApi.ts';
import { major } from '../support/settings.ts';

describe(`tool use in n8n ${major}`, () => {
	const bench = useSharedBench(major);

	/** The card that the example's tools find by its name. */
	let tasks: TestCard;
	beforeEach(async () => {
		tasks = await bench().api.createCard('Tasks', [
			['Title', 'text'],
			['Done', 'boolean'],
			['Priority', 'single_select', ['Low', 'Normal', 'High']],
			['Tags', 'multi_select', ['home', 'office', 'garden', 'travel']],
		]);
	});
	afterEach(async () => void (await bench().api.call('DELETE', `/cards/${tasks.id}`)));

	/** Runs the example with a model, which is closed afterwards. */
	async function runExample(model: ScriptedModel, agentVersion?: number) {
		const { client, credentials, succeed } = bench();
		const openAiApi = await client.createCredential('OpenAI', 'openAiApi', {
			apiKey: 'not-needed',
			url: model.url,
		});
		const example = (await readExamples()).find(
			({ file }) => file === 'agent-reads-and-writes-a-card.json',
		);
		if (!example) throw new Error('The example is missing');
		const workflow = withCredentials(example, { ...credentials, openAiApi });
		const agent = workflow.nodes.find(({ name }) => name === 'Agent');
		if (agent && agentVersion) agent.typeVersion = agentVersion;
		const execution = await succeed(workflow);
		await model.close();
		return { execution, tools: model.tools() };
	}

	it('an agent reads and writes a card; a sentence describes each value', async () => {
		const { api } = bench();
		await api.createRecord(tasks, {
			Title: 'Rest',
			Done: false,
			Priority: 'Low',
			Tags: ['travel'],
		});
		const task = { Title: 'Water the plants', Done: false, Priority: 'High', Tags: ['garden'] };
		await api.createRecord(tasks, task);

		/** Finds, then changes what was found, then says what it was. */
		const model = await startScriptedModel((results) => {
			const [found, changed] = results;
			if (found === undefined) {
				return { tool: 'Find_tasks', input: { Search: 'PLANTS', Priority: 'High', Done: false } };
			}
			const id = /"id"\s*:\s*"([^"]+)"/.exec(found.replaceAll('\\', ''))?.[1] ?? '';
			if (changed === undefined) {
				const input = { Record_ID: id, Done: true, Tags: 'garden, home' };
				return { tool: 'Change_a_task', input };
			}
			return { say: `Done: ${/Water the plants/.exec(changed)?.[0]}` };
		});
		const { execution, tools } = await runExample(model);

		expect(outputOf(execution, 'Agent')[0]?.json.output).toBe('Done: Water the plants');
		const records = (await api.records(tasks)).map(({ fields }) => fields);
		expect(records).toContainEqual({ ...task, Done: true, Tags: ['garden', 'home'] });
		expect(records).toContainEqual(expect.objectContaining({ Title: 'Rest', Done: false }));
		expect(tools.get('Find_tasks')?.parameters.properties).toMatchObject({
			Search: { type: 'string', description: expect.stringContaining('in all fields') },
			Priority: { type: 'string', description: expect.stringContaining('Low, Normal, High') },
			Done: { type: 'boolean', description: expect.stringContaining('true or false') },
		});
		expect(tools.get('Change_a_task')?.parameters.properties).toMatchObject({
			Record_ID: { description: expect.stringContaining('as Find tasks gave it') },
			Tags: { description: expect.stringContaining('separated by commas') },
		});
	});

	it.each([1.9, 3])(
		'a refused call tells an agent of version %s which values are allowed',
		async (version) => {
			const { api } = bench();
			const task = { Title: 'Rest', Done: false, Priority: 'Low', Tags: ['travel'] };
			const id = await api.createRecord(tasks, task);
			let refusal = '';
			const model = await startScriptedModel((results) => {
				const input = { Record_ID: id, Done: true };
				if (results.length === 0) {
					return { tool: 'Change_a_task', input: { ...input, Tags: 'beach' } };
				}
				refusal = results[0] ?? '';
				const [, allowed] = /Allowed values are '(\w+)'/.exec(refusal) ?? [];
				if (results.length === 1) {
					return { tool: 'Change_a_task', input: { ...input, Tags: allowed } };
				}
				return { say: 'Done' };
			});
			const { execution } = await runExample(model, version);

			expect(refusal).toContain("Allowed values are 'home', 'office', 'garden', 'travel'");
			expect(outputOf(execution, 'Agent')[0]?.json.output).toBe('Done');
			expect((await api.records(tasks))[0]?.fields).toEqual({
				...task,
				Done: true,
				Tags: ['home'],
			});
		},
	);
});
