import { startWebServer } from '../../support/webServer.ts';

/** A tool as a model is told about it. */
interface ToolForModel {
	name: string;
	description: string;
	/** JSON schema of what the model is to give. */
	parameters: { properties?: Record<string, { type?: string; description?: string }> };
}

/** The decision of a model: a call of a tool, or the words that end the conversation. */
type Decision = { tool: string; input: Record<string, unknown> } | { say: string };

/** A chat model whose decisions are written down beforehand. */
export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

interface ChatRequest {
	stream?: boolean;
	messages: Array<{ role: string; content?: unknown }>;
	tools?: Array<{ function: ToolForModel }>;
}

/** The text of a message: OpenAI's API has it bare, or in parts. */
function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	const parts = Array.isArray(content) ? (content as Array<{ text?: string }>) : [];
	return parts.map(({ text }) => text ?? '').join('');
}

/** The message of the assistant that carries out a decision. */
function messageFor(decision: Decision, step: number) {
	if ('say' in decision) return { role: 'assistant', content: decision.say };
	const { tool: name, input } = decision;
	const call = {
		id: `call_${step}`,
		type: 'function',
		function: { name, arguments: JSON.stringify(input) },
	};
	return { role: 'assistant', content: null, tool_calls: [call] };
}

/**
 * Starts a server that speaks OpenAI's chat completions as far as n8n's node needs them, streamed or
 * whole.
 *
 * @param decide gets what the tools have given in this conversation, in their order
 */
export async function startScriptedModel(decide: (results: readonly string[]) => Decision) {
	let offered = new Map<string, ToolForModel>();

	function answer(body: string): { text: string; type: string } {
		const { messages, tools = [], stream } = JSON.parse(body) as ChatRequest;
		offered = new Map(tools.map(({ function: tool }) => [tool.name, tool]));
		const results = messages.filter(({ role }) => role === 'tool');
		const message = messageFor(
			decide(results.map(({ content }) => textOf(content))),
			results.length,
		);
		const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
		const facts = { id: 'chat', created: 0, model: 'scripted' };
		if (!stream) {
			const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
			const choices = [{ index: 0, message, finish_reason }];
			const whole = { ...facts, object: 'chat.completion', choices, usage };
			return { text: JSON.stringify(whole), type: 'application/json' };
		}
		const calls = 'tool_calls' in message ? message.tool_calls : undefined;
		const delta = {
			...message,
			...(calls && { tool_calls: calls.map((call, index) => ({ ...call, index })) }),
		};
		const chunk = (choice: object) =>
			`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [choice] })}\n\n`;
		const end = chunk({ index: 0, delta: {}, finish_reason });
		return {
			text: `${chunk({ index: 0, delta, finish_reason: null })}${end}data: [DONE]\n\n`,
			type: 'text/event-stream',
		};
	}

	const server = await startWebServer((request, response) => {
		const parts: Buffer[] = [];
		request.on('data', (part: Buffer) => parts.push(part));
		request.on('end', () => {
			const { text, type } =
				request.method === 'POST'
					? answer(Buffer.concat(parts).toString())
					: { text: '{"object":"list","data":[]}', type: 'application/json' };
			response.writeHead(200, { 'content-type': type }).end(text);
		});
	});
	return {
		/** Base URL for a credential of OpenAI's API. */
		url: `${server.url}/v1`,
		/** The tools that n8n offered with the last request, by name. */
		tools: () => offered,
		close: server.close,
	};
}
