/** Generates worlds. Values come from small pools in which they look like each other. */
import fc, { type Arbitrary } from 'fast-check';
import {
	CONDITIONS,
	FAULTS,
	OPERATIONS,
	type Choice,
	type ConditionShape,
	type ExecutionShape,
	type Fault,
	type FieldShape,
	type Hand,
	type ItemShape,
	type Kind,
	type Operation,
	type ServiceShape,
	type StepShape,
	type Value,
	type World,
} from './shapes';

const TEXTS = ['7', '7.0', '007', '0x7', '1e2', '100', 'a', 'A', 'N/A', '12345', 'SW1A', '10', '9'];
const POOLS: Record<Exclude<Kind, 'choice'>, Value[]> = {
	text: [...TEXTS, '2026-03-31T15:00:00Z', '2026-03-31T17:00:00+02:00', 7, 100],
	unknown: [...TEXTS, '5', 5, '1', 1, 7, null],
	number: [0, 1, 7, 10, 100, -0.5, 1.5],
	boolean: [true, false],
	date: ['2026-03-31', '2026-04-01', '2025-12-31'],
};
const TYPES: Record<Kind, string[]> = {
	text: ['text', 'string', 'Long Text'],
	number: ['number', 'currency'],
	boolean: ['checkbox', 'boolean'],
	date: ['date'],
	choice: ['select', 'single_select'],
	unknown: ['zip', 'geo-code', ''],
};

const CHOICES: Array<Pick<FieldShape, 'choices' | 'spelled'>> = [
	{ choices: ['1', '2', '3'].map((label) => ({ label })) },
	{ choices: [{ label: 'Red' }, { label: 'Red, white' }, { label: 'a' }] },
	{
		choices: [0, 1, 2, 3].map((place): Choice => ({ label: String(place + 1), identifier: place })),
	},
	{ choices: ['2', '3', '1'].map((identifier, at) => ({ label: String(at + 1), identifier })) },
	{
		choices: [1, 2, 3].map((identifier) => ({ label: `${(identifier % 3) + 1}`, identifier })),
		spelled: 'idName',
	},
	{
		choices: ['c1', 'c2'].map((identifier, at) => ({ label: `Red ${at}`, identifier })),
		spelled: 'idName',
	},
];

const field = (name: string, kinds: Kind[]): Arbitrary<FieldShape> =>
	fc
		.constantFrom(...kinds)
		.chain((kind) =>
			fc.record({
				name: fc.constant(name),
				kind: fc.constant(kind),
				type: fc.constantFrom(...TYPES[kind]),
				...(kind === 'choice' && { choice: fc.constantFrom(...CHOICES) }),
			}),
		)
		.map(({ choice, ...shape }: FieldShape & { choice?: object }) => ({ ...shape, ...choice }));

/** Values that a field may be given. */
const entered = ({ kind, choices = [] }: FieldShape): Arbitrary<Value> => {
	if (kind !== 'choice') return fc.constantFrom(...POOLS[kind]);
	const spellings = choices.flatMap(({ label, identifier = label }) => [label, identifier]);
	return fc.constantFrom(...spellings);
};

/** Values that records of a field may have. */
const held = (shape: FieldShape): Arbitrary<Value> => {
	if (shape.kind === 'choice') {
		return fc.constantFrom<Value>(
			...(shape.choices ?? []).map(({ label, identifier = label }) => identifier),
			null,
		);
	}
	return fc.oneof(
		{ weight: 6, arbitrary: entered(shape) },
		{ weight: 1, arbitrary: fc.constant(null) },
	);
};

const fault: Arbitrary<Fault> = fc.record({
	method: fc.constantFrom('GET' as const, 'POST' as const, 'PATCH' as const, 'DELETE' as const),
	nth: fc.nat(4),
	kind: fc.constantFrom(...FAULTS),
});

const service: Arbitrary<ServiceShape> = fc.record({
	account: fc.boolean(),
	lists: fc.constantFrom('bare' as const, 'named' as const, 'data' as const),
	objects: fc.constantFrom('bare' as const, 'named' as const, 'data' as const),
	updates: fc.constantFrom('object' as const, 'empty' as const),
	ids: fc.constantFrom('text' as const, 'number' as const),
	fieldIds: fc.constantFrom('text' as const, 'number' as const),
	cursors: fc.constantFrom('offset' as const, 'lastId' as const, 'page' as const, 'page' as const),
	maxLimit: fc.constantFrom(2, 3, 5, 100, 1_000),
	beyond: fc.constantFrom('refuses' as const, 'clamps' as const),
	defaultLimit: fc.constantFrom(2, 5),
	described: fc.boolean(),
	latencies: fc.array(fc.constantFrom(0, 1, 20, 300), { maxLength: 3 }),
	answerLatencies: fc.array(fc.constantFrom(0, 1, 20, 300), { maxLength: 3 }),
	capacity: fc.constantFrom(null, null, null, 16, 20),
	rate: fc.constantFrom(null, null, null, 5, 30),
	clockAhead: fc.constantFrom(0, 0, 90, -90),
	faults: fc.oneof(
		{ weight: 2, arbitrary: fc.constant<Fault[]>([]) },
		{ weight: 1, arbitrary: fc.array(fault, { maxLength: 4 }) },
	),
});

const condition = (key: FieldShape, value: FieldShape): Arbitrary<ConditionShape> =>
	fc.constantFrom('Key' as const, 'Value' as const).chain((name) =>
		fc.record({
			field: fc.constant(name),
			condition: fc.constantFrom('equals' as const, ...CONDITIONS),
			operand: entered(name === 'Key' ? key : value),
		}),
	);

