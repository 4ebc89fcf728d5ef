import { existsOperation } from './ifExists.operation';

export const ifRecordDoesNotExist = existsOperation(
	{
		value: 'ifNotExists',
		name: 'If Record Does Not Exist',
		action: "If record doesn't exist",
		description: 'Keep the input items for which no record meets the conditions',
	},
	false,
);
