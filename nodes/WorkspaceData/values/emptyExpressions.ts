/** Refuses expressions that return nothing for a switch or a drop-down list. */
import { isObject } from './jsonObject';
import { InputError } from './inputError';

/** The part of n8n's parameter definition that says which decisions it holds. */
export interface ParameterDefinition {
	type: string;
	displayName: string;
	/** Choices; the parts of a collection; or the groups of a fixed collection, with the parts of their entries. */
	options?: ReadonlyArray<
		| { name: string; value: unknown }
		| (ParameterDefinition & { name: string })
		| { name: string; values: ReadonlyArray<ParameterDefinition & { name: string }> }
	>;
}

/** Returns true if n8n evaluates a part of this value: text that begins with `=`, at any depth. */
export function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}

/** The parts of a parameter, each with its definition, its value in the workflow and its evaluated value. */
function* partsOf(
	{ options = [] }: Pick<ParameterDefinition, 'options'>,
	raw: unknown,
	value: unknown,
): Generator<[ParameterDefinition, unknown, unknown]> {
	if (!isObject(raw) || !isObject(value)) return;
	for (const option of options) {
		if (!Object.hasOwn(raw, option.name)) continue;
		const [rawPart, part] = [raw[option.name], value[option.name]];
		if ('type' in option) yield [option, rawPart, part];
		if (!('values' in option)) continue;
		const entries = [part].flat();
		for (const [place, rawEntry] of [rawPart].flat().entries()) {
			yield* partsOf({ options: option.values }, rawEntry, entries[place]);
		}
	}
}

/**
 * Checks the switches and choices that expressions set, at any depth.
 *
 * @param raw the parameter in the workflow
 * @throws InputError if an expression returns no value: the default may do what the expression was to
 * prevent, such as a real run instead of a dry run
 */
export function refuseEmptyExpressions(
	definition: ParameterDefinition,
	raw: unknown,
	value: unknown,
): void {
	for (const part of partsOf(definition, raw, value)) refuseEmptyExpressions(...part);
	const { type, displayName } = definition;
	const isSwitch = type === 'boolean' || type === 'options';
	if (!isSwitch || !hasExpression(raw) || (value !== undefined && value !== null)) return;
	throw new InputError(
		`'${displayName}' has no value`,
		`The expression of '${displayName}' returns no value. Correct it, or select a fixed value.`,
	);
}
