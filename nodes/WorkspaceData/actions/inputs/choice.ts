import { InputError } from '../../model/inputError';
import { plainText } from '../../model/text';

/** A parameter with a fixed list of values, as its definition says. */
interface ChoiceDefinition<Value extends string> {
	displayName: string;
	options: ReadonlyArray<{ name: string; value: Value }>;
}

/**
 * Checks a value against the list of its parameter: expressions and saved workflows may hold any.
 *
 * @param value undefined where the option was not added
 * @returns the value, undefined where there is none
 * @throws InputError for a value that is not in the list
 */
export function readChoice<Value extends string>(
	{ displayName, options }: ChoiceDefinition<Value>,
	value: unknown,
): Value | undefined {
	if (value === undefined || value === null) return undefined;
	const known = options.find((option) => option.value === value);
	if (known) return known.value;
	throw new InputError(
		`'${displayName}' cannot be '${plainText(value)}'`,
		`Choose one of: ${options.map(({ name }) => name).join(', ')}.`,
	);
}
