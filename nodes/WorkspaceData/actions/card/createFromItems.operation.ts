import { cardNameProperty, ifCardExistsProperty } from '../../properties/fieldDefinition';
import { recordOptions, sendingOptions } from '../../properties/recordOptions';
import {
	dryRunProperty,
	fieldTypesOption,
	formatOptions,
	missingChoicesOption,
} from '../../properties/writeOptions';
import { hintAtGrowth } from '../../records/addGrowth';
import { itemColumns, ownColumnsOf } from '../../records/columns';
import type { Entry, FieldTypes, ItemResult } from '../../records/entry';
import { failureOf } from '../../records/refusals';
import { hold } from '../../records/heldCards';
import { addNote } from '../../records/hints';
import { cardCalled } from '../../records/locator';
import type { CardReference, Run } from '../../records/run';
import { conclude } from '../../records/results';
import { newWork, type CardWork, type LastResult } from '../../records/cardWork';
import { refuseCard, writeCards } from '../../records/write';
import { newResults } from '../../records/writeRecords';
import { Cancelled } from '../../transport/errors';
import { cards, type Card } from '../../transport/api';
import { isBlank } from '../../values/emptyValue';
import { InputError } from '../../values/inputError';
import { kindOfType } from '../../values/kinds/allKinds';
import { count, listedInQuotes, quote, sentences } from '../../values/messageText';
import { foldCase } from '../../values/nameSpelling';
import { readFieldList, type ListedField } from '../field/definition';
import { defineOperation } from '../operation/defineOperation';
import { thingOutput } from '../operation/thingOutput';
import { requireText } from '../operation/readParameters';
import { itemOf, openSettings } from '../record/writeParameters';
import { withoutId } from './create.operation';

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
	async execute(run, { get }) {
		requireNoRetry(run);
		const settingsOf = openSettings(run, 'Items', readFieldTypes);
		const items = newResults(run);
		const targets = new Map<string, Target>();
		for (const [itemIndex, result] of items.entries()) {
			await run.breathe();
			try {
				const name = requireText(get('name', itemIndex), cardNameProperty.displayName).trim();
				const options = get('options', itemIndex);
				const policy = options.ifExists ?? 'error';
				const hasRecords = options.createRecords ?? true;
				const isDry = get('dryRun', itemIndex);
				const columns = () => itemColumns(itemOf(run.context, itemIndex), itemIndex);
				const entry: Entry = {
					...{ itemIndex, card: { id: '', name }, isDry, columns, find: { by: 'nothing' } },
					settings: settingsOf(options),
					...{ common: { 'Dry Run': isDry, Options: options }, result },
				};
				const known = targets.get(foldCase(name)) ?? {
					name,
					policy,
					hasRecords,
					entries: [],
					empty: [],
				};
				targets.set(foldCase(name), known);
				const { entries } = columns();
				const isEmpty = entries.length === 0 || (hasRecords && entries.every(hasNoValue));
				known[isEmpty ? 'empty' : 'entries'].push(entry);
			} catch (error) {
				result.error = failureOf(error);
				if (!run.continues) break;
			}
		}
		const isStopped = !run.continues && items.some(({ error }) => error !== undefined);
		const last = isStopped ? [] : await writeTargets(run, [...targets.values()], items);
		conclude(run, items);
		return { items, last };
	},
});

/** The card of some items. */
interface Target {
	name: string;
	policy: 'reuse' | 'error';
	hasRecords: boolean;
	entries: Entry[];
	/** Items without values. */
	empty: Entry[];
}

const hasNoValue = ([, value]: [string, unknown]): boolean => isBlank(value);

/** A second try would add the records again. @throws InputError */
function requireNoRetry({ context }: Run): void {
	if (context.getNode().retryOnFail !== true) return;
	throw new InputError(
		"'Retry On Fail' is on, and a second try would add the records again",
		"Nothing was sent. Turn off 'Retry On Fail' in the node's settings.",
	);
}

/** Writes the cards, and holds their names: two executions don't create one twice. */
async function writeTargets(
	run: Run,
	targets: readonly Target[],
	items: readonly ItemResult[],
): Promise<LastResult[]> {
	const isReal = targets.some(({ entries }) => entries.some(({ isDry }) => !isDry));
	const names = isReal ? targets.map(({ name }) => `card ${foldCase(name)}`) : [];
	const letGo = await hold(run.api, names);
	try {
		const works: CardWork[] = [];
		let listed: Card[] | undefined;
		for (const target of targets) {
			try {
				requireItems(target);
				listed ??= await run.api.list(cards, target.entries[0]?.settings.request);
				works.push(await workOf(run, target, listed));
			} catch (error) {
				const entries = [...target.entries, ...target.empty];
				refuseCard(run, { entries }, failureOf(error));
			}
		}
		const last = await writeCards(run, works, items);
		for (const work of works) last.push(...(await finish(run, work)));
		return last;
	} finally {
		letGo();
	}
}

function requireItems({ entries }: Target): void {
	if (entries.length > 0) return;
	throw new InputError(
		'The items have no values',
		'Connect a node whose items have fields with values.',
	);
}

