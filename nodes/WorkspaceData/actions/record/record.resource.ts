import type { Resource } from '../operation';
import { countRecords } from './count.operation';
import { createRecord } from './create.operation';
import { deleteRecord } from './delete.operation';
import { deleteManyRecords } from './deleteMany.operation';
import { getRecord } from './get.operation';
import { getManyRecords } from './getAll.operation';
import { getRecordPageOperation } from './getPage.operation';
import { ifRecordExists } from './ifExists.operation';
import { ifRecordDoesNotExist } from './ifNotExists.operation';
import { syncRecords } from './sync.operation';
import { updateRecord } from './update.operation';
import { updateManyRecords } from './updateMany.operation';
import { upsertRecord } from './upsert.operation';

/** Records: the rows of a card. */
export const record: Resource = {
	value: 'record',
	name: 'Record',
	operations: [
		createRecord,
		upsertRecord,
		countRecords,
		deleteRecord,
		deleteManyRecords,
		getRecord,
		getManyRecords,
		getRecordPageOperation,
		ifRecordDoesNotExist,
		ifRecordExists,
		syncRecords,
		updateRecord,
		updateManyRecords,
	],
};
