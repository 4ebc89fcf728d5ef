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
	async function runExample(model: ScriptedModel, agentVersion: number) {
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
		if (agent) agent.typeVersion = agentVersion;
		const execution = await succeed(workflow);
		await model.close();
		return { execution, tools: model.tools() };
	}

	it.each([1.9, 3])(
		'an agent of version %s reads and writes a card, is told which values are allowed, and a sentence describes each value',
		async (version) => {
			const { api } = bench();
			const rest = { Title: 'Rest', Done: false, Priority: 'Low', Tags: ['travel'] };
			const task = { Title: 'Water the plants', Done: false, Priority: 'High', Tags: ['garden'] };
			for (const values of [rest, task]) await api.createRecord(tasks, values);

			/** Finds, changes what was found to what it can't hold, then as the refusal says, then says what it was. */
			const model = await startScriptedModel(([found, refused, changed]) => {
				if (found === undefined) {
					return { tool: 'Find_tasks', input: { Search: 'PLANTS', Priority: 'High', Done: false } };
				}
				const Record_ID = /"id"\s*:\s*"([^"]+)"/.exec(found.replaceAll('\\', ''))?.[1] ?? '';
				const change = { tool: 'Change_a_task', input: { Record_ID, Done: true, Tags: 'beach' } };
				if (refused === undefined) return change;
				const [, home, garden] = /Allowed values are '(\w+)', '\w+', '(\w+)'/.exec(refused) ?? [];
				if (changed === undefined) {
					return { ...change, input: { ...change.input, Tags: `${garden}, ${home}` } };
				}
				return { say: `Done: ${/Water the plants/.exec(changed)?.[0]}` };
			});
			const { execution, tools } = await runExample(model, version);

			expect(outputOf(execution, 'Agent')[0]?.json.output).toBe('Done: Water the plants');
			const records = (await api.records(tasks)).map(({ fields }) => fields);
			expect(records).toContainEqual({ ...task, Done: true, Tags: ['garden', 'home'] });
			expect(records).toContainEqual(rest);
			expect(tools.get('Find_tasks')?.parameters.properties).toMatchObject({
				Search: { type: 'string', description: expect.stringContaining('in all fields') },
				Priority: { type: 'string', description: expect.stringContaining('Low, Normal, High') },
				Done: { type: 'boolean', description: expect.stringContaining('true or false') },
			});
			expect(tools.get('Change_a_task')?.parameters.properties).toMatchObject({
				Record_ID: { description: expect.stringContaining('as Find tasks returned it') },
				Tags: { description: expect.stringContaining('separated by commas') },
			});
		},
	);
});
