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
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WorkspaceData } from '../../nodes/WorkspaceData/WorkspaceData.node';
import { WorkspaceDataTrigger } from '../../nodes/WorkspaceData/WorkspaceDataTrigger.node';
import { findOperation, RESOURCES } from '../../nodes/WorkspaceData/actions/registry';
import { triggerProperties } from '../../nodes/WorkspaceData/trigger/properties';

describe('the description', () => {
	const action = new WorkspaceData();
	const trigger = new WorkspaceDataTrigger();

	/** The contract's table: resource → operation → parameters, with entries of collections behind a dot. */
	const CONTRACT: Record<string, Record<string, string>> = {
		card: {
			create:
				'name fields additionalFields.description additionalFields.customProperties additionalFields.ifExists',
			createFromItems: 'name options',
			get: 'cardId',
			delete: 'cardId dryRun',
			getAll: 'returnAll limit',
			update: 'cardId updateFields.name updateFields.description updateFields.customProperties',
		},
		field: {
			create:
				'cardId name type additionalFields.choices additionalFields.options additionalFields.customProperties additionalFields.ifExists',
			get: 'cardId fieldId',
			delete: 'cardId fieldId dryRun',
			getAll: 'cardId returnAll limit',
			update:
				'cardId fieldId updateFields.name updateFields.type updateFields.choices updateFields.options ' +
				'updateFields.customProperties dryRun',
		},
		record: {
			create: 'cardId columns options',
			upsert: 'cardId columns options',
			get: 'cardId recordId simple options',
			getAll: 'cardId returnAll limit filters matchType search sort since simple options',
			update: 'cardId recordId columns options',
			delete: 'cardId recordId options',
			getPage: 'cardId cursor limit simple options',
			count: 'cardId filters matchType',
			ifExists: 'cardId filters matchType',
			ifNotExists: 'cardId filters matchType',
			updateMany: 'cardId filters matchType columns maxChanges dryRun options',
			sync: 'cardId columns filters matchType missingRecords maxDeletions dryRun options',
			deleteMany: 'cardId filters matchType maxChanges dryRun options',
		},
		apiDescription: { get: 'format' },
	};

	const OPTION_NAMES =
		'oldValues emptyValues unknownFields fieldKeys outputFields ifNotFound multipleMatches upsertMode maxParallel ' +
		'timeout dryRun startAgain missingChoices ifExists createRecords requestsPerSecond unchanged ' +
		'numberFormat dateFormat booleanWords clearFields fieldTypes';

	const PAIRS = Object.entries(CONTRACT).flatMap(([resource, operations]) =>
		Object.keys(operations).map((operation) => [resource, operation] as const),
	);

	const shownFor = (resource: string, operation: string): INodeProperties[] =>
		action.description.properties.filter(
			({ displayOptions }) =>
				displayOptions?.show?.resource?.includes(resource) &&
				displayOptions.show.operation?.includes(operation),
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

	const NODES = [
		['action', action.description.properties],
		['trigger', trigger.description.properties],
	] as const;

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

	test.each(PAIRS)(
		'%s %s dispatches, with exactly the contract’s parameters',
		(resource, operation) => {
			expect(findOperation(resource, operation).value).toBe(operation);
			const names = shownFor(resource, operation)
				// A hidden one keeps the value of one that is shown on a condition.
				.filter(({ type }) => type !== 'notice' && type !== 'hidden')
				.flatMap((property) =>
					property.type === 'collection' && property.name !== 'options'
						? choicesOf(property).map(({ name }) => `${property.name}.${name}`)
						: [property.name],
				);
			expect(names.sort()).toEqual((CONTRACT[resource]?.[operation] ?? '').split(' ').sort());
		},
	);

	test('options exist under the contract’s names only, each somewhere', () => {
		const names = action.description.properties
			.filter(({ name, type }) => name === 'options' && type === 'collection')
			.flatMap((property) => choicesOf(property).map(({ name }) => name));
		expect([...new Set(names)].sort()).toEqual(OPTION_NAMES.split(' ').sort());
	});

	test('a new node starts with the defaults that the contract names', () => {
		const defaults = Object.fromEntries(
			action.description.properties
				.filter(({ name }) => ['authentication', 'resource'].includes(name))
				.map((property) => [property.name, property.default]),
		);
		expect(defaults).toEqual({ authentication: 'apiKey', resource: 'record' });
		expect(action.description.usableAsTool).toBe(true);
	});

	test.each(NODES)('%s node: each default of a choice is one of its options', (_, properties) => {
		const stray = [...everyProperty([...properties])]
			.filter(({ type, typeOptions }) => type === 'options' && !typeOptions?.loadOptionsMethod)
			.filter((property) => !choicesOf(property).some(({ value }) => value === property.default));
		expect(stray.map(({ name }) => name)).toEqual([]);
	});

	test.each(NODES)('%s node: the entries of every collection are in order', (_, properties) => {
		for (const { type, options } of everyProperty([...properties])) {
			if (type !== 'collection') continue;
			const labels = (options as INodeProperties[]).map(({ displayName }) => displayName);
			expect(labels).toEqual([...labels].sort((a, b) => a.localeCompare(b)));
		}
	});

	test.each(NODES)('%s node: a description is one or two short sentences', (_, properties) => {
		const links = / (?:Choose|Select) from the list, or specify .*<\/a>\./;
		const long = [...everyProperty([...properties])]
			.flatMap(({ displayName, type, description = '' }) => [
				type === 'notice' ? displayName : description.replace(links, ''),
			])
			.filter((text) => text.length > 150);
		expect(long).toEqual([]);
	});

	/** What n8n has of a node's parameters when it runs it. */
	const parametersAtRun = (parameters: INodeParameters) =>
		NodeHelpers.getNodeParameters(
			action.description.properties,
			parameters,
			true,
			false,
			{ parameters, type: 'workspaceData', typeVersion: 1 } as INode,
			action.description,
		);

	const isShown = (name: string, parameters: INodeParameters): boolean =>
		action.description.properties
			.filter((property) => property.name === name && property.type !== 'hidden')
			.some((property) =>
				NodeHelpers.displayParameter(
					parameters,
					property,
					{ parameters, type: 'workspaceData', typeVersion: 1 } as INode,
					action.description,
				),
			);

	test.each([
		['', ['selectCardNotice']],
		['crd_1', []],
		['={{ $json.card }}', []],
	])('with %j as the card, the notices %j are shown', (value, shown) => {
		const cardId = { __rl: true, mode: 'id', value };
		const parameters: INodeParameters = { resource: 'record', operation: 'create', cardId };
		const node = { parameters, type: 'workspaceData', typeVersion: 1 } as INode;
		const notices = action.description.properties.filter(
			(property) =>
				property.type === 'notice' &&
				NodeHelpers.displayParameter(parameters, property, node, action.description),
		);
		expect(notices.map(({ name }) => name)).toEqual(shown);
	});

	test('Must Match is shown with the second condition, and n8n keeps what is selected', () => {
		const condition = { field: 'A', condition: 'isEmpty' };
		const withConditions = (...conditions: INodeParameters[]): INodeParameters => ({
			...{ resource: 'record', operation: 'getAll', matchType: 'anyCondition' },
			filters: { conditions },
		});
		expect(isShown('matchType', withConditions())).toBe(false);
		expect(isShown('matchType', withConditions(condition))).toBe(false);
		expect(isShown('matchType', withConditions(condition, condition))).toBe(true);
		const kept = parametersAtRun(withConditions(condition, condition));
		expect(kept).toMatchObject({ matchType: 'anyCondition' });
	});

	test.each(['autoMapInputData', 'defineBelow'])('%s: n8n keeps If Field Is Unknown', (mode) => {
		const parameters: INodeParameters = {
			...{ resource: 'record', operation: 'create' },
			columns: { mappingMode: mode, value: null },
			options: { unknownFields: 'create' },
		};
		expect(parametersAtRun(parameters)).toMatchObject({ options: { unknownFields: 'create' } });
	});

	test('every method that a parameter names exists', () => {
		const methodsOf = { action: action.methods, trigger: trigger.methods };
		for (const [name, properties] of NODES) {
			const methods = methodsOf[name];
			for (const { typeOptions, modes } of everyProperty([...properties])) {
				const named = [
					['loadOptions', typeOptions?.loadOptionsMethod],
					['resourceMapping', typeOptions?.resourceMapper?.resourceMapperMethod],
					...(modes ?? []).map((mode) => ['listSearch', mode.typeOptions?.searchListMethod]),
				] as const;
				for (const [kind, method] of named) {
					if (method === undefined) continue;
					expect((methods as Record<string, Record<string, unknown>>)[kind ?? '']).toHaveProperty(
						String(method),
						expect.any(Function),
					);
				}
			}
		}
	});
});

describe('the pages', () => {
	const root = resolve(__dirname, '../..');
	const read = (file: string): string => readFileSync(join(root, file), 'utf8');

	/** The cells of all tables of a page, row by row. */
	const rowsOf = (page: string): string[][] =>
		[...read(page).matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
			row.split('|').map((cell) => cell.trim()),
		);

	/** Whether a node offers an entry: a condition on the options shows one only where a workflow has it. */
	const isOffered = ({ type, displayOptions }: INodeProperties): boolean =>
		type !== 'hidden' &&
		!Object.keys(displayOptions?.show ?? {}).some((name) => name.startsWith('/options.'));

	/** The entries that a collection offers. */
	const entriesOf = ({ type, options = [] }: INodeProperties): INodeProperties[] =>
		type === 'collection' ? (options as INodeProperties[]).filter(isOffered) : [];

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
				.filter((property) => !isOptions(property))
				.filter(({ type }) => type !== 'notice')
				.flatMap((property) => [property, ...entriesOf(property)])
				.map(
					({ displayName, typeOptions }) => typeOptions?.resourceMapper?.valuesLabel ?? displayName,
				);
			expect(labels.filter((label) => !section.includes(`**${label}**`))).toEqual([]);
		});

		test('each option of the record operations, and where it is', () => {
			const records = operations
				.filter(({ resource }) => resource === 'Record')
				.sort((a, b) => a.name.localeCompare(b.name));
			const places = new Map<string, string[]>();
			for (const { name, properties } of records) {
				for (const { displayName } of properties.filter(isOptions).flatMap(entriesOf)) {
					places.set(displayName, [...(places.get(displayName) ?? []), name]);
				}
			}
			const [, section = ''] = read('docs/operations.md').split(/^## Options$/m);
			const [entries = ''] = section.replaceAll(/\n(?!\n|- |#)\s*/g, ' ').split(/^## /m);
			const listed = [...entries.matchAll(/^- \*\*([^*]+)\*\* \(([^)]+)\): /gm)].map(
				([, option = '', where = '']): [string, string[]] => [
					option,
					where
						.split(', ')
						.flatMap((name) => GROUPS[name] ?? [name])
						.sort((a, b) => a.localeCompare(b)),
				],
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
	const folder = resolve(__dirname, '../../examples');

	const descriptions = new Map(
		[new WorkspaceData(), new WorkspaceDataTrigger()].map(({ description }) => [
			`n8n-nodes-workspace-data.${description.name}`,
			description as INodeTypeDescription,
		]),
	);

	/** The node's type; n8n adds "Tool" where an AI agent uses it. */
	const typeOf = ({ type }: INode): string => type.replace(/Tool$/, '');

	/** The nodes of ours in a workflow. */
	function savedNodes(file: string): INode[] {
		const { nodes } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
			nodes: INode[];
		};
		return nodes.filter((node) => descriptions.has(typeOf(node)));
	}

	/** The parameters of a saved node as n8n has them after opening it. */
	function openedParameters(node: INode) {
		const description = descriptions.get(typeOf(node));
		if (!description) throw new Error(`No node ${node.type}`);
		const { properties } = description;
		const { parameters } = node;
		return NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description);
	}

	describe.each(readdirSync(folder))('%s', (file) => {
		test.each(savedNodes(file).map((node): [string, INode] => [node.name, node]))(
			'%s keeps every parameter, and none is missing',
			(_name, node) => {
				const description = descriptions.get(typeOf(node));
				expect(description?.version).toBe(node.typeVersion);
				// n8n adds these two to a tool.
				const { descriptionType, toolDescription, ...ours } = node.parameters;
				expect(descriptionType === undefined).toBe(toolDescription === undefined);
				expect(openedParameters(node)).toMatchObject(ours);
				const issues = NodeHelpers.getNodeParametersIssues(
					description?.properties ?? [],
					node,
					description ?? null,
				);
				expect(issues).toBeNull();
			},
		);
	});
});
