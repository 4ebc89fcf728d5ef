import { existsOperation } from '../reading/exists';

export const ifRecordExists = existsOperation(
	{
		value: 'ifExists',
		name: 'If Record Exists',
		action: 'If a record exists',
		description: 'Keep the input items for which a record meets the conditions',
	},
	true,
);
