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
	/** True if a dry run returns an item for each field, which it does from version 2 on. */
	listsFields: boolean;
}

/** A card and its new fields. */
interface PlannedCard {
	card?: Card;
	isNew: boolean;
	planned: PlannedField[];
	index: FieldIndex;
}

/** The result that the items of one card share. */
interface Target extends PlannedCard {
	/** The item that returns the card; undefined in a dry run that refuses all items. */
	firstItem: number | undefined;
	/** In a dry run, the errors of items whose values the real run would refuse. */
	refusals?: ReadonlyMap<number, unknown>;
}

const typeOnly = ({ name, type }: { name: string; type: string }) => ({ name, type });

/** The output item of a dry run, in the same form as all dry runs. */
function previewItem(name: string, { card, isNew, planned, index }: PlannedCard): JsonObject {
	const added = new Set(planned.map((field) => field.name));
	const before = index.fields.filter((field) => isNew || !added.has(field.name)).map(typeOnly);
	const after = planned.map((field) => ({
		...typeOnly(field),
		...(field.choices && { choices: field.choices }),
		why: field.why,
	}));
	return dryRunItem(isNew ? 'create' : planned.length > 0 ? 'update' : 'none', {
		id: card?.id ?? null,
		before: card ? { name: card.name, fields: before } : null,
		after: { name: card?.name ?? name, fields: isNew ? after : [...before, ...after] },
	});
}

/** The output items of a dry run: if requested, one for each field that would be added, then the card. */
const previewItems = (name: string, plan: PlannedCard, listsFields: boolean): JsonObject[] => {
	const fields = plan.planned.map(({ name: field, type, why: reason }) =>
		dryRunItem('create', { field, type, reason }),
	);
	return [...(listsFields ? fields : []), previewItem(name, plan)];
};

/** The number of items checked between two yields to the event loop. */
const SLICE_ITEMS = 100;

/** Converts the values of items as the real run does. @returns the errors of refused items */
async function refusalsOf(
	run: Run,
	parts: readonly Part[],
	card: Card | undefined,
	index: FieldIndex,
): Promise<ReadonlyMap<number, unknown>> {
	const refusals = new Map<number, unknown>();
	for (const [place, { itemIndex, columns, options, request }] of parts.entries()) {
		if (place % SLICE_ITEMS === 0) await run.yieldToLoop();
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
	{ policy, choices, hasRecords, listsFields }: How,
	parts: readonly Part[],
): Promise<Target> {
	const request = parts[0]?.request ?? {};
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
	const plan: PlannedCard = { ...(card && { card }), isNew: !card, planned, index };
	const firstItem = parts.find(({ itemIndex }) => !refusals?.has(itemIndex))?.itemIndex;
	if (firstItem === undefined) {
		// All items failed, so the card comes after the last error.
		const itemIndex = parts.at(-1)?.itemIndex ?? 0;
		run.ending.append(previewItems(name, plan, listsFields).map((json) => ({ itemIndex, json })));
	}
	return { ...plan, firstItem, ...(refusals && { refusals }) };
}

/** Finds or creates the card, and adds the fields that the items need. */
async function prepareCard(
	run: Run,
	name: string,
	how: How,
	parts: readonly Part[],
): Promise<Target> {
	const [first] = parts;
	if (!first || parts.every(({ columns }) => columns.entries.length === 0)) {
		throw new InputError(
			'The items have no values',
			'Connect a node whose items have a key for each field.',
		);
	}
	if (how.isDry) return await previewCard(run, name, how, parts);
	const { itemIndex: firstItem, request } = first;
	const { policy, choices } = how;
	const { card, isNew } = await cardOfName(run, name, policy, { name }, request);
	const growing = { run, card, allowed: { fields: true, choices }, request };
	const planned = await changeCard(growing, parts).catch((error: unknown) => {
		run.messages.note(
			error,
			[run.messages.noteOn(error), whatExists(card, isNew)].filter(Boolean).join(' '),
		);
		throw error;
	});
	return { firstItem, card, isNew, planned, index: await run.fields.of(card, request) };
}

/** Says what exists after a failed run. */
const whatExists = ({ name, id }: Card, isNew: boolean): string =>
	isNew
		? `Card '${name}' (${id}) exists now. To continue with it, select 'Reuse the Card' in '${ifExistsOption.displayName}'.`
		: `Card '${name}' keeps the fields that were added.`;

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
		const { missingChoices } = options;
		const choices = readChoice(missingChoicesOption, missingChoices) === 'add';
		const columns = itemColumns(run.context.getInputData()[itemIndex]?.json ?? {});
		const isDry = readDryRun(options.dryRun);
		const hasRecords = readSwitch('Create Records', options.createRecords, true);
		const listsFields = isVersion2(options);
		const how: How = { policy, isDry, choices, hasRecords, listsFields };
		const key = JSON.stringify(['createFromItems', name, how]);
		const { numberFormat, dateFormat, booleanWords } = options;
		const formats = { numberFormat, dateFormat, booleanWords };
		readFormats(formats);
		const added = { ...formats, ...(choices && { missingChoices }) };
		const part: Part = {
			itemIndex,
			columns,
			options: { unknownFields: 'create', whole: true, ...added },
			request,
		};
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
			if (!card || isDry) return previewItems(name, target, listsFields);
			return [{ ...card.raw, fields: known.fields.map(({ raw }) => raw) }];
		}
		const writer = createWriter(run, card, request, false);
		const write: Write = { ...part, run, card, writer, skipsUnchanged: false };
		return await withLiveFields(write, async ({ index, data }) => {
			return [recordOutput(index, true, options)(await create(write, data))];
		}).catch((error: unknown) => {
			run.messages.note(error, whatExists(card, isNew));
			throw error;
		});
	},
});
