import type { Card } from '../../model/response/card';
import { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { count } from '../../model/names';
import type { JsonObject } from '../../model/response/shapes';
import { cardNameProperty, ifCardExistsProperty } from '../../ui/fieldDefinition';
import { recordOptions, sendingOptions } from '../../ui/recordOptions';
import { readChoice, readSwitch, requireText } from '../readParameters';
import { describePlan, type PlannedField } from '../growth/newFields';
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

const ifExistsOption = {
	...ifCardExistsProperty,
	options: [
		{
			name: 'Reuse the Card',
			value: 'reuse',
			description: 'Add missing fields; keep all others unchanged',
		},
		{
			name: 'Throw an Error',
			value: 'error',
			description: 'Create nothing if the workspace has a card with this name',
		},
	],
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

/** The card and its new fields: the result that its items share. */
interface Target {
	card?: Card;
	isNew: boolean;
	planned: PlannedField[];
	index: FieldIndex;
	/** The item that returns the card; undefined in a dry run that refuses all items. */
	firstItem: number | undefined;
	/** In a dry run, the errors of items whose values the real run would refuse. */
	refusals?: ReadonlyMap<number, unknown>;
}

const typeOnly = ({ name, type }: { name: string; type: string }) => ({ name, type });

/** The output items of a dry run: from version 2 on one for each field that would be added, then the card. */
function previewItems(
	name: string,
	{ card, isNew, planned, index }: Target,
	{ options }: Part,
): JsonObject[] {
	const added = new Set(planned.map((field) => field.name));
	const before = index.fields.filter((field) => isNew || !added.has(field.name)).map(typeOnly);
	const after = planned.map(({ choices, why, ...field }) => ({
		...typeOnly(field),
		...(choices && { choices }),
		why,
	}));
	const fields = planned.map(({ name: field, type, why: reason }) =>
		dryRunItem('create', { field, type, reason }),
	);
	const wholeCard = dryRunItem(isNew ? 'create' : planned.length > 0 ? 'update' : 'none', {
		id: card?.id ?? null,
		before: card ? { name: card.name, fields: before } : null,
		after: { name: card?.name ?? name, fields: isNew ? after : [...before, ...after] },
	});
	return isVersion2(options) ? [...fields, wholeCard] : [wholeCard];
}

/** Converts the values of items as the real run does. @returns the errors of refused items */
async function refusalsOf(
	run: Run,
	parts: readonly Part[],
	card: Card | undefined,
	index: FieldIndex,
): Promise<ReadonlyMap<number, unknown>> {
	const refusals = new Map<number, unknown>();
	for (const { itemIndex, columns, options, request } of parts) {
		await run.yieldToLoop();
		// A new card has no records, so there are no habits to follow.
		const typed = card ? await fieldsFor(run, { card, columns }, index, request) : index;
		try {
			toRecordData({ run, columns, options }, typed);
		} catch (error) {
			refusals.set(itemIndex, error);
		}
	}
	return refusals;
}

/** Plans the card in a dry run, without changing anything. */
async function previewCard(
	run: Run,
	name: string,
	{ policy, choices, hasRecords }: How,
	parts: readonly Part[],
): Promise<Target> {
	const { request } = parts[0] as Part;
	const card = existingCard(await run.cards.list(request).first(Infinity), name, policy);
	const meant = card ?? { id: '', name };
	const known = card ? await run.fields.of(card, request) : new FieldIndex([], name);
	const growing = { run, card: meant, allowed: { fields: true, choices }, request };
	const { planned, additions, index } = await previewChanges(growing, known, parts);
	run.messages.hint(
		`Dry run: card '${meant.name}' ${card ? 'exists' : 'would be created'}. ${count(planned.length, 'field')} would be added${planned.length > 0 ? `: ${describePlan(planned)}` : ''}`,
	);
	// The first hint lists the fields.
	hintAtAdditions(run, meant, { planned: [], additions });
	const refusals = hasRecords ? await refusalsOf(run, parts, card, index) : undefined;
	const firstItem = parts.find(({ itemIndex }) => !refusals?.has(itemIndex))?.itemIndex;
	const target: Target = { card, isNew: !card, planned, index, firstItem, refusals };
	if (firstItem === undefined) {
		// All items failed, so the card comes after the last error.
		const last = parts.at(-1) as Part;
		const items = previewItems(name, target, last);
		run.ending.append(items.map((json) => ({ itemIndex: last.itemIndex, json })));
	}
	return target;
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
	const { itemIndex: firstItem, request } = parts[0] as Part;
	const { policy, choices } = how;
	const { card, isNew } = await cardOfName(run, name, policy, { name }, request);
	const growing = { run, card, allowed: { fields: true, choices }, request };
	const planned = await changeCard(growing, parts).catch((error: unknown) => {
		noteWhatExists(run, error, card, isNew);
		throw error;
	});
	return { firstItem, card, isNew, planned, index: await run.fields.of(card, request) };
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
		const target = await run.items.gather(
			key,
			itemIndex,
			part,
			async (parts) => await prepareCard(run, name, how, parts),
		);
		const { card, isNew, index: known, firstItem, refusals } = target;
		if (refusals?.has(itemIndex)) throw refusals.get(itemIndex);
		if (!card || isDry || !hasRecords) {
			if (firstItem !== itemIndex) return [];
			if (!card || isDry) return previewItems(name, target, part);
			return [{ ...card.raw, fields: known.fields.map(({ raw }) => raw) }];
		}
		const writer = createWriter(run, card, request, false);
		const write: Write = { ...part, run, card, writer, skipsUnchanged: false };
		return await withLiveFields(write, async ({ index, data }) => {
			return [recordOutput(index, true, options)(await create(write, data, index))];
		}).catch((error: unknown) => {
			noteWhatExists(run, error, card, isNew);
			throw error;
		});
	},
});
