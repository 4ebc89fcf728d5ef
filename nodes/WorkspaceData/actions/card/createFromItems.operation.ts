import { cardNameProperty, ifCardExistsProperty } from '../../properties/fieldDefinition';
import { recordOptions, sendingOptions } from '../../properties/recordOptions';
import {
	dryRunProperty,
	fieldTypesOption,
	formatOptions,
	missingChoicesOption,
} from '../../properties/writeOptions';
import { hintAtGrowth } from '../../records/addGrowth';
import { ownColumnsOf, readColumns } from '../../records/columns';
import type { FieldTypes, ItemResult, LastResult } from '../../records/entry';
import { failureOf } from '../../records/refusals';
import { whileHeld } from '../../records/heldCards';
import { addNote, unclearCount } from '../../records/hints';
import { cardCalled } from '../../records/locator';
import type { CardReference, Run } from '../../records/run';
import { hasWork, type CardWork } from '../../records/cardWork';
import { refuseCard, writeCards } from '../../records/write';
import { writeRecords } from '../../records/writeRecords';
import { Cancelled } from '../../transport/errors';
import { cards, type Card } from '../../transport/api';
import { isBlank } from '../../values/emptyValue';
import { InputError } from '../../values/inputError';
import type { JsonObject } from '../../values/json';
import { count, quote, sentences } from '../../values/messageText';
import { foldCase } from '../../values/nameSpelling';
import { defineOperation } from '../operation/defineOperation';
import { readFieldList } from '../operation/readDefinition';
import { thingOutput } from '../operation/thingOutput';
import { requireText } from '../operation/readParameters';
import { itemOf, openSettings } from '../record/writeParameters';
import { requireShown } from './create.operation';

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

export const createCardFromItems = defineOperation({
	value: 'createFromItems',
	name: 'Create From Items',
	action: 'Create card from items',
	description: 'Create a card with fields that suit the input items, and a record for each item',
	writes: true,
	properties: [
		cardNameProperty,
		dryRunProperty,
		recordOptions([
			createRecordsOption,
			fieldTypesOption,
			...formatOptions,
			ifExistsOption,
			missingChoicesOption,
			...sendingOptions,
		]),
	],
	async execute(run, parametersOf) {
		requireNoRetry(run);
		const settingsOf = openSettings(run, 'Items', readFieldTypes);
		const empty: ItemResult[] = [];
		return await writeRecords(run, {
			async read(itemIndex, result) {
				const get = parametersOf(itemIndex);
				const name = requireText(get('name'), cardNameProperty.displayName).trim();
				const options = get('options');
				const isDry = get('dryRun');
				const columns = readColumns(AUTOMATIC, itemOf(run.context, itemIndex));
				const { createRecords = true } = options;
				const isEmpty = ([, value]: [string, unknown]) => createRecords && isBlank(value);
				if (columns.entries.every(isEmpty)) return void empty.push(result);
				return {
					...{ itemIndex, card: { id: '', name }, isDry, columns: () => columns },
					...{ find: { by: 'nothing' }, settings: settingsOf(options) },
					...{ common: { 'Dry Run': isDry, Options: options }, result },
				};
			},
			async write(_, works, items) {
				if (works.length === 0) {
					const error = noValues();
					for (const result of empty) result.error = error;
					return [];
				}
				if (empty.length > 0) run.hints.add(leftOut(empty.length));
				return await writeNamed(run, works, items, (work) =>
					parametersOf(work.entries[0]?.itemIndex ?? 0)('options'),
				);
			},
		});
	},
});

const AUTOMATIC = { mappingMode: 'autoMapInputData' };

const noValues = (): InputError =>
	new InputError('The items have no values', 'Connect a node whose items have fields with values.');

const leftOut = (number: number): string =>
	`${count(number, 'item')} without values ${number === 1 ? 'is' : 'are'} left out`;

/** A second try would add the records again. @throws InputError */
function requireNoRetry({ context }: Run): void {
	if (context.getNode().retryOnFail !== true) return;
	throw new InputError(
		"'Retry On Fail' is on, and a second try would add the records again",
		"Nothing was sent. Turn off 'Retry On Fail' in the node's settings.",
	);
}

/** Writes the cards, and holds their names: two executions don't create one twice. */
async function writeNamed(
	run: Run,
	works: readonly CardWork[],
	items: readonly ItemResult[],
	optionsOf: (work: CardWork) => { createRecords?: boolean; ifExists?: string },
): Promise<LastResult[]> {
	const real = works.filter(({ isDry }) => !isDry);
	const names = real.map(({ card }) => `card ${foldCase(card.name)}`);
	return await whileHeld(run.api, names, async () => {
		const listed = await run.api.list(cards, works[0]?.request);
		for (const work of works) {
			const { createRecords = true, ifExists } = optionsOf(work);
			work.growsOnly = !createRecords;
			work.isSilent = true;
			await findCard(run, work, ifExists === 'reuse', listed).catch((error: unknown) =>
				refuseCard(run, work, failureOf(error)),
			);
		}
		const found = works.filter(hasWork);
		const last = await writeCards(run, found, items);
		for (const work of found) last.push(...(await finish(run, work)));
		return last;
	});
}

