/** Numbers: JSON numbers and decimal text. */
import { isDecimal, isLongWhole, readNumber } from '../decimal';
import { NUMBER_EXAMPLES, numberHint, toNumberText } from '../formats';
import { ANY_OF, EQUALITY, ORDER, unusable, type Kind } from '../kind';

const ACCEPTED =
	'Enter a number such as 12 or 12.5, with a decimal point and without thousands separators.';

/** Text with leading zeros or a plus sign, which a postal code or a phone number may have. */
const MAYBE_CODE = /^\s*(?:\+|-?0\d)/;

export const number: Kind = {
	types: ['number', 'decimal', 'numeric', 'double', 'float'],
	narrowTypes: ['integer', 'int', 'currency', 'percent'],
	read: readNumber,
	enter(entered, field, { formats, isExact }) {
		if (typeof entered === 'number') return entered;
		const text = typeof entered === 'string' ? toNumberText(entered, formats) : undefined;
		if (text === undefined || !isDecimal(text)) return undefined;
		const sent = Number(text);
		if (!Number.isFinite(sent))
			throw unusable(field, entered, `No number is that large. ${ACCEPTED}`);
		const losesDigits = isLongWhole(text);
		// Nothing is written, only compared.
		if (losesDigits && (isExact || !formats)) return text.trim();
		if (!losesDigits && !(formats && MAYBE_CODE.test(text))) return sent;
		throw unusable(field, entered, `As a number it would become ${sent}. Use a text field for it.`);
	},
	accepts(entered, _field, { formats }) {
		if (!formats || typeof entered !== 'string') return ACCEPTED;
		const hint = numberHint(entered, formats);
		if (hint !== undefined) return `${ACCEPTED} ${hint}.`;
		if (!formats.number || formats.number === 'point') return ACCEPTED;
		const example = NUMBER_EXAMPLES[formats.number];
		return `'Number Format' is '${example}': enter a number such as ${example} or ${example.replace(/[.,' ](?=234)/, '')}.`;
	},
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER],
	// Text, because n8n 1 puts a 0 into each empty input for numbers when it opens the node, and sends it.
	input: { type: 'string', canMatch: true },
};
