import type { DataRecord } from '../../model/response/record';
import type { JsonObject } from '../../model/response/jsonObject';
import { matchColumnsProperty, selectCardNotice, VALUES_LABEL } from '../../properties/columns';
import { cardLocator } from '../../properties/locators';
import { ifNotFoundOption } from '../../properties/ifNotFound';
import { recordOptions } from '../../properties/recordOptions';
import { readChoice } from '../readParameters';
import { ensureFields } from '../newFields/ensureFields';
import { defineOperation } from '../operation';
import { inParallel } from '../schedule/items';
import { withFreshFields } from '../writing/freshFields';
import { convertValues, readValues, type ConvertedValues } from '../writing/itemValues';
import {
	chosenMatches,
	hintAtSpelling,
	itemKey,
	matchingFields,
	otherSpelling,
} from '../writing/matching';
import { readNotFound, RecordMissing } from '../reading/ifNotFound';
import { readMatches } from '../reading/matchIndex';
import { resultsOf } from '../writing/writtenItems';
import { create, updateFound } from '../writing/writeRecord';
import {
	dryRunOption,
	multipleMatchesOption,
	upsertModeOption,
	readAndWriteOptions,
} from '../../properties/writeOptions';

export const upsertRecord = defineOperation({
	value: 'upsert',
	name: 'Create or Update',
	action: 'Create or update record',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	writes: true,
	properties: [
		cardLocator,
		selectCardNotice,
		matchColumnsProperty,
		recordOptions([
			...readAndWriteOptions,
			dryRunOption,
			{
				...ifNotFoundOption,
				description: "How to continue if no record matches and 'Upsert Mode' is 'Update Only'",
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
		const write = await readValues(run, itemIndex, parameters, VALUES_LABEL);
		const { card, columns, request, writer } = write;
		const { cardRun } = writer;
		const work = async (live: ConvertedValues): Promise<JsonObject[]> => {
			const { index, data } = live;
			const result = resultsOf(run, cardRun, index, options);
			const fields = matchingFields(run, columns, index);
			const matches = await readMatches(run, writer, fields);
			const found = chosenMatches(await matches.find(data), multipleMatches, card.name);
			if (found.length > 0 && upsertMode === 'createOnly')
				return found.map((one) => result('unchanged', one));
			if (found.length > 0) {
				const atOnce = () => run.session.atOnce({ method: 'PATCH', ...request });
				const updateOne = async (earlier: DataRecord): Promise<JsonObject> => {
					const now = await updateFound(write, live, earlier);
					return result(now.action, now.record, earlier, now.sent);
				};
				return await inParallel(found, atOnce, updateOne, (ended) => {
					const updated = ended.filter((one) => one !== undefined);
					run.partial.set(itemIndex, updated);
				});
			}
			if (upsertMode === 'updateOnly') {
				return whenNotFound(
					new RecordMissing(
						`No record of card '${card.name}' matches this item`,
						"Check the matching values, or set the option 'If Not Found'.",
					),
				);
			}
			matches.requireComplete();
			const keepsOne = cardRun.otherSpellings > 0;
			const near = (await matches.near(data)).find(
				(one) => keepsOne || !cardRun.itemKeys.has(fields.keyOf(one.data)),
			);
			if (near) throw otherSpelling(fields, data, near, card.name);
			const created = await matches.create(
				data,
				async (existed) => await create(write, live, existed),
			);
			hintAtSpelling(write, fields, data, created);
			return [result('created', created)];
		};
		const live = await convertValues(write, await ensureFields(write));
		// Items with the same key change the same record, one after the other.
		const fields = matchingFields(run, columns, live.index);
		cardRun.itemKeys.add(itemKey(fields, live.data));
		const part = fields.partOf(live.data);
		const upserting = async () => await withFreshFields(write, live, work);
		return await run.items.inItemOrder(
			itemIndex,
			async () => await run.turns.onKey(writer, part, upserting),
		);
	},
});
