/** What a world is made of, and its generator. Values come from small pools in which they look like each other. */
import fc, { type Arbitrary } from 'fast-check';

export type Kind = 'text' | 'number' | 'boolean' | 'date' | 'choice' | 'unknown';
export type Value = string | number | boolean | null | Record<string, number>;

/** A choice: its label, and the value that records hold; the label itself if there is none. */
export interface Choice {
	label: string;
	value?: string | number;
}

/** A field: `type` is the service's word for it. */
export interface FieldShape {
	name: string;
	type: string;
	kind: Kind;
	choices?: Choice[];
}

type Made<Shape> = Shape extends Arbitrary<infer World> ? World : never;

export type World = Made<ReturnType<typeof worlds>>;
export type ServiceShape = World['service'];
export type StepShape = World['steps'][number];
export type ExecutionShape = StepShape['executions'][number];
export type ConditionShape = ExecutionShape['conditions'][number];
export type Operation = ExecutionShape['operation'];

/** The text field in which each write leaves its mark. */
export const MARK = 'Mark';
/** A field that executions add. */
export const EXTRA = 'Extra';

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
	unknown: ['zip', 'geo-code'],
};
/** Values that a field of the kind refuses. Choices may be added. */
export const REFUSED: Partial<Record<Kind, Value>> = {
	text: { a: 1 },
	number: 'x!',
	boolean: 'x!',
	date: 'x!',
	choice: { a: 1 },
};
const CHOICES: Choice[][] = [
	['1', '2', '3'].map((label) => ({ label })),
	[{ label: 'Red' }, { label: 'Red, white' }, { label: 'a' }],
	[0, 1, 2, 3].map((place) => ({ label: String(place + 1), value: place })),
	['2', '3', '1'].map((value, at) => ({ label: String(at + 1), value })),
	['c1', 'c2'].map((value, at) => ({ label: `Red ${at}`, value })),
];

const field = (name: string, kinds: readonly Kind[]): Arbitrary<FieldShape> =>
	fc.constantFrom(...kinds).chain((kind) =>
		fc.record({
			name: fc.constant(name),
			kind: fc.constant(kind),
			type: fc.constantFrom(...TYPES[kind]),
			...(kind === 'choice' && { choices: fc.constantFrom(...CHOICES) }),
		}),
	);

/** Values that a field may be given. */
const entered = ({ kind, choices = [] }: FieldShape): Arbitrary<Value> =>
	kind === 'choice'
		? fc.constantFrom(...choices.flatMap(({ label, value = label }) => [label, value]))
		: fc.constantFrom(...POOLS[kind]);

/** Values that a record may have. */
const held = (shape: FieldShape): Arbitrary<Value> => {
	const stored = shape.choices?.map(({ label, value = label }) => value);
	const arbitrary = stored ? fc.constantFrom<Value>(...stored) : entered(shape);
	return fc.oneof({ weight: 6, arbitrary }, { weight: 1, arbitrary: fc.constant(null) });
};

/** The nth request of a method goes wrong, counted from 0 within a step: before or after it had its effect. */
const fault = fc.record({
	method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE'),
	nth: fc.nat(4),
	isAfter: fc.boolean(),
	how: fc.constantFrom('refused', 'lost', 'busy', 'gateway', 'hangs', 'tooMany', 'slow', 'revoked'),
});

const service = fc.record({
	account: fc.boolean(),
	/** Whether the response to a change has no body. */
	isQuiet: fc.boolean(),
	/** The largest page; a request for more is refused or gets it, and without a limit five records come. */
	maxLimit: fc.constantFrom(2, 3, 5, 100, 1_000),
	refusesMore: fc.boolean(),
	/** Ms until a request has its effect, and from there to its response; the requests take them in turn. */
	latencies: fc.array(fc.constantFrom(0, 1, 20, 300), { minLength: 1, maxLength: 3 }),
	responseLatencies: fc.array(fc.constantFrom(0, 1, 20, 300), { minLength: 1, maxLength: 3 }),
	/** Requests in a window of ten seconds, stated in headers. */
	rate: fc.constantFrom(null, null, null, 5, 30),
	/** How far its clock is ahead, in seconds. */
	clockAhead: fc.constantFrom(0, 0, 90, -90),
	faults: fc.oneof(
		{ weight: 2, arbitrary: fc.array(fault, { maxLength: 0 }) },
		{ weight: 1, arbitrary: fc.array(fault, { maxLength: 4 }) },
	),
});

/** What a person does to the card. */
const hand = fc.constantFrom('nothing', 'nothing', 'edit', 'remove');

const CONDITIONS = [
	...(['equals', 'notEquals', 'contains', 'greaterThan', 'greaterOrEqual'] as const),
	...(['lessThan', 'lessOrEqual', 'isEmpty', 'isNotEmpty'] as const),
];

const condition = (key: FieldShape, value: FieldShape) =>
	fc.constantFrom('Key', 'Value').chain((name) =>
		fc.record({
			field: fc.constant(name),
			condition: fc.constantFrom(...CONDITIONS),
			operand: entered(name === 'Key' ? key : value),
		}),
	);

