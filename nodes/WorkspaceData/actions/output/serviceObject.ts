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
