import { assertDone, saysGone } from '../../transport/failure/failures';
import { filterNotice, filtersProperty, matchTypeProperty } from '../../ui/filters';
import { cardLocator } from '../../ui/locators';
import {
	dryRunOption,
	maxParallelOption,
	recordOptions,
	timeoutOption,
} from '../../ui/recordOptions';
import { defineOperation } from '../operation';
import { changeMany, requireConditions } from '../writing/bulk';
import { dryOutput, readDryRun } from '../writing/dryRun';
import { requestOptions } from '../writing/requestOptions';
import { recordPath } from '../writing/write';

export const deleteManyRecords = defineOperation({
	value: 'deleteMany',
	name: 'Delete Many',
	action: 'Delete many records',
	description: 'Delete all records that meet the conditions',
	writes: true,
	properties: [
		cardLocator,
		filtersProperty,
		matchTypeProperty,
		filterNotice,
		recordOptions([dryRunOption, maxParallelOption, timeoutOption]),
	],
	async execute({ run, get }) {
		const options = get('options');
		const request = requestOptions(options);
		const isDry = readDryRun(options.dryRun);
		const conditions = { filters: get('filters'), matchType: get('matchType') };
		requireConditions(conditions);
		const card = await run.cards.findExact(get('cardId'), request);
		const index = await run.fields.of(card, request);
		const remove = async ({ id }: { id: string }): Promise<'deleted'> => {
			if (isDry) return 'deleted';
			const path = recordPath(card.id, id);
			await run.api.request({ method: 'DELETE', path, deletes: 'record', ...request }).then(
				({ body }) => assertDone(body, 'record', 'deleted'),
				(error: unknown) => {
					// Somebody else deleted it since it was listed.
					if (!saysGone(error, ['record'])) throw error;
				},
			);
			return 'deleted';
		};
		const deleted = await changeMany(run, card, index, conditions, request, remove, 'deleted');
		const output = dryOutput(index);
		return deleted.map(({ before }) =>
			isDry ? output('delete', before, undefined) : { deleted: true, id: before.id },
		);
	},
});