const ALL: readonly Kind[] = ['text', 'number', 'boolean', 'date', 'choice', 'unknown'];
/** What worlds are about: operations and kinds of fields. */
const THEMES = {
	keys: { operations: ['upsert'], kinds: ALL },
	writes: { operations: ['update', 'upsert', 'create', 'delete'], kinds: ALL },
	conditions: { operations: ['deleteMany', 'updateMany', 'count', 'getAll'], kinds: ALL },
	choices: { operations: ['create', 'update', 'getAll'], kinds: ['choice'] },
	listings: { operations: ['getAll', 'get', 'ifExists', 'ifNotExists', 'count'], kinds: ['text'] },
	sync: { operations: ['sync', 'sync', 'sync', 'upsert', 'deleteMany'], kinds: ALL },
	fromItems: { operations: ['createFromItems', 'createFromItems', 'create'], kinds: ALL },
} as const satisfies Record<string, { operations: readonly string[]; kinds: readonly Kind[] }>;

type Theme = keyof typeof THEMES;
const themes = Object.keys(THEMES) as Theme[];

/** The operations that create records, that find them by a key, and that write or read without items of their own. */
export const CREATES: readonly string[] = ['create', 'upsert', 'sync', 'createFromItems'];
export const BY_KEY: readonly string[] = ['upsert', 'sync'];
const BY_CONDITION = ['deleteMany', 'updateMany', 'count', 'getAll', 'ifExists', 'ifNotExists'];

/** A list; half of them have each key once, as Sync wants it. */
const listOf = <One extends { key: Value }>(
	one: Arbitrary<One>,
	maxLength: number,
	minLength = 0,
) =>
	fc.oneof(
		fc.array(one, { minLength, maxLength, size: 'max' }),
		fc.uniqueArray(
			one.filter(({ key }) => key !== null),
			{ minLength, maxLength, size: 'max', selector: ({ key }) => String(key) },
		),
	);

function execution(theme: Theme, key: FieldShape, value: FieldShape) {
	const refused = fc.constant(REFUSED[value.kind] ?? null);
	const item = fc.record({
		key: entered(key),
		value: fc.oneof(
			{ weight: 20, arbitrary: entered(value) },
			{ weight: 1, arbitrary: refused },
			{ weight: 1, arbitrary: fc.constantFrom<Value>(null, ...(value.choices ? ['New 1'] : [])) },
		),
		/** The place of the record that it means. */
		record: fc.nat(3),
		isExtra: fc.boolean(),
	});
	return fc.constantFrom(...THEMES[theme].operations).chain((operation) => {
		const isMany = operation === 'updateMany' || operation === 'deleteMany';
		const isByCondition = BY_CONDITION.includes(operation);
		const few = listOf(item, isByCondition ? 1 : theme === 'sync' ? 12 : 6, 1);
		const several = fc.array(item, { minLength: 20, maxLength: 60, size: 'max' });
		const maxLength = isByCondition || operation === 'sync' ? 2 : 0;
		return fc.record({
			operation: fc.constant(operation),
			isAutomatic: operation === 'updateMany' ? fc.constant(false) : fc.boolean(),
			onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
			items: isByCondition
				? few
				: fc.oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: several }),
			conditions: fc.array(condition(key, value), { minLength: isMany ? 1 : 0, maxLength }),
			isAny: fc.boolean(),
			/** Whether missing fields and choices are added. */
			adds: fc.constantFrom(false, false, true),
			multipleMatches: fc.constantFrom('error', 'error', 'first', 'all'),
			upsertMode: fc.constantFrom('createOrUpdate', 'createOrUpdate', 'createOnly', 'updateOnly'),
			/** Of Sync. */
			missingRecords: fc.constantFrom('keep', 'delete'),
			maxDeletions: fc.constantFrom(0, 0, 2, -1),
			/** Of Update Many and Delete Many. */
			maxChanges: fc.constantFrom(1_000, 1_000, 2, -1),
			/** Of Get Many; null: all. */
			limit: fc.constantFrom(null, null, 3, 4, 8),
			maxParallel: fc.constantFrom(0, 0, 1),
			/** Whether a dry run comes first. */
			isDryFirst:
				isMany || ['upsert', 'sync', 'createFromItems'].includes(operation)
					? fc.constantFrom(false, false, true)
					: fc.constant(false),
			/** Ms after which a person cancels it. */
			cancelAfter: fc.constantFrom(...Array<null>(7).fill(null), 0, 10, 400),
		});
	});
}

/** Worlds: a service, its card, and steps of executions. Plain JSON. */
export const worlds = () =>
	fc
		.constantFrom(...themes)
		.chain((theme) => {
			const { kinds } = THEMES[theme];
			const keys = kinds.filter((kind) => kind !== 'boolean');
			return fc.tuple(fc.constant(theme), field('Key', keys), field('Value', kinds));
		})
		.chain(([theme, key, value]) => {
			const single = execution(theme, key, value);
			const step = fc.record({
				hand: fc.constantFrom('nothing', 'nothing', 'restart', 'rename', 'edit', 'remove'),
				/** What somebody does while the executions run, and when. */
				meanwhile: fc.record({ hand, ms: fc.constantFrom(0, 20, 300) }),
				/** Whether the workflow is copied: every execution runs twice. */
				isCopied: fc.constantFrom(false, false, false, true),
				/** Ms between the starts of the executions. */
				gap: fc.constantFrom(0, 0, 5),
				executions: fc.oneof(
					{ weight: 3, arbitrary: fc.array(single, { minLength: 1, maxLength: 1 }) },
					{ weight: 1, arbitrary: fc.array(single, { minLength: 2, maxLength: 3 }) },
				),
			});
			const record = fc.record({ key: held(key), value: held(value) });
			return fc.record({
				service,
				key: fc.constant(key),
				value: fc.constant(value),
				records: listOf(record, 14),
				steps: fc.array(step, { minLength: 1, maxLength: 2 }),
			});
		});
