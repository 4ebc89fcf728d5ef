/** Checks switches and choices whose values come from expressions. */
import { isObject } from './answer/shapes';
import { InputError } from './inputError';

/** The part of a parameter's definition that says which decisions it holds, as n8n knows it. */
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

/** Whether n8n computes a part of this value: a text that begins with `=`, at any depth. */
export function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}

/** The parts of a parameter, each with its definition, as the workflow has it and as n8n computed it. */
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
 * Checks the switches and choices that expressions decide, at any depth.
 *
 * @param raw the parameter as the workflow has it
 * @throws InputError if an expression returns none: the default may be what it was to prevent, such as a real run in place
 * of a dry one
 */
export function requireDecisions(
	definition: ParameterDefinition,
	raw: unknown,
	value: unknown,
): void {
	for (const part of partsOf(definition, raw, value)) requireDecisions(...part);
	const { type, displayName } = definition;
	const isDecision = type === 'boolean' || type === 'options';
	if (!isDecision || !hasExpression(raw) || (value !== undefined && value !== null)) return;
	throw new InputError(
		`'${displayName}' has no value`,
		`The expression of '${displayName}' returns no value. Correct it, or select a fixed value.`,
	);
}
