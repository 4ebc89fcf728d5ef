/** The failures that the size of a page can explain. */
import { ApiFailure, isTimeOut, Unreachable } from './failure/failureKinds';

/** Statuses of a request that isn't valid, of a response that is too large, and of a gateway that gave up. */
const MAY_REFUSE_SIZE: readonly number[] = [400, 413, 422, 502, 504];

/** Returns true if the page size can be the reason for a failure. */
export const mayRefuseSize = (error: unknown): boolean =>
	error instanceof ApiFailure
		? MAY_REFUSE_SIZE.includes(error.problem.status)
		: error instanceof Unreachable && (error.tooLarge || isTimeOut(error));
