import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import { columnsMapper, columnsProperty } from '../../ui/columns';
import { cardLocator } from '../../ui/locators';
import {
	dryRunOption,
	ifNotFoundOption,
	multipleMatchesOption,
	recordOptions,
	upsertModeOption,
	writeOptions,
} from '../../ui/recordOptions';
import { readChoice } from '../inputs/choice';
import { defineOperation } from '../operation';
import { inParallel } from '../schedule/parallel';
import { dryOutput, type DryOutput } from '../writing/dryRun';
import { prepareWrite, withLiveFields } from '../writing/liveFields';
import { itemKey, matchingFieldIds } from '../writing/matching';
import { readNotFound } from '../reading/notFound';
import { recordOutput } from '../reading/output';
import { create, update } from '../writing/write';

/** The label of the mapper in the editor. */
const VALUES_LABEL = 'Values to Send';

/** The records to update, as the option Multiple Matches says. */
function chosen(
	matches: readonly DataRecord[],
	policy: string | undefined,
	card: string,
): readonly DataRecord[] {
	if (matches.length <= 1 || policy === 'all') return matches;
	if (policy === 'first') return matches.slice(0, 1);
	throw new InputError(
		`${matches.length} records of card '${card}' match this item`,
		"Match on more fields, or set the option 'Multiple Matches'.",
	);
}

/** How records are returned, by the action that was taken. */
interface Results {
	kept(record: DataRecord): JsonObject;
	updated(before: DataRecord, after: DataRecord): JsonObject;
	created(record: DataRecord): JsonObject;
}

const results = (output: (record: DataRecord) => JsonObject): Results => ({
	kept: output,
	updated: (_before, after) => ({ ...output(after), action: 'updated' }),
	created: (record) => ({ ...output(record), action: 'created' }),
});

const dryResults = (output: DryOutput): Results => ({
	kept: (record) => output('none', record, record),
	updated: (before, after) => output('update', before, after),
	created: (record) => output('create', undefined, record),
});

export const upsertRecord = defineOperation({
	value: 'upsert',
	name: 'Create or Update',
	action: 'Create or update a record',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	writes: true,
	properties: [
		cardLocator,
		{
			...columnsProperty,
			typeOptions: {
				loadOptionsDependsOn: ['cardId.value'],
				resourceMapper: {
					...columnsMapper,
					mode: 'upsert',
					valuesLabel: VALUES_LABEL,
					addAllFields: false,
					multiKeyMatch: true,
				},
			},
		},
		recordOptions([
			...writeOptions,
			dryRunOption,
			{
				...ifNotFoundOption,
				description:
					'How to continue when no record matches and Upsert Mode is Update Only; the other modes create a record',
			},
			multipleMatchesOption,
			upsertModeOption,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const options = get('options');
		const upsertMode = readChoice(upsertModeOption, options.upsertMode);
		const multipleMatches = readChoice(multipleMatchesOption, options.multipleMatches);
		const whenNotFound = readNotFound(options.ifNotFound);
		const parameters = { cardId: get('cardId'), columns: get('columns'), options };
		const write = await prepareWrite(run, itemIndex, parameters, VALUES_LABEL);
		const { card, columns, request } = write;
		return await withLiveFields(run, write, async (index, data) => {
			const { kept, updated, created } = write.dryRun
				? dryResults(dryOutput(index, options))
				: results(recordOutput(index, true, options));
			const fieldIds = matchingFieldIds(columns, index);
			const key = itemKey(fieldIds, data, index, run.zone);
			const matches = await run.writes.matches(card, index, fieldIds, request);

			// Items with the same key act on one record, one after the other.
			return await run.writes.inOrder(card, JSON.stringify([fieldIds, key]), async () => {
				const found = chosen(await matches.find(data), multipleMatches, card.name);
				// Nothing is done with them: neither `created` nor `updated`.
				if (found.length > 0 && upsertMode === 'createOnly') return found.map(kept);
				if (found.length > 0) {
					const atOnce = () => run.api.atOnce(request.maxParallel);
					return await inParallel(found, atOnce, async (earlier) => {
						const record = await update(run, write, data, earlier.id, earlier);
						matches.put(record, data);
						return updated(earlier, record);
					});
				}
				if (upsertMode === 'updateOnly') {
					return whenNotFound(
						new InputError(
							`No record of card '${card.name}' matches this item`,
							"Check the matching values, or set the option 'If Not Found'.",
						),
					);
				}
				const record = await matches.add(data, async () => await create(run, write, data));
				return [created(record)];
			});
		});
	},
});
