import { InputError } from '../../model/inputError';
import { plainNumber, plainText } from '../../model/text';
import { matchColumnsProperty, VALUES_LABEL } from '../../ui/columns';
import { filterNotice, filtersProperty, matchTypeProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import { recordOptions } from '../../ui/recordOptions';
import { allowedChanges } from '../growth/cardChanges';
import { readChoice } from '../readParameters';
import { defineOperation } from '../operation';
import { recordOutput } from '../outputItems';
import { dryOutput, readDryRuns } from '../writing/dryRun';
import { readWrite } from '../writing/liveFields';
import { requestOptions } from '../requestOptions';
import { checkAll, finishCard, writeItem, type SyncPart } from '../writing/sync';
import { dryRunOption, dryRunProperty, unchangedOption, writeOptions } from '../../ui/writeOptions';

const missingRecordsProperty = {
	displayName: 'Records Without an Item',
	name: 'missingRecords',
	type: 'options',
	options: [
		{
			name: 'Delete',
			value: 'delete',
			description: 'Delete them, after everything else was written',
		},
		{ name: 'Keep', value: 'keep', description: 'Leave them unchanged' },
	],
	default: 'keep',
	description:
		'What happens to records that take part and have no item. A list of items that is not complete would delete records: check it with Dry Run first.',
} as const;

const maxDeletionsProperty = {
	displayName: 'Most Records to Delete',
	name: 'maxDeletions',
	type: 'string',
	default: '',
	placeholder: 'e.g. 500',
	description:
		'If more records would be deleted, nothing is sent. Empty: at most 100, and at most half of the records that take part.',
	displayOptions: { show: { missingRecords: ['delete'] } },
} as const;

/** @returns undefined where nothing is entered @throws InputError for anything but a whole number of at least 0 */
function readMaxDeletions(value: unknown): number | undefined {
	if (value === undefined || value === null || plainText(value).trim() === '') return undefined;
	const number = plainNumber(value);
	if (Number.isInteger(number) && number >= 0) return number;
	throw new InputError(
		`'${maxDeletionsProperty.displayName}' must be a whole number of at least 0, not '${plainText(value)}'`,
		'Enter the most records that may be deleted, or leave it empty.',
	);
}

export const syncRecords = defineOperation({
	value: 'sync',
	name: 'Sync',
	action: 'Sync records with the items',
	description: 'Make the records of a card equal to the input items',
	writes: true,
	properties: [
		cardLocator,
		matchColumnsProperty,
		{
			...filtersProperty,
			description: 'Conditions that records must meet to take part; without any, all records do',
		},
		matchTypeProperty,
		filterNotice,
		missingRecordsProperty,
		maxDeletionsProperty,
		dryRunProperty,
		recordOptions([...writeOptions, dryRunOption, unchangedOption]),
	],
	async execute({ run, itemIndex, get }) {
		const prepare = async (): Promise<SyncPart> => {
			const card = await run.cards.findExact(get('cardId'), requestOptions(get('options')));
			try {
				const options = {
					...get('options'),
					dryRun: readDryRuns(get('dryRun'), get('options').dryRun),
				};
				const isWanted = readChoice(missingRecordsProperty, get('missingRecords')) === 'delete';
				const most = isWanted ? readMaxDeletions(get('maxDeletions')) : undefined;
				const parameters = { cardId: get('cardId'), columns: get('columns'), options };
				const write = await readWrite(run, itemIndex, parameters, VALUES_LABEL, true);
				const settings = {
					filters: get('filters'),
					matchType: get('matchType'),
					dryRun: write.dryRun,
					deletions: { isWanted, most },
					allowed: allowedChanges(options),
				};
				return { itemIndex, card, write, settings };
			} catch (error) {
				return { itemIndex, card, error };
			}
		};
		// Nothing is thrown before all items have come: the check must know of each of them.
		const part = await prepare().catch((error: unknown): SyncPart => ({ itemIndex, error }));
		const check = await run.items.gather(
			'sync',
			itemIndex,
			part,
			async (parts) => await checkAll(run, parts),
		);
		if ('error' in part) throw part.error;
		const checked = check.get(itemIndex);
		if (!checked || 'error' in checked) throw checked?.error;

		const { write } = part;
		const isFirst = itemIndex === checked.firstItem;
		const finishing = isFirst ? finishCard(run, checked, write) : Promise.resolve([]);
		const { action, before, after } = await writeItem(run, checked, itemIndex, write).catch(
			async (error: unknown) => {
				if (run.context.continueOnFail()) await finishing;
				return await Promise.reject(error as Error);
			},
		);
		const { listing } = await checked.live();
		const options = get('options');
		const dry = dryOutput(listing, options);
		const deleted = await finishing;
		run.ending.append(
			deleted.map((record) => ({
				itemIndex,
				json: write.dryRun
					? dry('delete', record, undefined)
					: { deleted: true, id: record.id, action: 'deleted' },
			})),
		);
		if (!write.dryRun) return [{ ...recordOutput(listing, true, options)(after), action }];
		if (action === 'unchanged') return [];
		return [dry(action === 'created' ? 'create' : 'update', before, after)];
	},
});
