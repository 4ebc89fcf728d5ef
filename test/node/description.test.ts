/** The node’s description, its pages, its preview and saved workflows tell the same story. */
import {
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeTypeDescription,
	NodeHelpers,
} from 'n8n-workflow';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import { findOperation, RESOURCES } from '../../nodes/WorkspaceData/actions/registry';
import { triggerProperties } from '../../nodes/WorkspaceData/trigger/properties';

const action = new WorkspaceData();
const trigger = new WorkspaceDataTrigger();
const root = resolve(__dirname, '../..');

/** The parameters of a node as n8n has them after opening it, and when it runs it. */
const opened = (description: INodeTypeDescription, parameters: INodeParameters) => {
	const node = { parameters, type: 'workspaceData', typeVersion: 1 } as INode;
	const { properties } = description;
	return NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description);
};

describe('the description', () => {
	const FORMATS = 'options.numberFormat options.dateFormat options.booleanWords';
	const SENDING = 'options.maxParallel options.timeout';
	const WRITING = `${FORMATS} options.emptyValues options.missingChoices options.unknownFields ${SENDING}`;
	const READING = 'options.fieldKeys options.outputFields options.timeout';
	const FILTERS = 'filters matchType';
	const PROPERTIES = 'additionalFields.customProperties additionalFields.ifExists';
	const FIELD = 'updateFields.name updateFields.type updateFields.choices updateFields.options';

	/** The contract's table: resource → operation → parameters, with entries of collections behind a dot. */
	const CONTRACT: Record<string, Record<string, string>> = {
		card: {
			create: `name fields additionalFields.description ${PROPERTIES}`,
			createFromItems: `name dryRun ${FORMATS} options.createRecords options.fieldTypes options.ifExists options.missingChoices ${SENDING}`,
			get: 'cardId',
			delete: 'cardId',
			getAll: 'returnAll limit',
			update: 'cardId updateFields.name updateFields.description updateFields.customProperties',
		},
		field: {
			create: `cardId name type choices additionalFields.options ${PROPERTIES}`,
			get: 'cardId fieldId',
			delete: 'cardId fieldId',
			getAll: 'cardId returnAll limit',
			update: `cardId fieldId ${FIELD} updateFields.customProperties`,
		},
		record: {
			create: `cardId columns ${WRITING}`,
			upsert: `cardId columns dryRun ${WRITING} options.clearFields options.ifNotFound options.ignoreCase options.multipleMatches options.upsertMode`,
			get: `cardId recordId simple ${READING} options.ifNotFound`,
			getAll: `cardId returnAll limit ${FILTERS} search sort since simple ${READING} options.ifNotFound`,
			update: `cardId recordId columns ${WRITING} options.clearFields options.ifNotFound options.oldValues`,
			delete: `cardId recordId options.ifNotFound ${SENDING}`,
			getPage: `cardId cursor limit simple ${READING}`,
			count: `cardId ${FILTERS}`,
			ifExists: `cardId ${FILTERS}`,
			ifNotExists: `cardId ${FILTERS}`,
			updateMany: `cardId ${FILTERS} columns maxChanges dryRun ${WRITING} options.clearFields`,
			sync: `cardId columns ${FILTERS} missingRecords maxDeletions dryRun ${WRITING} options.clearFields options.ignoreCase`,
			deleteMany: `cardId ${FILTERS} maxChanges dryRun ${SENDING}`,
		},
		apiDescription: { get: 'format' },
	};

	const PAIRS = Object.entries(CONTRACT).flatMap(([resource, operations]) =>
		Object.keys(operations).map((operation) => [resource, operation] as const),
	);

	/** All parameters, those inside collections too. */
	function* everyProperty(properties: INodeProperties[]): Generator<INodeProperties> {
		for (const property of properties) {
			yield property;
			const entries = (property.options ?? []) as Array<INodeProperties | INodePropertyCollection>;
			if (property.type === 'collection') yield* everyProperty(entries as INodeProperties[]);
			if (property.type === 'fixedCollection') {
				for (const { values } of entries as INodePropertyCollection[]) yield* everyProperty(values);
			}
		}
	}

	const choicesOf = ({ options }: INodeProperties) => (options ?? []) as INodePropertyOptions[];

	test('the selectors offer the contract’s operations, no more and no fewer', () => {
		const offered = action.description.properties
			.filter(({ name }) => name === 'operation')
			.flatMap((selector) =>
				choicesOf(selector).map(
					({ value }) => `${selector.displayOptions?.show?.resource} ${value}`,
				),
			);
		expect(offered.sort()).toEqual(PAIRS.map((pair) => pair.join(' ')).sort());
		const resources = action.description.properties.find(({ name }) => name === 'resource');
		// By use: the nodes panel shows the actions of the first one first.
		const values = choicesOf(resources as INodeProperties).map(({ value }) => value);
		expect(values).toEqual(['record', 'card', 'field', 'apiDescription']);
	});

	test.each(PAIRS)('%s %s has the contract’s parameters', (resource, operation) => {
		const found = findOperation(resource, operation);
		expect(found.value).toBe(operation);
		// What returns the input items may return anything: it has no preview.
		const preview = join(root, 'nodes/WorkspaceData/__schema__/v1.0.0', resource, operation);
		expect(existsSync(`${preview}.json`)).toBe(!found.passesOn);
		const names = action.description.properties
			.filter(({ displayOptions: { show } = {} }) => show?.resource?.includes(resource))
			.filter(({ displayOptions: { show } = {} }) => show?.operation?.includes(operation))
			.filter(({ type }) => type !== 'notice')
			.flatMap((property) =>
				property.type === 'collection'
					? choicesOf(property).map(({ name }) => `${property.name}.${name}`)
					: [property.name],
			);
		expect(names.sort()).toEqual((CONTRACT[resource]?.[operation] ?? '').split(' ').sort());
	});

	test('a new node starts with the defaults that the contract names', () => {
		expect(opened(action.description, {})).toMatchObject({
			authentication: 'apiKey',
			resource: 'record',
		});
		expect(action.description.usableAsTool).toBe(true);
	});

	test.each([
		['action', action.description.properties, action.methods],
		['trigger', trigger.description.properties, trigger.methods],
	] as const)('%s node: every method that a parameter names exists', (_, properties, methods) => {
		const named = [...everyProperty([...properties])].flatMap(({ typeOptions, modes = [] }) => [
			['loadOptions', typeOptions?.loadOptionsMethod],
			['resourceMapping', typeOptions?.resourceMapper?.resourceMapperMethod],
			...modes.map((mode) => ['listSearch', mode.typeOptions?.searchListMethod]),
		]);
		const missing = named.filter(([kind = '', method]) => {
			const known = (methods as Record<string, object>)[kind] ?? {};
			return method !== undefined && !Object.hasOwn(known, method);
		});
		expect(missing).toEqual([]);
	});

	const createIn = (value: string): INodeParameters => ({
		operation: 'create',
		cardId: { __rl: true, mode: 'id', value },
	});
	const condition = { field: 'A', condition: 'isEmpty' };
	const getAll = { operation: 'getAll', filters: { conditions: [condition, condition] } };
	test.each<[INodeParameters, string[]]>([
		[createIn(''), ['selectCardNotice']],
		[createIn('crd_1'), []],
		[createIn('={{ $json.card }}'), []],
		[{ ...getAll, since: 'all' }, []],
		[{ ...getAll, since: 'new' }, ['sinceNotice']],
	])('with %j, the notices %j are shown', (given, notices) => {
		const parameters: INodeParameters = { resource: 'record', ...given };
		const node = { parameters, type: 'workspaceData', typeVersion: 1 } as INode;
		const { description } = action;
		const shown = description.properties
			.filter(({ type }) => type === 'notice')
			.filter((one) => NodeHelpers.displayParameter(parameters, one, node, description));
		expect(shown.map(({ name }) => name)).toEqual(notices);
	});

	test.each(['autoMapInputData', 'defineBelow'])('%s: n8n keeps If Field Is Unknown', (mode) => {
		const parameters: INodeParameters = {
			resource: 'record',
			operation: 'create',
			options: { unknownFields: 'create' },
			columns: { mappingMode: mode, value: null },
		};
		const { options } = parameters;
		expect(opened(action.description, parameters)).toMatchObject({ options });
	});
});

