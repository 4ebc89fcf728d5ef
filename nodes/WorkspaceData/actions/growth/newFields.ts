/** Plans the missing fields of a card from their values, then creates them once. */
import type { Field } from '../../model/response/field';
import type { FieldIndex } from '../../model/fieldIndex';
import { describedFieldTypes } from '../../transport/apiDescription';
import { inferType, offeredType, textType, USUAL_TYPES } from '../../model/value/inferType';
import type { Formats } from '../../model/value/formats';
import { ApiFailure } from '../../transport/failure/failureKinds';
import { listFields, type ReadOptions } from '../../transport/cardAndFieldListings';
import { foldCase } from '../../model/text';
import { addField } from '../field/create.operation';
import { storedNames, type Column } from './missingColumns';
import type { CardReference, Run } from '../run/run';
import { listed, listedInQuotes, quote } from '../../model/names';

export interface PlannedField {
	name: string;
	/** The service's name for the type. */
	type: string;
	choices?: string[];
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

/** Returns the types in the service's description, or else the types in use and the usual ones. */
async function offeredTypes(
	run: Run,
	seen: readonly Field[],
	request: ReadOptions,
): Promise<readonly string[]> {
	const timeoutMs = Math.min(request.timeoutMs ?? Infinity, DESCRIPTION_TIMEOUT_MS);
	const described = await run
		.description('json', { optional: true, timeoutMs })
		.then(describedFieldTypes)
		.catch(() => []);
	return described.length > 0 ? described : [...seen.map(({ type }) => type), ...USUAL_TYPES];
}

/**
 * Selects the types of new fields.
 *
 * @param seen the existing fields of the card
 * @param formats how text values of the items are read
 */
export async function planFields(
	run: Run,
	columns: readonly Column[],
	seen: readonly Field[],
	{ formats, ...request }: ReadOptions & { formats?: Formats },
): Promise<PlannedField[]> {
	const offered = columns.length > 0 ? await offeredTypes(run, seen, request) : [];
	const planned: PlannedField[] = [];
	for (const { name, values } of columns) {
		await run.yieldToLoop();
		const { type, why } = inferType(values, formats);
		const own = offeredType(type, offered);
		planned.push({
			name,
			type: own.name,
			why: own.type === type ? why : `${why}, and the service offers no ${type}`,
			textType: offeredType(textType(values), offered).name,
		});
	}
	return planned;
}

/** Lists fields in a message, with their types and the reasons for them. */
export const describePlan = (planned: readonly PlannedField[]): string =>
	listed(
		planned.map(({ name, type, why }) => `${quote(name)} (${type}: ${why})`),
		MAX_NAMED,
	);

/** Lists the names of fields in a message. */
const quoted = (fields: ReadonlyArray<{ name: string }>): string =>
	listedInQuotes(
		fields.map(({ name }) => name),
		MAX_NAMED,
	);

/**
 * Creates one field. If the response is lost, the request isn't repeated: the listing shows if the field was
 * created. A type that the service refuses becomes text, which holds any value.
 *
 * @returns the field as it was created
 */
async function createField(
	run: Run,
	card: CardReference,
	field: PlannedField,
	request: ReadOptions,
): Promise<PlannedField> {
	const { name, type, choices, textType: plain } = field;
	const body = { name, type, ...(choices && { options: choices }) };
	const creating = run.turns.creating(
		`field ${foldCase(name)} of ${card.id}`,
		`Field ${quote(name)}`,
		async () => await addField(run, card.id, body, request),
		async () => {
			const now = await listFields(run.session, card.id, request);
			return now.find((listed) => listed.name === name);
		},
	);
	return await creating.then(
		(made) => ({ ...field, ...(made && { id: made.id }) }),
		async (error: unknown) => {
			const isRefused = error instanceof ApiFailure && [400, 422].includes(error.problem.status);
			if (!isRefused || plain === undefined || type === plain) throw error;
			const why = `the service refused ${type}: ${error.message}`;
			return await createField(run, card, { name, type: plain, why }, request);
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
		if (left.length > 0) run.messages.note(error, `Not created: ${quoted(left)}.`);
		throw error;
	});
	return created;
}