const needsItems: Operation[] = ['create', 'upsert', 'update', 'delete', 'sync', 'createFromItems'];

interface Theme {
	operations: Operation[];
	kinds: Kind[];
	hasConditions?: boolean;
	/** Whether large records are common. */
	isHeavy?: boolean;
}

/** What worlds are about: each theme chooses among operations and kinds of fields. */
const THEMES: Record<string, Theme> = {
	keys: { operations: ['upsert'], kinds: ['text', 'number', 'unknown', 'choice', 'date'] },
	writes: {
		operations: ['update', 'upsert', 'create', 'delete'],
		kinds: ['text', 'number', 'boolean'],
	},
	conditions: {
		operations: ['deleteMany', 'updateMany', 'count', 'getAll'],
		kinds: ['text', 'unknown', 'number', 'date'],
		hasConditions: true,
	},
	choices: {
		operations: ['roundTrip', 'create', 'update', 'deleteMany', 'getAll'],
		kinds: ['choice'],
		hasConditions: true,
	},
	listings: { operations: ['getAll', 'count'], kinds: ['text'], isHeavy: true },
	sync: {
		operations: ['sync', 'sync', 'sync', 'upsert', 'deleteMany'],
		kinds: ['text', 'number', 'unknown', 'date', 'choice'],
		hasConditions: true,
	},
	fromItems: {
		operations: ['createFromItems', 'createFromItems', 'create'],
		kinds: ['text', 'number', 'boolean', 'date', 'choice', 'unknown'],
	},
	all: {
		operations: OPERATIONS.slice(0, -2),
		kinds: ['text', 'number', 'boolean', 'date', 'choice', 'unknown'],
		hasConditions: true,
	},
};

function execution(
	{ operations, hasConditions }: Theme,
	key: FieldShape,
	value: FieldShape,
): Arbitrary<ExecutionShape> {
	const item: Arbitrary<ItemShape> = fc.record({
		key: entered(key),
		value: entered(value),
		record: fc.nat(3),
	});
	return fc.constantFrom(...operations).chain((operation) => {
		const isMany = operation === 'updateMany' || operation === 'deleteMany';
		const several = needsItems.includes(operation);
		return fc.record({
			operation: fc.constant(operation),
			mapping:
				operation === 'updateMany'
					? fc.constant('each' as const)
					: fc.constantFrom('each' as const, 'automatic' as const),
			onError: fc.constantFrom('stop' as const, 'continue' as const, 'output' as const),
			items: several
				? fc.oneof(
						{ weight: 9, arbitrary: fc.array(item, { minLength: 1, maxLength: 6 }) },
						{ weight: 1, arbitrary: fc.array(item, { minLength: 20, maxLength: 60, size: 'max' }) },
					)
				: fc.array(item, { minLength: 1, maxLength: 1 }),
			conditions:
				hasConditions || isMany
					? fc.array(condition(key, value), { minLength: isMany ? 1 : 0, maxLength: 2 })
					: fc.constant<ConditionShape[]>([]),
			any: fc.boolean(),
			...(operation === 'sync' && {
				deletions: fc.record({
					isWanted: fc.boolean(),
					most: fc.constantFrom(null, null, 0, 100),
				}),
			}),
			limit: fc.constantFrom(null, null, 3, 4, 8),
			dryRun:
				isMany || ['upsert', 'update', 'sync', 'createFromItems'].includes(operation)
					? fc.constantFrom(false, false, false, true)
					: fc.constant(false),
			cancelAfter: fc.constantFrom(null, null, null, null, null, null, null, 0, 10, 400),
		});
	});
}

const HANDS: Hand[] = [
	...(['nothing', 'nothing', 'nothing', 'nothing'] as const),
	...(['restart', 'rename', 'edit', 'removes'] as const),
];

/** Names of the themes. */
export const themes: readonly string[] = Object.keys(THEMES);

/** Worlds of one theme, or of all. */
export const worlds = (name?: string): Arbitrary<World> =>
	fc
		.constantFrom(...Object.values(name === undefined ? THEMES : { [name]: THEMES[name] as Theme }))
		.chain((theme) =>
			fc.record({
				theme: fc.constant(theme),
				key: field(
					'Key',
					theme.kinds.filter((kind) => kind !== 'boolean'),
				),
				value: field('Value', theme.kinds),
			}),
		)
		.chain(({ theme, key, value }) => {
			const step: Arbitrary<StepShape> = fc.record({
				hand: fc.constantFrom(...HANDS),
				copied: fc.constantFrom(false, false, false, true),
				gap: fc.constantFrom(0, 0, 5),
				executions: fc.oneof(
					{
						weight: 3,
						arbitrary: fc.array(execution(theme, key, value), { minLength: 1, maxLength: 1 }),
					},
					{
						weight: 1,
						arbitrary: fc.array(execution(theme, key, value), { minLength: 2, maxLength: 3 }),
					},
				),
			});
			return fc.record({
				service,
				key: fc.constant(key),
				value: fc.constant(value),
				heavy: fc.oneof(
					{ weight: theme.isHeavy ? 2 : 40, arbitrary: fc.constant(0) },
					{ weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) },
				),
				records: fc.array(fc.record({ key: held(key), value: held(value) }), {
					maxLength: 14,
					size: 'max',
				}),
				steps: fc.array(step, { minLength: 1, maxLength: 2 }),
			});
		});
