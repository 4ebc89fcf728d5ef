/** What goes into the plan of a card's writes, and what comes out. */
import type { JsonObject } from '../values/jsonObject';
import type { DataRecord } from '../transport/api';
import type { InputError } from '../values/inputError';
import type { Refusal } from './refusals';

/** What one item writes, converted for the fields of its card. */
export interface Wish {
	itemIndex: number;
	find: Find;
	/** By field ID; null clears. */
	values: JsonObject;
	/** Values that their fields refuse: no error if the record has them. */
	refused?: readonly RefusedEntry[];
	/** The name of a field to match on that the service computes: no record can be created with it. */
	computedKey?: string;
	deletes?: boolean;
	ifNotFound: 'error' | 'skip' | 'empty';
}

/** How an item finds its records. */
export type Find = { by: 'nothing' } | { by: 'id'; id: string } | FindByKey | FindByTest;

export interface FindByKey {
	by: 'key';
	key: string;
	multipleMatches?: 'error' | 'first' | 'all';
	mode?: 'createOrUpdate' | 'createOnly' | 'updateOnly';
}

export interface FindByTest {
	by: 'test';
	test: (record: DataRecord) => boolean;
	/** The most records to write, and the parameter's label. */
	most: number;
	label: string;
}

/** A value that its field refuses. */
export interface RefusedEntry extends Refusal {
	id: string;
	value: unknown;
}

/** The rules of a card's plan. */
export interface Rules {
	/** The name of the card. */
	card: string;
	/** True if two values of a field are the same. */
	isSame: (fieldId: string, one: unknown, other: unknown) => boolean;
	/** The key by which items find records; undefined if a value of it is missing. */
	keyOf?: (data: JsonObject) => string | undefined;
	/** The values of the key in a message. */
	shown?: (data: JsonObject) => string;
	sync?: SyncRules;
}

export interface SyncRules {
	/** True if a record meets the conditions; undefined if there are none. */
	meets: ((record: DataRecord) => boolean) | undefined;
	/** True if records without an item are deleted. */
	deletes: boolean;
	/** The most deletions; 0 for a tenth of the records that take part, but at least 5. */
	maxDeletions: number;
	/** The time of new records, ISO. */
	now: string;
}

/** A record that exists, or will exist: its steps share it. */
export interface Row {
	/** After what is planned so far. */
	record: DataRecord;
	/** False if only its ID is known. */
	isRead: boolean;
	isNew?: boolean;
	isDeleted?: boolean;
}

/** What is done to a record. */
export interface Step {
	action: 'create' | 'change' | 'keep' | 'delete';
	itemIndex: number;
	row: Row;
	before: DataRecord;
	after: DataRecord;
	/** What differs, by field ID. */
	sent: JsonObject;
	/** All that the item writes: sent if an earlier write of the record failed. */
	values: JsonObject;
	/** If the record has been deleted meanwhile: an error, no item, an empty item, or what was to be done. */
	ifGone: 'error' | 'skip' | 'empty' | 'done';
}

export interface Plan {
	/** In the order of the items. */
	steps: Step[];
	/** Why items can't be written. */
	refused: Map<number, InputError>;
	/** The items whose record doesn't exist, if that is no error. */
	missing: Set<number>;
	/** Of records without an item. */
	deletions: Step[];
}
