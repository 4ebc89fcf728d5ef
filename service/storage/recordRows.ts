/** Records as they are stored. */
/** A record as stored: `data` is keyed by the stored key of a field, not by its id. */
export interface StoredRecord {
	id: string;
	data: Record<string, unknown>;
	created_at: string;
}

/** Comes after every record id, which are ULIDs. */
export const afterAll = '~';

/** A row of the table. */
export interface Row {
	id: string;
	data: string;
	created_at: string;
}

/** A row as a record. */
export const parseRow = (row: Row): StoredRecord => ({
	id: row.id,
	data: JSON.parse(row.data) as Record<string, unknown>,
	created_at: row.created_at,
});
