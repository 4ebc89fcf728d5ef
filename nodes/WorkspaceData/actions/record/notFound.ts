import type { JsonObject } from '../../model/shapes';
import { ApiFailure } from '../../transport/failures';
import { ifNotFoundOption } from '../../ui/recordOptions';
import { readChoice } from '../choice';

/**
 * The output of an item whose record does not exist, as the option If Not Found says. The option is
 * read here and now, so that a value it cannot have stops the item before anything is sent.
 *
 * @param policy `error`, `skip` or `empty`
 * @returns what an item gives; throws the error it is handed for `error`
 * @throws InputError for an unknown option value
 */
export function readNotFound(policy: unknown): (error: unknown) => JsonObject[] {
	const choice = readChoice(ifNotFoundOption, policy) ?? 'error';
	return (error) => {
		if (choice === 'error') throw error;
		return choice === 'skip' ? [] : [{}];
	};
}

/**
 * Whether the service says that the record does not exist; not the card and not the workspace, and not
 * a proxy in its place.
 */
export function isRecordNotFound(error: unknown): error is ApiFailure {
	if (!(error instanceof ApiFailure)) return false;
	const { status, kind, foreign } = error.problem;
	if (status !== 404 || foreign) return false;
	return kind === undefined || /record|^not-found$/.test(kind);
}
