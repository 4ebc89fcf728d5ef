import type { Card } from '../../model/response/card';
import { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/response/shapes';
import { cardNameProperty, ifCardExistsProperty } from '../../ui/fieldDefinition';
import { recordOptions, sendingOptions } from '../../ui/recordOptions';
import { readChoice, readSwitch, requireText } from '../readParameters';
import type { PlannedField } from '../growth/newFields';
import { defineOperation } from '../operation';
import { changeCard, hintAtAdditions, previewChanges } from '../growth/cardChanges';
import { dryRunItem, readDryRun } from '../writing/dryRun';
import { fieldsFor, withLiveFields, type Write } from '../writing/liveFields';
import { readFormats, toRecordData } from '../writing/valueConversion';
import { isVersion2, recordOutput } from '../outputItems';
import { requestOptions } from '../requestOptions';
import { create } from '../writing/write';
import { createWriter } from '../writing/writer';
import type { Run } from '../run/run';
import { cardOfName, existingCard } from './create.operation';
import { itemColumns } from '../writing/mapper';
import { dryRunOption, formatOptions, missingChoicesOption } from '../../ui/writeOptions';

const [, reuse, refuse] = ifCardExistsProperty.options;

const ifExistsOption = {
	...ifCardExistsProperty,
	options: [{ ...reuse, description: 'Add missing fields; keep all others unchanged' }, refuse],
	default: 'error',
} as const;

const createRecordsOption = {
	displayName: 'Create Records',
	name: 'createRecords',
	type: 'boolean',
	default: true,
	description: 'Whether to create a record for each item; else only the card and its fields',
} as const;

/** What an item contributes to a card that several items share. */
type Part = Pick<Write, 'columns' | 'options' | 'request'> & { itemIndex: number };

/** The settings of a card; the same for all of its items. */
interface How {
	policy: 'reuse' | 'error';
	isDry: boolean;
	choices: boolean;
	hasRecords: boolean;
}

/** The card and its fields; the card is undefined in a dry run that would create it. */
interface Target {
	card?: Card;
	isNew: boolean;
	index: FieldIndex;
}

const typeOnly = ({ name, type }: { name: string; type: string }) => ({ name, type });

/** The output items of a dry run: from version 2 on one for each field that would be added, then the card. */
function previewItems(
	name: string,
	card: Card | undefined,
	{ fields }: FieldIndex,
	planned: readonly PlannedField[],
): JsonObject[] {
	const before = fields.map(typeOnly);
	const after = planned.map(({ choices, why, ...field }) => ({
		...typeOnly(field),
		...(choices && { choices }),
		why,
	}));
	const added = planned.map(({ name: field, type, why: reason }) =>
		dryRunItem('create', { field, type, reason }),
	);
	const action = !card ? 'create' : planned.length > 0 ? 'update' : 'none';
	const wholeCard = dryRunItem(action, {
		id: card?.id ?? null,
		before: card ? { name: card.name, fields: before } : null,
		after: { name, fields: [...before, ...after] },
	});
	return [...added, wholeCard];
}

/** Plans the card in a dry run, without changing anything. Its output comes after the errors of single items. */
async function previewCard(
	run: Run,
	name: string,
	{ policy, choices }: How,
	parts: readonly Part[],
): Promise<Target> {
	const { itemIndex, options, request } = parts[0] as Part;
	const card = existingCard(await run.cards.list(request).first(Infinity), name, policy);
	const meant = card ?? { id: '', name };
	const known = card ? await run.fields.of(card, request) : new FieldIndex([], name);
	const growing = { run, card: meant, allowed: { fields: true, choices }, request };
	run.messages.hint(`Dry run: card '${meant.name}' ${card ? 'exists' : 'would be created'}`);
	const preview = await previewChanges(growing, known, parts);
	hintAtAdditions(run, meant, preview);
	const items = previewItems(meant.name, card, known, preview.planned);
	const shown = isVersion2(options) ? items : items.slice(-1);
	run.ending.append(shown.map((json) => ({ itemIndex, json })));
	return { card, isNew: !card, index: preview.index };
}

/** Finds or creates the card, and adds the fields that the items need. */
async function prepareCard(
	run: Run,
	name: string,
	how: How,
	parts: readonly Part[],
): Promise<Target> {
	if (parts.every(({ columns }) => columns.entries.length === 0)) {
		throw new InputError(
			'The items have no values',
			'Connect a node whose items have a key for each field.',
		);
	}
	if (how.isDry) return await previewCard(run, name, how, parts);
	const { itemIndex, request } = parts[0] as Part;
	const { policy, choices } = how;
	const { card, isNew } = await cardOfName(run, name, policy, { name }, request);
	const growing = { run, card, allowed: { fields: true, choices }, request };
	await changeCard(growing, parts).catch((error: unknown) => {
		noteWhatExists(run, error, card, isNew);
		throw error;
	});
	const index = await run.fields.of(card, request);
	if (!how.hasRecords) {
		const json = { ...card.raw, fields: index.fields.map(({ raw }) => raw) };
		run.ending.append([{ itemIndex, json }]);
	}
	return { card, isNew, index };
}

/** Adds to an error's note what exists after a failed run. */
function noteWhatExists(
	{ messages }: Run,
	error: unknown,
	{ name, id }: Card,
	isNew: boolean,
): void {
	const exists = isNew
		? `Card '${name}' (${id}) exists now. To continue with it, select 'Reuse the Card' in '${ifExistsOption.displayName}'.`
		: `Card '${name}' keeps the fields that were added.`;
	messages.note(error, exists);
}

export const createCardFromItems = defineOperation({
	value: 'createFromItems',
	name: 'Create From Items',
	action: 'Create card from items',
	description: 'Create a card with fields that suit the input items, and a record for each item',
	writes: true,
	properties: [
		cardNameProperty,
		recordOptions([
			createRecordsOption,
			dryRunOption,
			...formatOptions,
			ifExistsOption,
			missingChoicesOption,
			...sendingOptions,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const name = requireText(get('name'), 'Name');
		const options = get('options');
		const policy = readChoice(ifExistsOption, options.ifExists) ?? 'error';
		const request = requestOptions(options);
		const choices = readChoice(missingChoicesOption, options.missingChoices) === 'add';
		const columns = itemColumns(run.context.getInputData()[itemIndex]?.json ?? {});
		const isDry = readDryRun(options.dryRun);
		const hasRecords = readSwitch('Create Records', options.createRecords, true);
		const how: How = { policy, isDry, choices, hasRecords };
		const key = JSON.stringify(['createFromItems', name, how]);
		readFormats(options);
		const written = { ...options, unknownFields: 'create', whole: true };
		const part: Part = { itemIndex, columns, options: written, request };
		const { card, isNew, index } = await run.items.gather(
			key,
			itemIndex,
			part,
			async (parts) => await prepareCard(run, name, how, parts),
		);
		if (!hasRecords) return [];
		if (!card || isDry) {
			// Refuses what the real run would. A new card has no records, so there are no habits to follow.
			const typed = card ? await fieldsFor(run, { card, columns }, index, request) : index;
			toRecordData({ run, columns, options: written }, typed);
			return [];
		}
		const writer = createWriter(run, card, request, false);
		const write: Write = { ...part, run, card, writer, skipsUnchanged: false };
		return await withLiveFields(write, async (live) => {
			return [recordOutput(live.index, true, options)(await create(write, live.data, live.index))];
		}).catch((error: unknown) => {
			noteWhatExists(run, error, card, isNew);
			throw error;
		});
	},
});
