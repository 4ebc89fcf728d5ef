import { InputError } from '../../model/inputError';
import { plainText } from '../../model/text';

/**
 * Reads a switch of the options; an expression may give text.
 *
 * @param label the switch as the editor shows it
 * @param fallback for a switch that was not added
 * @throws InputError for anything but true and false
 */
export function readSwitch(label: string, value: unknown, fallback: boolean): boolean {
	if (value === undefined || value === null) return fallback;
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw new InputError(
		`'${label}' cannot be '${plainText(value)}'`,
		'Turn it on or off, or use an expression that gives true or false.',
	);
}
