import type { Resource } from '../operation';
import { createRecord } from './create.operation';
import { deleteRecord } from './delete.operation';
import { getRecord } from './get.operation';
import { getManyRecords } from './getAll.operation';
import { updateRecord } from './update.operation';
import { upsertRecord } from './upsert.operation';

/** Records: the rows of a card. */
export const record: Resource = {
	value: 'record',
	name: 'Record',
	operations: [createRecord, upsertRecord, deleteRecord, getRecord, getManyRecords, updateRecord],
};
