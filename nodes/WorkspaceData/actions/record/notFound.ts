import { InputError } from '../../model/inputError';
import type { JsonObject } from '../../model/shapes';
import { ApiFailure } from '../../transport/failures';

/**
 * What an item gives when its record does not exist, as the option If Not Found says.
 *
 * @param policy `error`, `skip` or `empty`
 * @param error what is thrown for `error`
 */
export function whenNotFound(policy: string | undefined, error: unknown): JsonObject[] {
	if (policy === 'skip') return [];
	if (policy === 'empty') return [{}];
	if (policy === undefined || policy === 'error') throw error;
	throw new InputError(`'If Not Found' cannot be '${policy}'`, 'Choose one of the listed values.');
}

/** Whether the service says that the record does not exist; not the card and not the workspace. */
export function isRecordNotFound(error: unknown): error is ApiFailure {
	if (!(error instanceof ApiFailure) || error.problem.status !== 404) return false;
	return error.problem.kind === undefined || /record|^not-found$/.test(error.problem.kind);
}
