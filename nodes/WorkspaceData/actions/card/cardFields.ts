/** The fields of a new card: checked before anything is sent, and created in their order after the card. */
import { isObject } from '../../model/response/shapes';
import { InputError } from '../../model/inputError';
import { quote } from '../../model/names';
import { cleanName } from '../../model/text';
import { cardFieldsProperty } from '../../ui/fieldDefinition';
import { readFieldOptions } from '../field/create.operation';
import { createFields, type PlannedField } from '../growth/newFields';
import { requireText } from '../readParameters';
import type { CardReference, Run } from '../run/run';

const LABEL = cardFieldsProperty.displayName;

/**
 * Reads the fields of a new card.
 *
 * @param value the parameter 'fields'
 * @throws InputError for an empty name or type, and for a repeated name
 */
export function readCardFields(value: unknown): PlannedField[] {
	const entries = [(isObject(value) && value.values) || []].flat();
	const names = new Set<string>();
	return entries.map((entry: unknown, place) => {
		const { name, type, choices } = isObject(entry) ? entry : {};
		const part = (label: string) => `${label} of field ${place + 1} in ${LABEL}`;
		const plain = cleanName(requireText(name, part('Name')));
		if (names.has(plain)) {
			throw new InputError(
				`'${LABEL}' has two fields called ${quote(plain)}`,
				'Nothing was sent. Give each field another name.',
			);
		}
		names.add(plain);
		const ownType = requireText(type, part('Type'));
		const { options } = readFieldOptions({ choices });
		return {
			name: plain,
			type: ownType,
			...(Array.isArray(options) && { choices: options.map(String) }),
			why: 'chosen',
			// A type that the user selected isn't replaced.
			textType: ownType,
		};
	});
}

/** Creates the fields one after the other. @throws what stopped it; its message says what exists */
export async function addCardFields(
	run: Run,
	card: CardReference,
	fields: readonly PlannedField[],
): Promise<void> {
	await createFields(run, card, fields, {}).catch((error: unknown) => {
		const exists = `Card ${quote(card.name)} (${card.id}) exists now.`;
		run.messages.note(error, exists);
		throw error;
	});
}
