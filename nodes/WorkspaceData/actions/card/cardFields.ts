/** The fields of a new card, checked before anything is sent. */
import { isObject } from '../../model/response/jsonObject';
import { InputError } from '../../model/inputError';
import { quote } from '../../model/messageText';
import { cleanName } from '../../model/nameSpelling';
import { cardFieldsProperty } from '../../ui/fieldDefinition';
import { readFieldOptions } from '../field/create.operation';
import type { PlannedField } from '../growth/newFields';
import { requireText } from '../readParameters';

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
		const { options } = readFieldOptions({ choices });
		return {
			name: plain,
			type: requireText(type, part('Type')),
			...(Array.isArray(options) && { choices: options.map(String) }),
			why: 'chosen',
		};
	});
}
