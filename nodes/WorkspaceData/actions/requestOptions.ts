/** The options 'Timeout', 'Max Parallel Requests' and 'Requests per Second'. */
import { InputError } from '../values/inputError';
import { plainNumber, plainText } from '../values/parameterValue';
import type { ReadOptions } from '../transport/cardAndFieldListings';

/** JavaScript timers above 2^31 ms end immediately, and no response takes a day. */
const MAX_TIMEOUT_S = 86_400;

/** Reads a number from the Options collection. Expressions may return text. */
function readNumber(value: unknown, parameter: string): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const number = plainNumber(value);
	if (Number.isFinite(number) && number > 0) return number;
	throw new InputError(
		`'${parameter}' must be a number above 0, not '${plainText(value)}'`,
		`Enter a number, or remove '${parameter}' from the options.`,
	);
}

/** As `readNumber`, but 0 means automatic. Expressions may return 0 as text. */
const readAutomatic = (value: unknown, parameter: string): number | undefined =>
	plainText(value).trim() === '0' ? undefined : readNumber(value, parameter);

/** Reads the request settings in the Options collection. @throws InputError */
export function requestOptions(options: {
	maxParallel?: unknown;
	requestsPerSecond?: unknown;
	timeout?: unknown;
}): ReadOptions {
	const maxParallel = readAutomatic(options.maxParallel, 'Max Parallel Requests');
	const requestsPerSecond = readAutomatic(options.requestsPerSecond, 'Requests per Second');
	const seconds = readNumber(options.timeout, 'Timeout (Seconds)');
	if (seconds !== undefined && seconds > MAX_TIMEOUT_S) {
		throw new InputError(
			`'Timeout (Seconds)' is ${seconds} seconds, but the maximum is ${MAX_TIMEOUT_S} (one day)`,
			"Enter a smaller number, or remove 'Timeout (Seconds)' from the options.",
		);
	}
	return {
		...(maxParallel !== undefined && { maxParallel: Math.max(1, Math.floor(maxParallel)) }),
		...(requestsPerSecond !== undefined && { requestsPerSecond }),
		...(seconds !== undefined && { timeoutMs: seconds * 1000 }),
	};
}
