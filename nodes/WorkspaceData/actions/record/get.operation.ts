import {
	ifNotFoundOption,
	readingOptions,
	recordOptions,
	simplifyProperty,
} from '../../properties/recordOptions';
import { cardLocator, recordLocator } from '../../properties/locators';
import { readLocator } from '../../records/locator';
import { noRecord } from '../../records/plan';
import type { DataRecord } from '../../transport/api';
import { defineOperation, eachItem } from '../operation/defineOperation';
import { openReading } from './openReading';

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
		const ifNotFound = options.ifNotFound ?? 'error';
		const { text: id } = readLocator(get('recordId'), recordLocator.displayName);
		const opened = await openReading(run, get('cardId'), get('simple'), options);
		const { card, output, request } = opened;
		let found: DataRecord | undefined;
		// The interface has no request for one record.
		const take = (record: DataRecord): boolean => {
			if (record.id === id) found = record;
			return found !== undefined;
		};
		await run.readRecords(card, Infinity, take, request);
		if (found) return [output(found)];
		if (ifNotFound !== 'error') return ifNotFound === 'skip' ? [] : [{}];
		throw noRecord({ by: 'id', id }, card.name);
	}),
});
