/** What every record has by itself: an ID and a time, and by these an age. */
import type { DataRecord } from '../transport/api';
import { byCharacter } from '../values/identity';
import { kindOfType } from '../values/kinds/allKinds';
import type { Kind, ValueField } from '../values/kind';
import { asUtc, parseTime } from '../values/time';

/** A value that each record has, or may have: how it is compared, and how to read it. */
export interface NamedValue {
	field: ValueField;
	read(record: DataRecord): unknown;
}

/** Sorted and compared character by character, not by the rules of a language. */
const ID: Kind = {
	...kindOfType('text'),
	isText: false,
};
const TIME = kindOfType('datetime');

/** A record's own values, under their names in filters. */
export const OWN_VALUES: ReadonlyMap<string, NamedValue> = new Map<string, NamedValue>([
	[
		'created_at',
		{
			field: { name: 'Created At', type: 'datetime', kind: TIME, options: [] },
			read: ({ createdAt }) => createdAt && asUtc(createdAt),
		},
	],
	['id', { field: { name: 'ID', type: 'text', kind: ID, options: [] }, read: ({ id }) => id }],
]);

/** The age of a record: its time, then its sortable ID. */
export interface Age {
	/** ms since the epoch. */
	at: number;
	id: string;
}

export const ageOf = ({ id, createdAt }: Pick<DataRecord, 'id' | 'createdAt'>): Age => ({
	at: parseTime(createdAt) ?? 0,
	id,
});

/** Oldest first. Of identifiers of one time the shorter comes first: so whole numbers are in their order. */
export const byAge = (a: Age, b: Age): number =>
	a.at - b.at || a.id.length - b.id.length || byCharacter(a.id, b.id);