/** Finds the card that exists, or sets how it is created. @throws InputError if it exists but must not */
async function findCard(
	run: Run,
	work: CardWork,
	isReused: boolean,
	listed: readonly Card[],
): Promise<void> {
	const { name } = work.card;
	const existing = cardCalled(listed, name);
	if (existing && !isReused) throw await alreadyExists(run, existing);
	if (existing) work.card = existing;
	else
		work.create = async () =>
			requireShown(await run.api.create(cards, { name }, work.request), name);
}

/** Records of a card that exists are counted up to this number. */
const MOST_COUNTED = 1_000;

/** The error says what exists, as an earlier run may have stopped halfway. */
async function alreadyExists({ api }: Run, { id, name }: Card): Promise<InputError> {
	let found = 0;
	for await (const records of api.pages(id, MOST_COUNTED)) found += records.length;
	const number = `${found < MOST_COUNTED ? '' : 'at least '}${count(found, 'record')}`;
	return new InputError(
		`A card called ${quote(name)} exists already`,
		sentences(
			`Card ${quote(name)} (${id}) has ${number}; nothing was added`,
			`To update its records and add those that are missing, ${BY_KEY}`,
			`To add one more record for each item, select ${REUSE}.`,
		),
	);
}

const BY_KEY = "use 'Sync' or 'Create or Update' with a field that identifies a record";
const REUSE = `'${reuse.name}' in '${ifExistsOption.displayName}'`;

/** What the output has besides records. Adds to the error what exists. */
async function finish(run: Run, work: CardWork): Promise<LastResult[]> {
	const { card, entries, isDry, growsOnly, create, request } = work;
	if (isDry) return hasWork(work) ? previewCard(run, work) : [];
	const written = entries.filter(({ result }) => result.json.length > 0).length;
	const errors = entries.flatMap(({ result }) => result.error ?? []);
	const error = errors.find((one) => !(one instanceof Cancelled)) ?? errors[0];
	if (error !== undefined && card.id !== '' && !run.continues)
		addNote(error, whatExists(card, create !== undefined, written, unclearCount(errors)));
	if (!growsOnly || card.id === '' || (error !== undefined && !run.continues)) return [];
	const { id, raw = {} } = card as CardReference & Partial<Card>;
	const { fields } = await run.fieldsOf(card, request);
	const json = { ...thingOutput({ id, raw }), fields: fields.map(thingOutput) };
	return [{ itemIndex: entries[0]?.itemIndex ?? 0, json }];
}

/** What a run left that ended early, and how to go on without doubles. */
function whatExists(
	{ name, id }: CardReference,
	isNew: boolean,
	written: number,
	unclear: number,
): string {
	const exists = `Card ${quote(name)} (${id}) ${isNew ? 'exists now' : 'keeps what was added'}`;
	if (written + unclear === 0)
		return `${exists}, without records of these items. To continue with it, select ${REUSE}.`;
	const maybe = unclear > 0 ? `, and perhaps ${unclear} more` : '';
	return sentences(
		`${exists}, with ${count(written, 'record')} of these items${maybe}`,
		`To add the others, ${BY_KEY}, or run only the remaining items`,
		`Running all of them again with ${REUSE} would add these records twice.`,
	);
}

/** The output of a dry run: the fields. */
function previewCard(run: Run, work: CardWork): LastResult[] {
	const { card, entries, plan, growth, growsOnly, create } = work;
	const { fields = [], choices = [] } = growth ?? {};
	const valid = plan.items.filter(({ entry }) => entry.result.error === undefined);
	const records = count(growsOnly ? 0 : valid.length, 'record');
	const added = `${count(fields.length, 'field')} and ${records}`;
	const what = create
		? `card '${card.name}' would be created with ${added}`
		: `${added} would be added to card '${card.name}'`;
	run.hints.add(`Dry run: ${what}. For other types, use '${fieldTypesOption.displayName}'`);
	hintAtGrowth(run, card, { fields: [], choices });
	const items = entries.map((entry) => itemOf(run.context, entry.itemIndex));
	const own = [...new Set(items.flatMap(ownColumnsOf))].map(quote).join(', ');
	if (own !== '') run.hints.add(`Dry run: ${own} of the items would become fields, too`);
	const itemIndex = entries[0]?.itemIndex ?? 0;
	return fields.map(({ name: field, type, why: reason }) => ({
		itemIndex,
		json: { dry_run: true, action: 'create', field, type, reason },
	}));
}

/** Reads the types that somebody has set for new fields. @throws InputError */
function readFieldTypes({ fieldTypes }: { fieldTypes?: { values: JsonObject[] } }): FieldTypes {
	const fields = readFieldList(fieldTypes?.values, fieldTypesOption.displayName, 'column');
	return new Map(fields.map((field) => [foldCase(field.name), field]));
}
