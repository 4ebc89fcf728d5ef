import type { Resource } from '../operation';
import { createField } from './create.operation';
import { deleteField } from './delete.operation';
import { getField } from './get.operation';
import { getManyFields } from './getAll.operation';
import { updateField } from './update.operation';

/** Fields: the columns of a card. */
export const field: Resource = {
	value: 'field',
	name: 'Field',
	operations: [getManyFields, createField, deleteField, getField, updateField],
};
