import type { JsonObject } from '../../values/jsonObject';
import { defineOperation, eachItem } from '../operation';
import { readChoice } from '../readParameters';

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
	async execute(run, parameters) {
		// Read once for all items.
		const known = new Map<string, Promise<JsonObject>>();
		return await eachItem<typeof formatProperty>(async (_, get) => {
			const format = readChoice(formatProperty, get('format')) ?? 'json';
			const reading = known.get(format) ?? run.api.description(format);
			known.set(format, reading);
			return [await reading];
		})(run, parameters);
	},
});
