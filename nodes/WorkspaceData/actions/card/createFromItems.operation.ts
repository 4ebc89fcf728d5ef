import { FieldIndex } from '../../records/fieldIndex';
import { InputError } from '../../values/inputError';
import { count, listedInQuotes } from '../../values/messageText';
import { isBlank } from '../../values/emptyValue';
import { cardNameProperty, ifCardExistsProperty } from '../../properties/fieldDefinition';
import { recordOptions, sendingOptions } from '../../properties/recordOptions';
import { readSwitch } from '../../values/parameterValue';
import { readChoice, requireText } from '../readParameters';
import { defineOperation } from '../operation';
import {
	changeCard,
	hintAtAdditions,
	planChanges,
	requireFit,
	type Planned,
} from '../newFields/ensureFields';
import { dryRunItem, readDryRun } from '../writing/dryRun';
import { withFreshFields } from '../writing/freshFields';
import {
	convertValues,
	readHow,
	type ConvertedValues,
	type ItemWrite,
} from '../writing/itemValues';
import { resultsOf } from '../writing/writtenItems';
import { create } from '../writing/writeRecord';
import type { CardReference } from '../run/run';
import { cardOfName, existingCard, type ExistingCard } from './create.operation';
import { ownColumnsOf } from '../writing/columns';
import { requireColumns } from '../newFields/fieldTypes';
import { itemColumns } from '../writing/mapper';
import {
	dryRunOption,
	fieldTypesOption,
	formatOptions,
	missingChoicesOption,
} from '../../properties/writeOptions';

const [, reuse, refuse] = ifCardExistsProperty.options;

