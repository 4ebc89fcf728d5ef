/** The refusals of a subscription for which an old one can make room. */
import { ApiFailure } from '../../transport/failure/failureKinds';

/** Words of a refusal because of a limit of the plan, not because of the request itself. */
const LIMIT = /limit|quota|maximum|too many|exceed|at most|only (?:one|a single|\d+)\b/i;
/** Words of a refusal because a subscription has the address. */
const EXISTS = /\b(?:exists?|existing|duplicate|already|in use|taken|not unique|must be unique)\b/i;

/**
 * Returns why a subscription was refused if deleting an old one could help: the service allows one for each
 * address, or no more for this workspace.
 */
export function roomReason(error: unknown): 'address' | 'limit' | undefined {
	if (!(error instanceof ApiFailure) || error.problem.foreign) return undefined;
	const { status, kind, title, detail } = error.problem;
	if (error.rateLimited || ![400, 402, 403, 409, 422].includes(status)) return undefined;
	const words = [kind, title, detail].join(' ');
	if ([400, 409, 422].includes(status) && EXISTS.test(words)) return 'address';
	if (status !== 400 && LIMIT.test(words)) return 'limit';
	return status === 409 ? 'address' : undefined;
}
