/** The names that a service has for the types that values need. */
import { plainTypeName } from './fieldKind';
import type { InferredType } from './infer';

/** Names of each type without blanks, hyphens and underscores, the best first, and what else can hold its values. */
const TYPES: Record<InferredType, { names: readonly string[]; else: readonly InferredType[] }> = {
	boolean: { names: ['boolean', 'bool', 'checkbox', 'yesno'], else: ['text'] },
	number: { names: ['number', 'decimal', 'numeric', 'double', 'float'], else: ['text'] },
	date: { names: ['date', 'dateonly'], else: ['text'] },
	datetime: { names: ['datetime', 'dateandtime'], else: ['text'] },
	email: { names: ['email'], else: ['text'] },
	url: { names: ['url'], else: ['text', 'long_text'] },
	single_select: {
		names: ['singleselect', 'select', 'singlechoice', 'dropdown', 'enum', 'choice'],
		else: ['text'],
	},
	multi_select: {
		names: ['multiselect', 'multipleselect', 'multichoice', 'multiplechoice', 'choices'],
		else: ['json', 'long_text', 'text'],
	},
	json: { names: ['json', 'object'], else: ['long_text', 'text'] },
	long_text: { names: ['longtext', 'textarea'], else: ['text'] },
	text: { names: ['text', 'string', 'shorttext'], else: ['long_text'] },
};

/** The types of a service that does not name its own. */
export const USUAL_TYPES = Object.keys(TYPES) as InferredType[];

/**
 * The service's name for a type, or for the nearest type that loses nothing.
 *
 * @param offered as the service spells them
 * @returns the usual name of a text where none is known
 */
export function offeredType(
	type: InferredType,
	offered: readonly string[],
): { type: InferredType; name: string } {
	for (const candidate of [type, ...TYPES[type].else]) {
		for (const known of TYPES[candidate].names) {
			const name = offered.find((own) => plainTypeName(own) === known);
			if (name !== undefined) return { type: candidate, name };
		}
	}
	return { type: 'text', name: 'text' };
}
