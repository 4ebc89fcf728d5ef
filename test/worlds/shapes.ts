/** What a world is made of: a service, its card, and steps of executions with people's hands in between. Plain JSON. */

/** The ways in which a request goes wrong. */
export const FAULTS = [
	...(['busy', 'busyAfter', 'gateway', 'refused', 'lost', 'hangs', 'hangsAfter'] as const),
	...(['tooMany', 'slow', 'answersLate'] as const),
];

export type FaultKind = (typeof FAULTS)[number];

/** The nth request of a method goes wrong; `nth` counts from 0 within a step. */
export interface Fault {
	method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	nth: number;
	kind: FaultKind;
}

/** The ideas of a service, where the interface leaves them open. */
export interface ServiceShape {
	account: boolean;
	lists: 'bare' | 'named' | 'data';
	objects: 'bare' | 'named' | 'data';
	updates: 'object' | 'empty';
	ids: 'text' | 'number';
	fieldIds: 'text' | 'number';
	cursors: 'offset' | 'lastId' | 'page';
	/** The largest page, and what becomes of a request for more. */
	maxLimit: number;
	beyond: 'refuses' | 'clamps';
	defaultLimit: number;
	/** Whether the description names the largest page. */
	described: boolean;
	/** Ms until a request has its effect, and from there to its answer; the requests take them in turn. */
	latencies: number[];
	answerLatencies: number[];
	/** Requests that are served at once; beyond, 503. */
	capacity: number | null;
	/** Requests in a window of ten seconds, told in headers. */
	rate: number | null;
	/** How far its clock is ahead, in seconds. */
	clockAhead: number;
	faults: Fault[];
}

export type Kind = 'text' | 'number' | 'boolean' | 'date' | 'choice' | 'unknown';

/** One choice: its label, and the identifier that records hold; the label itself where there is none. */
export interface Choice {
	label: string;
	identifier?: string | number;
}

/** A field: `type` is the service's word for it. */
export interface FieldShape {
	name: string;
	type: string;
	kind: Kind;
	choices?: Choice[];
	/** How a choice is written in the listing. */
	spelled?: 'valueLabel' | 'idName';
}

export type Value = string | number | boolean | null;

/** A record of the card before anything is done: the values of Key and Value. */
export interface RecordShape {
	key: Value;
	value: Value;
}

export const OPERATIONS = [
	...(['create', 'upsert', 'update', 'delete', 'getAll', 'count', 'ifExists'] as const),
	...(['ifNotExists', 'updateMany', 'deleteMany', 'roundTrip'] as const),
	...(['sync', 'createFromItems'] as const),
];

export type Operation = (typeof OPERATIONS)[number];

/** An input item. `record`: the place of the record that it means, among the records of the card. */
export interface ItemShape {
	key: Value;
	value: Value;
	record: number;
}

export const CONDITIONS = [
	...(['equals', 'notEquals', 'contains', 'greaterThan', 'greaterOrEqual'] as const),
	...(['lessThan', 'lessOrEqual', 'isEmpty', 'isNotEmpty'] as const),
];

export interface ConditionShape {
	field: 'Key' | 'Value';
	condition: (typeof CONDITIONS)[number];
	operand: Value;
}

/** One execution of the action node. */
export interface ExecutionShape {
	operation: Operation;
	mapping: 'each' | 'automatic';
	onError: 'stop' | 'continue' | 'output';
	items: ItemShape[];
	conditions: ConditionShape[];
	any: boolean;
	/** Of Sync: whether records without an item are deleted, and the most deletions; null: as many as usual. */
	deletions?: { isWanted: boolean; most: number | null };
	/** Of Get Many; null: all. */
	limit: number | null;
	dryRun: boolean;
	/** Ms after which a person cancels it; null: nobody does. */
	cancelAfter: number | null;
}

/** What a person does before a step. */
export type Hand = 'nothing' | 'restart' | 'rename' | 'edit' | 'removes' | 'restores';

/** Executions that run at once, each begun so many ms after the one before. */
export interface StepShape {
	hand: Hand;
	/** Whether the workflow is copied: every execution runs twice. */
	copied: boolean;
	gap: number;
	executions: ExecutionShape[];
}

export interface World {
	service: ServiceShape;
	key: FieldShape;
	value: FieldShape;
	/** How many records are so large that few fit into a page; the first ones. */
	heavy: number;
	records: RecordShape[];
	steps: StepShape[];
}

/** The text field in which each write leaves its mark. */
export const MARK = 'Mark';
/** A field that only Create From Items adds. */
export const EXTRA = 'Extra';
/** The field of the ballast. */
export const BALLAST = 'Ballast';
