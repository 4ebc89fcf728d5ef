/** Packages that ship ES modules only; jest runs CommonJS, so they are transformed like our own code. */
const esModules = [
	...['oidc-provider', 'jose', 'koa', 'eta', 'execa', 'ulid', 'nanoid'],
	...['@fastify/cookie', 'cookie'],
];

/** @param {string} name the folder under test/ @returns {import('jest').Config} */
const project = (name) => ({
	displayName: name,
	testEnvironment: 'node',
	// Not the whole checkout: two n8n may be installed in it.
	roots: ['credentials', 'nodes', 'service', 'test'].map((folder) => `<rootDir>/${folder}`),
	modulePathIgnorePatterns: ['<rootDir>/test/e2e/'],
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

/** @type {import('jest').Config} */
module.exports = {
	projects: ['unit', 'node', 'service'].map(project),
	// Against hanging only. What has to be quick says so itself, in a test of its own.
	testTimeout: 60_000,
	reporters: ['default', '<rootDir>/test/support/closingLine.js'],
};
