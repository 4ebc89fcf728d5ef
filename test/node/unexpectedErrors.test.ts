/** An error that nobody expected: what n8n stores must show where it comes from, and no secret. */
import type { INode } from 'n8n-workflow';
import { toNodeError } from '../../nodes/WorkspaceData/transport/failure/nodeError';
import { redact } from '../../nodes/WorkspaceData/model/redact';

const node: INode = {
	id: '1',
	name: 'Ours',
	type: 'n8n-nodes-workspace-data.workspaceData',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const SECRET = 'key-of-unexpected-errors';

function lineThatThrew(text: string): never {
	throw new TypeError(text);
}

function thrownWith(text: string): unknown {
	try {
		return lineThatThrew(text);
	} catch (error) {
		return error;
	}
}

test('the stack holds the line that threw (H21)', () => {
	const error = toNodeError(node, thrownWith('x is not a function'), { itemIndex: 3 });
	expect(error.message).toBe('x is not a function');
	expect(error.context.itemIndex).toBe(3);
	expect(error.stack).toContain('lineThatThrew');
	expect(error.stack).toContain('unexpectedErrors.test');
	expect(error.stack).not.toContain('nodeError.ts');
});

test('neither stack nor message nor cause has a secret (H21)', () => {
	const place = { redact: (text: string) => redact(text, [SECRET]) };
	const error = toNodeError(node, thrownWith(`no ${SECRET}, no Bearer abcdefgh12345678`), place);
	const seen = [error.message, error.stack, error.description, JSON.stringify(error)];
	const { cause } = error;
	if (cause instanceof Error) seen.push(cause.message, cause.stack);
	expect(error.stack).toContain('lineThatThrew');
	for (const text of seen) expect(text ?? '').not.toMatch(/key-of-unexpected|abcdefgh12345678/);
});

test.each(['text', 5, null, undefined, { a: 1 }])('%j thrown is an error, too', (thrown) => {
	expect(toNodeError(node, thrown).message).toBe(String(thrown));
});

test('an error without a stack keeps its message', () => {
	const bare = Object.assign(new Error('bare'), { stack: undefined });
	expect(toNodeError(node, bare).message).toBe('bare');
});
