/** What an item wants written: as its parameters say it, then converted for the fields of its card. */
import type { RequestOptions } from '../transport/api';
import type { JsonObject } from '../values/json';
import type { EntryRules } from '../values/kind';
import type { Columns } from './columns';
import type { FieldIndex } from './fieldIndex';
import type { Filters, MatchType, RecordTest } from './filter';
import type { Refusal } from './refusals';
import type { CardReference } from './run';

/** What came of an input item: its results, and its error if it was refused or failed. */
export interface ItemResult {
	json: JsonObject[];
	error?: unknown;
}

/** A result after those of all items, with the item that it is paired with. */
export interface LastResult {
	itemIndex: number;
	json: JsonObject;
}

/** What came of all input items. */
export interface Results {
	/** One for each input item, in input order; the results of a failed one come first. */
	items: ItemResult[];
	last?: LastResult[];
}

export interface Entry {
	itemIndex: number;
	/** Its ID is empty if the card is to be created. */
	card: CardReference;
	isDry: boolean;
	settings: WriteSettings;
	/** Its values; undefined for a deletion. @throws InputError */
	columns?: ((index: FieldIndex) => Columns) | undefined;
	find: Find;
	ifNotFound?: 'error' | 'skip' | 'empty' | undefined;
	/** True if the record is read first, for its old values. */
	readsFirst?: boolean;
	/** What all items of a card must have in common, by its labels. */
	common: Readonly<Record<string, unknown>>;
	result: ItemResult;
}

/** How an item finds its records. */
export type Find =
	| { by: 'nothing' }
	| { by: 'id'; id: string }
	| FindByKey
	| { by: 'filter'; filters: Filters; matchType: MatchType; most: number; label: string };

export interface FindByKey {
	by: 'key';
	/** The fields to match on. */
	matching: Pick<Columns, 'matchingKeys' | 'fieldIds'>;
	ignoresCase: boolean;
	multipleMatches?: 'error' | 'first' | 'all' | undefined;
	mode?: 'createOrUpdate' | 'createOnly' | 'updateOnly' | undefined;
	sync?: SyncSettings;
}

/** The settings of a Sync. */
export interface SyncSettings {
	filters: Filters;
	matchType: MatchType;
	/** True if records without an item are deleted. */
	deletes: boolean;
	/** The most deletions: 0 for a tenth of the records that take part, but at least 5; Infinity for no limit. */
	maxDeletions: number;
}

/** How values are written. */
export interface WriteSettings {
	request: RequestOptions;
	rules: EntryRules;
	/** True to leave out values of unknown fields. */
	ignoresUnknown: boolean;
	/** Names or IDs of fields to clear. */
	clearFields: readonly string[];
	/** The types of new fields that somebody has set. */
	types: FieldTypes;
	/** The mapper's label. */
	label: string;
}

/** A field that doesn't exist yet. */
export interface NewField {
	name: string;
	/** The service's name for the type. */
	type: string;
	/** Empty if the field has none. */
	choices: readonly string[];
}

/** The types that somebody has set for new fields, by their columns in any case. */
export type FieldTypes = ReadonlyMap<string, NewField>;

/** An entry, converted for the fields of its card. */
export interface Wish {
	entry: Pick<Entry, 'itemIndex' | 'find' | 'columns' | 'ifNotFound' | 'result'>;
	/** By field ID; null clears. */
	values: JsonObject;
	/** Values that their fields refuse: no error if the record has them. */
	refused: readonly RefusedValue[];
	/** The values to match on, as one text. */
	key?: string | undefined;
	/** Finds the records of conditions. */
	test?: RecordTest | undefined;
}

/** A value that its field refuses. */
export interface RefusedValue extends Refusal {
	id: string;
	value: unknown;
}
