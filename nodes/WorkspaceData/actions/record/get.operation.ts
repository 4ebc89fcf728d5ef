import { ifNotFoundOption } from '../../properties/ifNotFound';
import { cardLocator, recordLocator } from '../../properties/locators';
import { readingOptions, recordOptions } from '../../properties/recordOptions';
import { simplifyProperty } from '../../properties/simplify';
import { readLocator } from '../../records/locator';
import { recordOutput } from '../../records/recordOutput';
import type { DataRecord } from '../../transport/api';
import { InputError } from '../../values/inputError';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { outputOptions, requestOptions } from '../operation/readParameters';

export const getRecord = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get record',
	description: 'Retrieve a record by its ID',
	properties: [
		cardLocator,
		recordLocator,
		simplifyProperty,
		recordOptions([ifNotFoundOption, ...readingOptions]),
	],
	execute: eachItem(async (run, get) => {
		const options = get('options');
		const request = requestOptions(options);
		const ifNotFound = options.ifNotFound ?? 'error';
		const { text: id } = readLocator(get('recordId'), recordLocator.displayName);
		const how = outputOptions(options, get('simple'));
		const card = await run.findCard(get('cardId'), request);
		const output = recordOutput(await run.fieldsOf(card, request), how);
		let found: DataRecord | undefined;
		// The interface has no request for one record.
		const take = (record: DataRecord): boolean => {
			if (record.id === id) found = record;
			return found !== undefined;
		};
		await run.readRecords(card, Infinity, take, request);
		if (found) return [output(found)];
		if (ifNotFound !== 'error') return ifNotFound === 'skip' ? [] : [{}];
		throw new InputError(
			`Card '${card.name}' has no record '${id}'`,
			`Check '${recordLocator.displayName}', or select another entry in '${ifNotFoundOption.displayName}'.`,
		);
	}),
});