/** What is written to a card. @throws InputError if it exists but must not */
async function workOf(run: Run, target: Target, listed: readonly Card[]): Promise<CardWork> {
	const { name, policy, hasRecords, entries, empty } = target;
	const [first] = entries as [Entry];
	const existing = cardCalled(listed, name);
	if (existing && policy === 'error') throw await alreadyExists(run, existing);
	if (empty.length > 0 && hasRecords) {
		const were = empty.length === 1 ? 'is' : 'are';
		run.hints.add(`${count(empty.length, 'item')} without values ${were} left out`);
	}
	return {
		...newWork(run, existing ?? { id: '', name }, first),
		...{ entries, growsOnly: !hasRecords, isSilent: first.isDry || !hasRecords },
		...(!existing && { create: async () => await createCard(run, name, first) }),
	};
}

async function createCard(run: Run, name: string, { settings }: Entry): Promise<CardReference> {
	const card = await run.api.create(cards, { name }, settings.request);
	if (card) return card;
	throw withoutId(name, `run again with ${REUSE}`);
}

/** The error says what exists, as an earlier run may have stopped halfway. */
async function alreadyExists({ api }: Run, { id, name }: Card): Promise<InputError> {
	const { records, nextCursor } = await api.page(id, { limit: 1_000 });
	const number = `${nextCursor === null ? '' : 'more than '}${count(records.length, 'record')}`;
	return new InputError(
		`A card called ${quote(name)} exists already`,
		sentences(
			`Card ${quote(name)} (${id}) has ${number}; nothing was added`,
			`To update its records and add those that are missing, ${BY_KEY}`,
			`To add one more record for each item, select ${REUSE}`,
			'Or enter another name.',
		),
	);
}

const BY_KEY = "use 'Sync' or 'Create or Update' with a field that identifies a record";
const REUSE = `'${reuse.name}' in '${ifExistsOption.displayName}'`;

/** Adds what the output has besides records, and to the error what exists. */
async function finish(run: Run, work: CardWork): Promise<LastResult[]> {
	const { card, entries, isDry, growsOnly, create } = work;
	const itemIndex = entries[0]?.itemIndex ?? 0;
	const written = entries.filter(({ result }) => result.json.length > 0).length;
	const errors = entries.flatMap(({ result }) => result.error ?? []);
	const error = errors.find((one) => !(one instanceof Cancelled)) ?? errors[0];
	if (isDry) return previewCard(run, work);
	if (error !== undefined && card.id !== '' && !run.continues)
		addNote(error, whatExists(card, create !== undefined, written));
	if (!growsOnly || error !== undefined) return [];
	const fields = await run.fieldsOf(card, entries[0]?.settings.request);
	const { id, raw = {} } = card as CardReference & Partial<Card>;
	const shown = { ...thingOutput({ id, raw }), fields: fields.fields.map(thingOutput) };
	return [{ itemIndex, json: shown }];
}

/** What a run left that ended early, and how to go on without doubles. */
function whatExists({ name, id }: CardReference, isNew: boolean, written: number): string {
	const exists = `Card ${quote(name)} (${id}) ${isNew ? 'exists now' : 'keeps what was added'}`;
	if (written === 0)
		return `${exists}, without records of these items. To continue with it, select ${REUSE}.`;
	return sentences(
		`${exists}, with ${count(written, 'record')} of these items`,
		`To add the others, ${BY_KEY}, or run only the remaining items`,
		`Running all of them again with ${REUSE} would add these records twice.`,
	);
}

/** The output of a dry run: the fields. */
function previewCard(run: Run, work: CardWork): LastResult[] {
	const { card, entries, plan, growth, growsOnly, create } = work;
	const { fields = [], choices = [] } = growth ?? {};
	const records = count(growsOnly ? 0 : plan.items.length, 'record');
	const added = `${count(fields.length, 'field')} and ${records}`;
	const wayOut =
		fields.length > 0 ? `. For other types, use '${fieldTypesOption.displayName}'` : '';
	run.hints.add(
		create
			? `Dry run: card '${card.name}' would be created with ${added}${wayOut}`
			: `Dry run: ${added} would be added to card '${card.name}'${wayOut}`,
	);
	if (growth) hintAtGrowth(run, card, { ...growth, fields: [], choices });
	const items = entries.map((entry) => itemOf(run.context, entry.itemIndex));
	const own = [...new Set(items.flatMap(ownColumnsOf))];
	if (own.length > 0)
		run.hints.add(
			`Dry run: ${listedInQuotes(own, Infinity)} of the items would become fields, too`,
		);
	return fields.map(({ name: field, type, why: reason }) => ({
		itemIndex: entries[0]?.itemIndex ?? 0,
		json: { dry_run: true, action: 'create', field, type, reason },
	}));
}

/** Reads the types that somebody has set for new fields. @throws InputError */
function readFieldTypes({ fieldTypes }: { fieldTypes?: { values: ListedField[] } }): FieldTypes {
	const label = fieldTypesOption.displayName;
	const fields = readFieldList(fieldTypes?.values ?? [], label, { word: 'entry', key: 'column' });
	for (const { name, type, choices } of fields) {
		if (choices.length === 0 || mayHaveChoices(type)) continue;
		throw new InputError(
			`'${label}' has choices for column ${quote(name)}, but a field of type ${quote(type)} has none`,
			'Nothing was sent. Remove the choices, or select a type with choices.',
		);
	}
	return new Map(fields.map((field) => [foldCase(field.name), field]));
}

/** Returns false for a known type without choices. */
function mayHaveChoices(type: string): boolean {
	const kind = kindOfType(type);
	return kind.choicesIn !== undefined || kind === kindOfType('');
}
