/** The choices of a field, found by any of their spellings. */
import type { FieldOption } from '../answer/field';

interface Lookup {
	exact: Map<string, FieldOption>;
	/** Choices by folded spelling; null where several choices share it. */
	folded: Map<string, FieldOption | null>;
	positions: Map<FieldOption, number>;
}

/** A listing is read once and asked for thousands of values. */
const lookups = new WeakMap<readonly FieldOption[], Lookup>();

const fold = (text: string): string => text.trim().toLowerCase();

function buildLookup(options: readonly FieldOption[]): Lookup {
	const exact = new Map<string, FieldOption>();
	const folded = new Map<string, FieldOption | null>();
	// Labels first: one may be the identifier of another choice.
	for (const option of options) if (!exact.has(option.label)) exact.set(option.label, option);
	for (const option of options) {
		for (const spelling of option.values) {
			if (!exact.has(spelling)) exact.set(spelling, option);
			const key = fold(spelling);
			const other = folded.get(key);
			folded.set(key, other === undefined || other === option ? option : null);
		}
	}
	return { exact, folded, positions: new Map(options.map((option, place) => [option, place])) };
}

function lookupOf(options: readonly FieldOption[]): Lookup {
	const lookup = lookups.get(options) ?? buildLookup(options);
	lookups.set(options, lookup);
	return lookup;
}

/**
 * The choice that a text means: by a spelling of it, else by one that differs only in case or outer
 * spaces and is unique.
 */
export function findChoice(options: readonly FieldOption[], text: string): FieldOption | undefined {
	const { exact, folded } = lookupOf(options);
	return exact.get(text) ?? folded.get(fold(text)) ?? undefined;
}

/** The position of the choice that a value means, in the field's order; undefined where it means none. */
export function choicePosition(
	options: readonly FieldOption[],
	value: unknown,
): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const option = findChoice(options, String(value));
	return option && lookupOf(options).positions.get(option);
}
