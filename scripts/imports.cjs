/**
 * The directions of imports (docs/architecture.md), which `npm run lint:imports` checks: a room imports from
 * the rooms that are listed for it, and nothing imports in a circle.
 */
const nodes = '^nodes/WorkspaceData';
const room = (name) => `${nodes}/${name}/`;
const modules = (...names) => `^(?:${names.join('|')})$`;

/** What n8n provides, as dependency-cruiser names it after resolving. */
const n8nWorkflow = '(?:^|/)node_modules/n8n-workflow/';
const zod = '(?:^|/)node_modules/zod/v3/';
const luxon = '(?:^|/)node_modules/(?:@types/)?luxon/';
const crypto = modules('crypto', 'node:crypto');

/** Each room, and the rooms and modules that it may import from in addition to itself. */
const rooms = {
	headers: {
		path: `${nodes}/[^/]+\\.node\\.ts$`,
		to: [room('actions'), room('trigger'), room('methods'), room('properties'), n8nWorkflow],
	},
	actions: {
		path: room('actions'),
		to: [room('records'), room('transport'), room('values'), room('properties'), n8nWorkflow, zod],
	},
	trigger: {
		path: room('trigger'),
		to: [
			room('records'),
			room('transport'),
			room('values'),
			room('properties'),
			n8nWorkflow,
			zod,
			crypto,
		],
	},
	methods: {
		path: room('methods'),
		to: [room('records'), room('transport'), room('values'), room('properties'), n8nWorkflow, zod],
	},
	records: {
		path: room('records'),
		to: [room('transport'), room('values'), room('properties'), n8nWorkflow, zod, luxon, crypto],
	},
	transport: {
		path: room('transport'),
		to: [room('values'), n8nWorkflow, zod, crypto],
	},
	values: { path: room('values'), to: [zod, crypto] },
	properties: { path: room('properties'), to: [] },
	credentials: { path: '^credentials/', to: [room('transport'), room('values')] },
	service: {
		path: '^service/(?!test/).*\\.ts$',
		to: ['(?:^|/)node_modules/', modules('node:.*', '[a-z0-9_/]+')],
	},
	host: {
		path: '^test/host/.*\\.ts$',
		to: [
			'^service/control/controlClient\\.ts$',
			'(?:^|/)node_modules/',
			modules('node:.*', '[a-z0-9_/]+'),
		],
	},
};

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			name: 'no-circle',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		// No two folders import each other, a folder and the one around it neither.
		{
			name: 'folder-of-parts',
			severity: 'error',
			from: { path: `${nodes}/((?!values)[^/]+)/[^/]+/` },
			to: { path: `${nodes}/$1/[^/]+$` },
		},
		{
			name: 'kinds-on-values',
			severity: 'error',
			from: { path: `${nodes}/values/[^/]+$` },
			to: { path: room('values/kinds') },
		},
		{
			name: 'nothing-unresolved',
			severity: 'error',
			from: { path: '^(?:nodes|credentials|service|scripts)/' },
			to: { couldNotResolve: true },
		},
		...Object.entries(rooms).map(([name, { path, to }]) => ({
			name: `direction-of-${name}`,
			severity: 'error',
			from: { path },
			to: { pathNot: [path, ...to], dependencyTypesNot: ['type-only'] },
		})),
		// The types of n8n say nothing at run time; ours have a direction, too.
		...Object.entries(rooms).map(([name, { path, to }]) => ({
			name: `direction-of-types-in-${name}`,
			severity: 'error',
			from: { path },
			to: {
				pathNot: [path, ...to, n8nWorkflow, ...(name === 'host' ? ['^service/'] : [])],
				dependencyTypes: ['type-only'],
			},
		})),
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '(?:^|/)(?:dist|test/(?:host/n8n-[12]|n8n-1x-core|package)/node_modules)/' },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['import', 'require', 'node', 'default', 'types'],
			extensions: ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
		},
		skipAnalysisNotInRules: true,
	},
};
