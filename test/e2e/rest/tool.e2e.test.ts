/** The action node as a tool of an agent: n8n's own tool executor stands in for the agent. */
import { outputOf } from '../../../host/n8nClient.ts';
import { byId, chain, manualTrigger, mapEach } from '../../../host/workflowBuilder.ts';
import { useBench } from '../support/bench.ts';
import { major } from '../support/settings.ts';

describe(`tool use in n8n ${major}`, () => {
	const bench = useBench(major, { N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true' });

	it('writes what the agent decides', async () => {
		const { action, api, succeed, types } = bench();
		const card = await api.createCard('Books', [
			['Title', 'text'],
			['Pages', 'number'],
		]);
		const decided = { Title: 'Emma', Pages: 474 };
		const executor = {
			name: 'Executor',
			type: '@n8n/n8n-nodes-langchain.toolExecutor',
			parameters: {
				toolName: 'Add_a_book',
				// 1.x takes the input of the one tool, 2.x that of several by name.
				query: JSON.stringify(major === 1 ? decided : { Add_a_book: decided }),
			},
		};
		const tool = action(
			'Add a book',
			{
				descriptionType: 'manual',
				toolDescription: 'Adds a book to the card Books',
				resource: 'record',
				operation: 'create',
				cardId: byId(card.id),
				columns: mapEach({
					Title: "={{ $fromAI('Title', 'The title of the book', 'string') }}",
					Pages: "={{ $fromAI('Pages', 'How many pages it has', 'number') }}",
				}),
			},
			{ type: `${types.action}Tool` },
		);
		const workflow = chain('Tool use', [manualTrigger(), executor, tool]);
		workflow.connections = {
			Start: { main: [[{ node: 'Executor', type: 'main', index: 0 }]] },
			'Add a book': { ai_tool: [[{ node: 'Executor', type: 'ai_tool', index: 0 }]] },
		};
		const execution = await succeed(workflow);
		expect(JSON.stringify(outputOf(execution, 'Executor'))).toContain('Emma');
		expect((await api.records(card)).map(({ fields }) => fields)).toEqual([decided]);
	});
});
