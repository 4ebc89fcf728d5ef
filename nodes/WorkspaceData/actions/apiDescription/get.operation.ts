import { defineOperation, eachItem } from '../operation/defineOperation';

const formatProperty = {
	displayName: 'Format',
	name: 'format',
	type: 'options',
	options: [
		{ name: 'JSON', value: 'json', description: 'The document as data' },
		{ name: 'YAML', value: 'yaml', description: 'The document as text' },
	],
	default: 'json',
	description: 'The format of the document',
} as const;

export const getApiDescription = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get API description',
	description: 'Retrieve the OpenAPI description of the service',
	properties: [formatProperty],
	execute: eachItem(async (run, get) => [await run.api.description(get('format'))]),
});
