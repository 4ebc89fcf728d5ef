const { existsSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');

/** Packages that ship ES modules only; jest runs CommonJS, so they are transformed like our own code. */
const esModules = ['oidc-provider', 'jose', 'koa', 'eta', 'execa', 'ulid', 'nanoid'];

/** @param {string} name what it is called, and its folder under test/ @returns {import('jest').Config} */
const project = (name) => ({
	displayName: name,
	testEnvironment: 'node',
	// Not the whole checkout: two n8n may be installed in it, or are just being installed.
	roots: [`<rootDir>/test/${name}`],
	testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
	setupFiles: ['<rootDir>/test/support/environment.ts'],
	transform: {
		'^.+\\.[mc]?[jt]s$': [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
				module: { type: 'commonjs' },
			},
		],
	},
	transformIgnorePatterns: [`/node_modules/(?!(?:${esModules.join('|')})/)`],
});

/**
 * The files of these promises; one that has another name by now would be left out unseen.
 *
 * @param {string[]} names
 */
const ofNode = (...names) =>
	names.map((name) => {
		const path = join(__dirname, 'test', 'node', `${name}.test.ts`);
		if (!existsSync(path)) throw new Error(`${path} isn't there`);
		return path;
	});

/**
 * The tests of the nodes in the engine of n8n 1: where n8n has a part in the result. That is its HTTP client and its errors,
 * items and their pairing, expressions, credentials, the editor's calls, static data, hooks and webhooks. What is decided in
 * nodes/ alone is the same on both.
 */
const n8nHasPart = [
	...['credentials', 'description', 'editor', 'mapping', 'network', 'patterns', 'interface'],
	...['executions', 'values', 'output', 'writes'],
	...['triggerDelivery', 'triggerPublishing', 'triggerRestarts'],
];

/** @type {import('jest').Config} */
const nodeOnN8n1 = {
	...project('node'),
	displayName: 'node-n8n1',
	testMatch: ofNode(...n8nHasPart),
	globals: { n8nMajor: 1 },
	resolver: '<rootDir>/test/n8n-1x-core/resolver.cjs',
	globalSetup: '<rootDir>/test/n8n-1x-core/install.ts',
	setupFiles: [...project('node').setupFiles, '<rootDir>/test/n8n-1x-core/timers.ts'],
};

/**
 * The tests of the nodes that use every shape of answers, saved data and events, with zod 4 in place of n8n's zod.
 *
 * @type {import('jest').Config}
 */
const nodeOnZod4 = {
	...project('node'),
	displayName: 'node-zod4',
	roots: ['<rootDir>/test/node', '<rootDir>/test/zod-4'],
	testMatch: [
		'<rootDir>/test/zod-4/*.test.ts',
		...ofNode('interface', 'reading', 'triggerDelivery', 'triggerPublishing'),
	],
	resolver: '<rootDir>/test/zod-4/resolver.cjs',
};

/** @type {import('jest').Config} */
module.exports = {
	projects: [
		...['rules', 'node', 'worlds'].map(project),
		{
			...project('service'),
			roots: ['<rootDir>/service/test'],
			testMatch: ['<rootDir>/service/test/*.test.ts'],
		},
		nodeOnN8n1,
		nodeOnZod4,
	],
	// One more worker than cores: many tests wait for the network or for time, a third of the CPU was idle.
	maxWorkers: availableParallelism() + 1,
	// Against hanging only. What has to be quick says so itself, in a test of its own.
	testTimeout: 60_000,
	reporters: ['default', '<rootDir>/test/support/closingLine.js'],
};
