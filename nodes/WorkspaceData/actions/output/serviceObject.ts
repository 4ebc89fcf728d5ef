/** Objects of the service as output items. */

/**
 * An object of the service under the names that it has there, except for `error`: with Retry On Fail, n8n
 * takes an item whose `error` is truthy for a failure and runs the node again, for all items.
 *
 * @returns the object itself, or a copy that has the value under `error_`
 */
export function withoutErrorFlag(object: object): object {
	if (!('error' in object) || !object.error) return object;
	const { error, ...rest } = object;
	return { ...rest, error_: error };
}

/** The settings of a node that make n8n look for `error` in its output. */
interface FailureSettings {
	retryOnFail?: boolean;
	onError?: string;
}

/** Of an item with no other keys n8n takes `error` for a failure. */
const FAILURE_KEYS = ['error', 'message', 'details'];

/**
 * An input item that is passed on: as it came, unless n8n would take it for a failed one because of the node's settings.
 *
 * @returns the object itself, or a copy that has the value under `error_`
 */
export function passedOn(
	item: Record<string, unknown>,
	{ retryOnFail, onError }: FailureSettings,
): Record<string, unknown> {
	if (!Object.hasOwn(item, 'error')) return item;
	const isFailure =
		onError === 'continueErrorOutput' &&
		Object.keys(item).every((key) => FAILURE_KEYS.includes(key));
	if (retryOnFail !== true && !isFailure) return item;
	const { error, ...rest } = item;
	return { ...rest, error_: error };
}
