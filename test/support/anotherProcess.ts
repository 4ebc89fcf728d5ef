/** n8n's own modules are the same in every process of a test: loading them again takes longer than most tests. */
const PARTS_OF_N8N = [
	'n8n-core',
	'n8n-workflow',
	'@n8n/backend-common',
	'@n8n/di',
	'reflect-metadata',
	'zod',
];

/**
 * Loads modules as another process of n8n does: they know nothing of what ours remember.
 *
 * @param parts the modules of n8n that they use
 */
export function inAnotherProcess<T>(load: () => T, parts: string[] = PARTS_OF_N8N): T {
	const shared = parts.map((part) => [part, jest.requireActual<object>(part)] as const);
	const loaded: T[] = [];
	jest.isolateModules(() => {
		for (const [part, copy] of shared) jest.doMock(part, () => copy);
		loaded.push(load());
		for (const part of parts) jest.dontMock(part);
	});
	const [result] = loaded;
	if (result === undefined) throw new Error("The modules couldn't be loaded");
	return result;
}
