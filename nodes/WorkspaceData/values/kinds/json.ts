/** Lists, objects and other JSON, compared by their content. */
import { canonicalJson, isExactJson, looksLikeJson, parseJsonText } from '../json';
import { EQUALITY, PARTS, unusable, type Kind } from '../kind';

export const json: Kind = {
	types: ['json', 'object'],
	/** JSON may be any text: what was read goes back. */
	isText: true,
	read(stored) {
		const parsed =
			typeof stored === 'string' && isExactJson(stored) ? parseJsonText(stored) : undefined;
		return canonicalJson(parsed ?? stored);
	},
	/** Parses text if it is a JSON object or list, because the editor returns such values as text. */
	enter(entered, field) {
		if (typeof entered !== 'string') return entered;
		const parsed = parseJsonText(entered);
		if (!parsed && looksLikeJson(entered)) {
			throw unusable(field, entered, "It isn't valid JSON. Check quotes, commas and brackets.");
		}
		if (!parsed || isExactJson(entered)) return parsed ?? entered;
		throw unusable(
			field,
			entered,
			'It has a number with more digits than JSON numbers keep. Put quotes around the number.',
		);
	},
	accepts: () => 'Enter JSON.',
	conditions: [...EQUALITY, ...PARTS],
	// Text, because n8n's input for objects is red until something is entered.
	input: { type: 'string', canMatch: false, hint: () => ' (JSON)' },
};
