/** What an item wants written, as its parameters say it. */
import type { Filters, MatchType } from './filter';
import type { RequestOptions } from '../transport/api';
import type { EntryRules } from '../values/kind';
import type { Columns } from './columns';
import type { FieldIndex } from './fieldIndex';
import type { FindByKey, Wish } from './planned';
import type { CardReference } from './run';

export interface Entry {
	itemIndex: number;
	/** Its ID is empty if the card is to be created. */
	card: CardReference;
	isDry: boolean;
	settings: WriteSettings;
	/** Its values; undefined for a deletion. @throws InputError */
	columns?: ((index: FieldIndex) => Columns) | undefined;
	find: EntryFind;
	ifNotFound?: Wish['ifNotFound'] | undefined;
	/** True if the record is read first, for its old values. */
	readsFirst?: boolean;
	/** Settings that all items of a card must have in common, and their labels. */
	common?: { value: unknown; labels: string };
}

/** How an item finds its records, before the fields of the card are known. */
export type EntryFind =
	| { by: 'nothing' }
	| { by: 'id'; id: string }
	| (Omit<FindByKey, 'key'> & {
			/** The fields to match on. */
			matching: Pick<Columns, 'matchingKeys' | 'hints'>;
			ignoresCase: boolean;
			sync?: SyncSettings;
	  })
	| { by: 'filter'; filters: Filters; matchType: MatchType; most: number; label: string };

/** The settings of a Sync. */
export interface SyncSettings {
	filters: Filters;
	matchType: MatchType;
	deletes: boolean;
	/** 0 for a tenth, Infinity for no limit. */
	maxDeletions: number;
}

/** How values are written. */
export interface WriteSettings {
	request: RequestOptions;
	rules: EntryRules;
	/** True to add fields for unknown columns. */
	addsFields: boolean;
	/** True to add choices that fields lack. */
	addsChoices: boolean;
	/** True to leave out values of unknown fields. */
	ignoresUnknown: boolean;
	/** Names or IDs of fields to clear. */
	clearFields: readonly string[];
	/** The types of new fields that somebody has set. */
	types: FieldTypes;
	/** The mapper's label. */
	label: string;
}

/** The types that somebody has set for new fields, by their columns in any case. */
export type FieldTypes = ReadonlyMap<string, { name: string; type: string; choices: string[] }>;