describe('the pages', () => {
	const read = (file: string): string => readFileSync(join(root, file), 'utf8');

	/** The cells of all tables of a page, row by row. */
	const rowsOf = (page: string): string[][] =>
		[...read(page).matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
			row.split('|').map((cell) => cell.trim()),
		);

	/** The entries that a collection offers: a condition on the options shows one only where a workflow has it. */
	const entriesOf = ({ type, options = [] }: INodeProperties): INodeProperties[] =>
		(type === 'collection' ? (options as INodeProperties[]) : []).filter(
			({ type: own, displayOptions }) =>
				own !== 'hidden' &&
				!Object.keys(displayOptions?.show ?? {}).some((name) => name.startsWith('/options.')),
		);

	const isOptions = ({ name }: INodeProperties): boolean => name === 'options';

	const operations = RESOURCES.flatMap((resource) =>
		resource.operations.map(({ name, properties }) => ({
			resource: resource.name,
			name,
			properties: properties as unknown as INodeProperties[],
		})),
	);

	/** The groups of operations that have an option, as the page names them. */
	const GROUPS: Record<string, string[]> = {
		reads: ['Get', 'Get Many', 'Get Page'],
		writes: ['Create', 'Create or Update', 'Sync', 'Update', 'Update Many'],
		deletions: ['Delete', 'Delete Many'],
	};

	describe('docs/operations.md', () => {
		/** The sections of the operations, by their headings: `Card: Create`. */
		const sections = new Map(
			read('docs/operations.md')
				.split(/^### /m)
				.map((section) => [section.split('\n', 1)[0] ?? '', section.split(/^## /m, 1)[0] ?? '']),
		);

		test.each(operations)('$resource: $name, its parameters', ({ resource, name, properties }) => {
			const section = sections.get(`${resource}: ${name}`) ?? '';
			const labels = properties
				.filter((property) => !isOptions(property) && property.type !== 'notice')
				.flatMap((property) => [property, ...entriesOf(property)])
				.map(
					({ displayName, typeOptions }) => typeOptions?.resourceMapper?.valuesLabel ?? displayName,
				);
			expect(labels.filter((label) => !section.includes(`**${label}**`))).toEqual([]);
		});

		test('each option of the record operations, and where it is', () => {
			const places = new Map<string, string[]>();
			for (const { name, properties } of operations.filter(({ resource }) => resource === 'Record'))
				for (const { displayName } of properties.filter(isOptions).flatMap(entriesOf))
					places.set(displayName, [...(places.get(displayName) ?? []), name].sort());
			const [, section = ''] = read('docs/operations.md').split(/^## Options$/m);
			const [entries = ''] = section.replaceAll(/\n(?!\n|- |#)\s*/g, ' ').split(/^## /m);
			const listed = [...entries.matchAll(/^- \*\*([^*]+)\*\* \(([^)]+)\): /gm)].map(
				([, option = '', where = '']): [string, string[]] => {
					const names = where.split(', ').flatMap((name) => GROUPS[name] ?? [name]);
					return [option, names.sort()];
				},
			);
			expect(new Map(listed)).toEqual(places);
		});
	});

	test('README.md: each operation', () => {
		const first = rowsOf('README.md').map(([cell = '']) => cell);
		const names = operations.map(({ resource, name }) => `${resource}: ${name}`);
		expect(first.filter((cell) => cell.includes(': ')).sort()).toEqual(names.sort());
	});

	test('docs/trigger.md: each parameter and option of the trigger', () => {
		const known = rowsOf('docs/trigger.md').map(([first]) => first);
		const labels = triggerProperties
			.filter(({ type, name }) => type !== 'notice' && name !== 'authentication')
			.flatMap((property) => (isOptions(property) ? entriesOf(property) : [property]))
			.map(({ displayName }) => displayName);
		expect(labels.filter((label) => !known.includes(label))).toEqual([]);
	});
});

describe('the examples', () => {
	const folder = join(root, 'examples');

	const descriptions = new Map(
		[action, trigger].map(({ description }) => [
			`n8n-nodes-workspace-data.${description.name}`,
			description as INodeTypeDescription,
		]),
	);

	/** The nodes of ours in all workflows; n8n adds "Tool" to a type where an AI agent uses it. */
	const workflows = readdirSync(folder).filter((file) => file.endsWith('.json'));
	const saved = workflows.flatMap((file) => {
		const { nodes } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { nodes: INode[] };
		return nodes.flatMap((node) => {
			const description = descriptions.get(node.type.replace(/Tool$/, ''));
			return description ? [{ file, name: node.name, node, description }] : [];
		});
	});

	test.each(saved)('$file: $name keeps every parameter', ({ node, description }) => {
		expect(description.version).toBe(node.typeVersion);
		// n8n adds these two to a tool.
		const { descriptionType, toolDescription, ...ours } = node.parameters;
		expect(descriptionType === undefined).toBe(toolDescription === undefined);
		expect(opened(description, node.parameters)).toMatchObject(ours);
		const { properties } = description;
		expect(NodeHelpers.getNodeParametersIssues(properties, node, description)).toBeNull();
	});
});
