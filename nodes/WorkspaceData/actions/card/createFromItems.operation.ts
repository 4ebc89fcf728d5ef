import { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import { count } from '../../model/names';
import { cardNameProperty, ifCardExistsProperty } from '../../ui/fieldDefinition';
import { recordOptions, sendingOptions } from '../../ui/recordOptions';
import { readSwitch } from '../../model/decisions';
import { readChoice, requireText } from '../readParameters';
import { defineOperation } from '../operation';
import { allowedChanges, changeCard, hintAtAdditions, planChanges } from '../growth/cardChanges';
import { dryRunItem, readDryRun } from '../writing/dryRun';
import { liveFields, withFreshFields, type LiveFields } from '../writing/liveFields';
import { readFormats, type Write } from '../writing/valueConversion';
import { recordOutput } from '../outputItems';
import { requestOptions } from '../requestOptions';
import { create } from '../writing/write';
import type { CardReference } from '../run/run';
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

/** What an item contributes to its card. All of a card's items have the same name and settings. */
interface Part extends Pick<Write, 'run' | 'itemIndex' | 'columns' | 'options' | 'request'> {
	name: string;
	policy: 'reuse' | 'error';
	isDry: boolean;
	hasRecords: boolean;
}

/** The card of some items. */
interface Target {
	/** Its ID is empty in a dry run that would create it. */
	card: CardReference;
	/** The fields that it would have after a dry run. */
	predicted?: FieldIndex;
}

/** Plans the card in a dry run, without changing anything. Its output comes after the errors of single items. */
async function previewCard(part: Part, parts: readonly Part[]): Promise<Target> {
	const { run, itemIndex, name, policy, request } = part;
	const found = existingCard(await run.cards.list(request).first(Infinity), name, policy);
	const card = found ?? { id: '', name };
	const known = found ? await run.fields.of(found, request) : new FieldIndex([], name);
	const plan = await planChanges({ ...part, card }, known, parts);
	const fields = count(plan.planned.length, 'field');
	const records = count(part.hasRecords ? parts.length : 0, 'record');
	run.messages.hint(
		found
			? `Dry run: ${fields} and ${records} would be added to card '${card.name}'`
			: `Dry run: card '${card.name}' would be created with ${fields} and ${records}`,
	);
	hintAtAdditions({ run, card }, plan);
	const added = plan.planned.map(({ name: field, type, why }) =>
		dryRunItem('create', { field, type, reason: why }),
	);
	run.appended.push(...added.map((json) => ({ itemIndex, json })));
	return { card, predicted: plan.index };
}

/** Finds or creates the card, and adds the fields that the items need. */
async function prepareCard(parts: readonly Part[]): Promise<Target> {
	if (parts.every(({ columns }) => columns.entries.length === 0)) {
		throw new InputError(
			'The items have no values',
			'Connect a node whose items have a key for each field.',
		);
	}
	const first = parts[0] as Part;
	const { run, itemIndex, name, policy, request } = first;
	if (first.isDry) return await previewCard(first, parts);
	const { card } = await cardOfName(run, name, policy, { name }, request);
	await changeCard({ ...first, card }, parts).catch(notingWhatExists(first, card));
	if (!first.hasRecords) {
		const { fields } = await run.fields.of(card, request);
		const json = { ...card.raw, fields: fields.map(({ raw }) => raw) };
		run.appended.push({ itemIndex, json });
	}
	return { card };
}

/** Returns a function that adds to an error's note what exists after a failed run, and throws the error. */
const notingWhatExists =
	({ run, policy }: Part, { name, id }: CardReference) =>
	(error: unknown): never => {
		const exists =
			policy === 'reuse'
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
			...formatOptions,
			ifExistsOption,
			missingChoicesOption,
			...sendingOptions,
		]),
	],
	async execute({ run, itemIndex, get }) {
		const name = requireText(get('name'), 'Name');
		const { ifExists, dryRun, createRecords, ...given } = get('options');
		const options = { ...given, unknownFields: 'create', whole: true };
		const policy = readChoice(ifExistsOption, ifExists) ?? 'error';
		const isDry = readDryRun(dryRun);
		const hasRecords = readSwitch('Create Records', createRecords, true);
		const { choices } = allowedChanges(options);
		const key = JSON.stringify(['createFromItems', name, policy, isDry, hasRecords, choices]);
		const request = requestOptions(options);
		readFormats(options);
		const columns = itemColumns(run.context.getInputData()[itemIndex]?.json ?? {});
		const entered = { run, itemIndex, columns, options, request };
		const part: Part = { ...entered, name, policy, isDry, hasRecords };
		const { card, predicted } = await run.items.gather(key, itemIndex, part, prepareCard);
		if (!hasRecords) return [];
		const writer = run.openWriter(card, request, isDry);
		const write: Write = { ...entered, card, writer, skipsUnchanged: false };
		const listing = predicted ?? (await run.fields.of(card, request));
		const work = async (live: LiveFields) => {
			// A dry run refuses what the real run would.
			const created = await create(write, live);
			if (isDry) return [];
			const item = recordOutput(live.index, true, {})(created);
			run.done.add('created', created.id, item);
			return [item];
		};
		const writing = liveFields(write, listing).then(async (live) => {
			const creating = async () => await withFreshFields(write, live, work);
			return await run.items.inItemOrder(itemIndex, creating);
		});
		return await (isDry ? writing : writing.catch(notingWhatExists(part, card)));
	},
});
