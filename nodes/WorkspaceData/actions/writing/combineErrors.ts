/** Combines everything wrong with an item's values into one error. */
import { InputError } from '../../model/inputError';

/** The maximum number of values in a message. */
const MAX_NAMED = 10;

/** Combines the errors of an item's values. Other failures come first. */
export function combineErrors(errors: readonly unknown[]): unknown {
	const refusals = errors.filter((error) => error instanceof InputError);
	if (errors.length === 1 || refusals.length < errors.length) {
		return errors.find((error) => !(error instanceof InputError)) ?? errors[0];
	}
	const named = refusals
		.slice(0, MAX_NAMED)
		.map(({ message, description }) => [message, description].filter(Boolean).join('. '));
	const more = refusals.length > MAX_NAMED ? ` And ${refusals.length - MAX_NAMED} more.` : '';
	return new InputError(
		`${refusals.length} values of this item can't be sent`,
		`${named.join(' ')}${more}`,
	);
}
