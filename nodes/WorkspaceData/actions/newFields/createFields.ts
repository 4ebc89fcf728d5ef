/** Plans the missing fields of a card from their values, and creates them once. */
import { readField, type Field } from '../../model/response/field';
import type { FieldIndex } from '../../records/fieldIndex';
import { describedFieldTypes } from '../../transport/apiDescription';
import { InputError } from '../../values/inputError';
import { inferType, offeredName, offeredType, textType, USUAL_TYPES } from '../../values/inferType';
import { newChoices } from '../../values/newChoices';
import { ApiFailure, mayHaveHappened } from '../../transport/failure/failureKinds';
import type { ReadOptions } from '../../transport/cardAndFieldListings';
import { foldCase } from '../../values/nameSpelling';
import { addNewField } from '../field/create.operation';
import type { DefinedField } from '../field/definition';
import { fieldTypesOption } from '../../properties/writeOptions';
import { storedNames, type Column } from './missingColumns';
import type { CardReference, Run } from '../run/run';
import type { HowToWrite } from '../writing/itemValues';
import { listed, listedInQuotes, quote } from '../../values/messageText';

export interface PlannedField {
	name: string;
	/** The service's name for the type. */
	type: string;
	/** Empty if the field has none. */
	choices: readonly string[];
	/** The reason for the type. */
	why: string;
	/** The type for text, which is used if the service refuses the other one; none if the user selected the type. */
	textType?: string;
	/** The ID of a field that was created, if the response has it. */
	id?: string;
}

/** The timeout for the service's description, in ms. Without it, the usual types are used. */
const DESCRIPTION_TIMEOUT_MS = 10_000;
/** The maximum number of fields in a message. */
const MAX_NAMED = 50;

const LABEL = fieldTypesOption.displayName;

/**
 * Selects the types of new fields.
 *
 * @param seen the existing fields of the card
 */
export async function planFields(
	run: Run,
	columns: readonly Column[],
	seen: readonly Field[],
	{ types, rules, request }: Pick<HowToWrite, 'types' | 'rules' | 'request'>,
): Promise<PlannedField[]> {
	if (columns.length === 0) return [];
	const timeoutMs = Math.min(request.timeoutMs ?? Infinity, DESCRIPTION_TIMEOUT_MS);
	const described = await run
		.description('json', { optional: true, timeoutMs })
		.then(describedFieldTypes)
		.catch(() => []);
	const offered =
		described.length > 0 ? described : [...seen.map(({ type }) => type), ...USUAL_TYPES];
	const planned: PlannedField[] = [];
	for (const { name, values } of columns) {
		await run.yieldToLoop();
		const chosen = types.get(foldCase(name));
		if (chosen) {
			planned.push(plannedAs({ ...chosen, name }, values, offered));
			continue;
		}
		const { type, why } = inferType(values, rules.formats);
		const own = offeredType(type, offered);
		planned.push({
			name,
			type: own.name,
			choices: [],
			why: own.type === type ? why : `${why}, and the service offers no ${type}`,
			textType: offeredType(textType(values), offered).name,
		});
	}
	return planned;
}

/**
 * Plans a field with the type that the user has set.
 *
 * @throws InputError for a type that the service doesn't offer
 */
function plannedAs(
	{ name, type, choices }: DefinedField,
	values: readonly unknown[],
	offered: readonly string[],
): PlannedField {
	const own = offeredName(type, offered);
	if (own === undefined) {
		throw new InputError(
			`'${LABEL}' has type ${quote(type)} for column ${quote(name)}, which the service doesn't offer`,
			`Nothing was sent. The types are ${listedInQuotes(offered, MAX_NAMED)}.`,
		);
	}
	const field = readField({ id: name, name, type: own });
	const all = choices.length > 0 || !field ? choices : newChoices(field, values);
	return { name, type: own, why: `set in '${LABEL}'`, choices: all };
}

/** Lists fields in a message, with their types and the reasons for them. */
export const describePlan = (planned: readonly PlannedField[]): string =>
	listed(
		planned.map(
			({ name, type, why }) => `${quote(name)} (${why === type ? type : `${type}: ${why}`})`,
		),
		MAX_NAMED,
	);

/** Lists the names of fields in a message. */
const quoted = (fields: ReadonlyArray<{ name: string }>): string =>
	listedInQuotes(
		fields.map(({ name }) => name),
		MAX_NAMED,
	);

/** The body of the request that creates a field. */
export const bodyOf = ({ name, type, choices }: Omit<PlannedField, 'why'>) => ({
	name,
	type,
	...(choices.length > 0 && { options: [...choices] }),
});

/**
 * Creates one field. A type that the service refuses becomes text, which holds any value.
 *
 * @returns the field as it was created
 */
async function createField(
	run: Run,
	card: CardReference,
	field: PlannedField,
	request: ReadOptions,
): Promise<PlannedField> {
	const { name, type, textType: plain } = field;
	return await addNewField(run, card, bodyOf(field), request).then(
		(made) => ({ ...field, ...(made && { id: made.id }) }),
		async (error: unknown) => {
			const isRefused = error instanceof ApiFailure && [400, 422].includes(error.problem.status);
			if (!isRefused || plain === undefined || type === plain) throw error;
			const why = `the service refused ${type}: ${error.message}`;
			return await createField(run, card, { name, type: plain, why, choices: [] }, request);
		},
	);
}

/** Uses the fields that the service stores under other names, and adds hints. @param names each with its field */
export function useNames(
	{ messages, fields }: Run,
	card: CardReference,
	index: FieldIndex,
	names: ReadonlyMap<string, Field>,
): FieldIndex {
	for (const [name, field] of names) {
		messages.hint(
			`The service calls field ${quote(name)} of card '${card.name}' ${quote(field.name)}. The values go into that field`,
		);
	}
	return names.size > 0 ? fields.called(card, index, names) : index;
}

/** Says which fields a card has now, for the note on an error. */
export const newFieldsNote = ({ name }: CardReference, created: readonly PlannedField[]): string =>
	`Card '${name}' has the new fields ${quoted(created)}.`;

/**
 * Creates fields one after the other, to keep their order. The caller makes sure that no other execution in
 * this process does so at the same time.
 *
 * @returns the created fields
 * @throws what stopped it; its message says which fields exist now
 */
export async function createFields(
	run: Run,
	card: CardReference,
	planned: readonly PlannedField[],
	request: ReadOptions,
): Promise<readonly PlannedField[]> {
	if (planned.length === 0) return planned;
	const created: PlannedField[] = [];
	const work = async () => {
		for (const field of planned) created.push(await createField(run, card, field, request));
		const listing = await run.fields.changed(card, request);
		useNames(run, card, listing, storedNames(listing, created));
	};
	await work().catch((error: unknown) => {
		if (created.length > 0) run.messages.note(error, newFieldsNote(card, created));
		const left = planned.slice(created.length);
		const unclear = mayHaveHappened(error) ? left.splice(0, 1) : [];
		if (unclear.length > 0) run.messages.note(error, `Maybe created: ${quoted(unclear)}.`);
		if (left.length > 0) run.messages.note(error, `Not created: ${quoted(left)}.`);
		throw error;
	});
	return created;
}
