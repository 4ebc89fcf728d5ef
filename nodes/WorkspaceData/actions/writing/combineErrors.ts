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
	const reasons = refusals.map(({ message, description }) =>
		[message, description].filter(Boolean).join('. '),
	);
	return new InputError(`${refusals.length} values of this item can't be sent`, firstOf(reasons));
}

/** The first of some reasons, and how many more there are. */
export function firstOf(reasons: readonly string[]): string {
	const more = reasons.length - MAX_NAMED;
	return [...reasons.slice(0, MAX_NAMED), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