const ifExistsOption = {
	...ifCardExistsProperty,
	options: [
		{
			...reuse,
			description:
				'Add the missing fields, and one more record for each item; to update records, use Sync',
		},
		refuse,
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

/** What an item contributes to its card. All of a card's items have the same name and settings. */
interface Part extends Planned {
	name: string;
	policy: ExistingCard;
	isDry: boolean;
	hasRecords: boolean;
}

/** The card of some items. */
interface Target {
	/** Its ID is empty in a dry run that would create it. */
	card: CardReference;
	/** The fields that it would have after a dry run. */
	predicted?: FieldIndex;
	/** Counts a created record. */
	count: () => void;
}

const REFUSED: ExistingCard = {
	advice: `Nothing was changed. To update its records, use Record > Sync. To add one more record for each item, select 'Reuse the Card' in '${ifExistsOption.displayName}'. Or enter another name.`,
};

const isEmptyRow = ({ columns }: Pick<Part, 'columns'>): boolean =>
	columns.entries.every(([, value]) => isBlank(value));

/** Checks the items before anything is sent. @throws InputError */
function requireItems(parts: readonly Part[], { hasRecords, types }: Part): void {
	const names = parts.flatMap(({ columns }) => columns.entries.map(([name]) => name));
	if (names.length === 0 || (hasRecords && parts.every(isEmptyRow))) {
		throw new InputError(
			'The items have no values',
			'Connect a node whose items have a key for each field.',
		);
	}
	requireColumns(types, new Set(names));
}

/** Adds hints about the items: empty ones, and keys that the nodes use themselves. */
function hintAtItems(parts: readonly Part[], { run, isDry, hasRecords }: Part): void {
	const empty = hasRecords ? parts.filter(isEmptyRow).length : 0;
	if (empty > 0) {
		run.messages.hint(
			`${count(empty, 'item')} without values ${empty === 1 ? 'is' : 'are'} left out`,
		);
	}
	const items = run.context.getInputData();
	const own = isDry
		? parts.flatMap(({ itemIndex }) => ownColumnsOf(items[itemIndex]?.json ?? {}))
		: [];
	if (own.length > 0) {
		run.messages.hint(
			`Dry run: ${listedInQuotes([...new Set(own)], Infinity)} of the items would become fields, too`,
		);
	}
}

/**
 * Plans the card, without changing anything.
 *
 * @throws InputError for values that its fields don't take, unless n8n continues on errors: then only their items fail
 */
async function planCard(part: Part, parts: readonly Part[]) {
	const { run, name, policy, request } = part;
	const found = existingCard(await run.cards.list(request).first(Infinity), name, policy);
	const card = found ?? { id: '', name };
	const known = found ? await run.fields.of(found, request) : new FieldIndex([], name);
	const plan = await planChanges({ ...part, card }, known, parts);
	if (part.hasRecords && !run.context.continueOnFail()) await requireFit(parts, plan.index);
	return { card, plan };
}

/** Returns what a dry run would do. Its output comes after the errors of single items. */
function previewCard(
	{ run, itemIndex, hasRecords }: Part,
	parts: readonly Part[],
	{ card, plan }: Awaited<ReturnType<typeof planCard>>,
): Target {
	const { planned, additions } = plan;
	const fields = count(planned.length, 'field');
	const filled = parts.filter((one) => !isEmptyRow(one)).length;
	const records = count(hasRecords ? filled : 0, 'record');
	const wayOut =
		planned.length > 0 ? `. For other types, use '${fieldTypesOption.displayName}'` : '';
	run.messages.hint(
		card.id === ''
			? `Dry run: card '${card.name}' would be created with ${fields} and ${records}${wayOut}`
			: `Dry run: ${fields} and ${records} would be added to card '${card.name}'${wayOut}`,
	);
	// The output has the fields.
	hintAtAdditions({ run, card }, { planned: [], additions });
	for (const { name: field, type, why } of planned) {
		const json = dryRunItem('create', { field, type, reason: why });
		run.appended.push({ itemIndex, json });
	}
	return { card, predicted: plan.index, count() {} };
}

/** Finds or creates the card, and adds the fields that the items need. */
async function prepareCard(parts: readonly Part[]): Promise<Target> {
	const first = parts[0] as Part;
	const { run, itemIndex, name, policy, request, types, isDry } = first;
	requireItems(parts, first);
	hintAtItems(parts, first);
	// The fields of a new card take the values that their types come from.
	if (isDry || types.size > 0 || 'reuse' in policy) {
		const planned = await planCard(first, parts);
		if (isDry) return previewCard(first, parts, planned);
	}
	const { card, isNew } = await cardOfName(run, name, policy, { name }, request);
	await changeCard({ ...first, card }, parts).catch(notingWhatExists(first, card));
	if (!first.hasRecords) {
		const { fields } = await run.fields.of(card, request);
		const json = { ...card.raw, fields: fields.map(({ raw }) => raw) };
		run.appended.push({ itemIndex, json });
	}
	return { card, count: isNew ? () => {} : countAdded(first, card) };
}

/** Counts the records that are added to a card that existed, and says so at the end. */
function countAdded({ run }: Part, card: CardReference): () => void {
	let added = 0;
	run.lastSteps.push(() => {
		if (added === 0) return;
		run.messages.hint(
			`Card '${card.name}' existed: ${count(added, 'record')} ${added === 1 ? 'was' : 'were'} added, and its fields keep their types. To update records, use Record > Sync`,
		);
	});
	return () => {
		added += 1;
	};
}

/** Returns a function that adds to an error's note what exists after a failed run, and throws the error. */
const notingWhatExists =
	({ run, policy }: Part, { name, id }: CardReference) =>
	(error: unknown): never => {
		const exists =
			'reuse' in policy
				? `Card '${name}' (${id}) keeps what was added.`
				: `Card '${name}' (${id}) exists now. To continue with it, select 'Reuse the Card' in '${ifExistsOption.displayName}'.`;
		run.messages.note(error, exists);
		throw error;
	};

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
			fieldTypesOption,
			...formatOptions,
			ifExistsOption,
			missingChoicesOption,
			...sendingOptions,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const name = requireText(get('name'), 'Name');
		const { ifExists, dryRun, createRecords, ...given } = get('options');
		const options = { ...given, unknownFields: 'create' };
		const policy: ExistingCard =
			readChoice(ifExistsOption, ifExists) === 'reuse' ? { reuse: true } : REFUSED;
		const isDry = readDryRun(dryRun);
		const hasRecords = readSwitch('Create Records', createRecords, true);
		const how = readHow(run, options);
		const { request, adds } = how;
		const key = JSON.stringify(['createFromItems', name, policy, isDry, hasRecords, adds]);
		const columns = itemColumns(run.context.getInputData()[itemIndex]?.json ?? {}, itemIndex);
		const entered = { ...how, run, itemIndex, columns };
		const part: Part = { ...entered, name, policy, isDry, hasRecords };
		const target = await run.items.gather(key, itemIndex, part, prepareCard);
		if (!hasRecords || isEmptyRow(part)) return [];
		const { card, predicted } = target;
		const writer = run.openWriter(card, request, isDry);
		const write: ItemWrite = { ...entered, card, writer };
		const listing = predicted ?? (await run.fields.of(card, request));
		const work = async (live: ConvertedValues) => {
			const results = resultsOf(run, writer.cardRun, live.index, {}, 'none');
			// A dry run refuses what the real run would.
			const item = results('created', await create(write, live));
			target.count();
			return isDry ? [] : [item];
		};
		const writing = convertValues(write, listing).then(async (live) => {
			const creating = async () => await withFreshFields(write, live, work);
			return await run.items.inItemOrder(itemIndex, creating);
		});
		return await (isDry ? writing : writing.catch(notingWhatExists(part, card)));
	},
});
