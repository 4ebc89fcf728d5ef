/** The parameter Search: a text that is looked for in all fields. */
import { containsText } from '../../model/value/condition';
import type { FieldIndex } from '../../model/fieldIndex';
import { InputError } from '../../model/inputError';
import type { DataRecord } from '../../model/answer/record';
import { ownValue } from '../../model/answer/shapes';
import { plainText } from '../../model/text';

/**
 * Whether a record has a text in one of its fields, as the condition Contains says.
 *
 * @param value the parameter `search`
 * @returns undefined when there is nothing to look for
 * @throws InputError if it is not a text
 */
export function readSearch(
	value: unknown,
	{ fields }: FieldIndex,
): ((record: DataRecord) => boolean) | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
		throw new InputError(
			`'Search' cannot be '${plainText(value)}'`,
			'Enter the text to look for; leave it empty to return all records.',
		);
	}
	const text = String(value).trim();
	if (text === '') return undefined;
	const tests = fields.map((field) => {
		const has = containsText(field, text);
		return ({ data }: DataRecord) => has(ownValue(data, field.id));
	});
	return (record) => tests.some((test) => test(record));
}
