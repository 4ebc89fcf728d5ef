/** Counts timeouts in a row: after three, the rest of an execution isn't sent. */
import { isTimeOut, type NetworkFailure } from '../failure/failureKinds';
import type { ApiRequest, ApiResponse } from '../request';

const MAX_IN_A_ROW = 3;

/** The timeouts of an execution. */
export class Timeouts {
	private inARow = 0;

	/** Counts an attempt. @returns true if there were too many timeouts in a row */
	areTooMany(outcome: ApiResponse | NetworkFailure, request: ApiRequest): boolean {
		if (!isTimeOut(outcome)) this.inARow = 0;
		else if (!request.optional && !request.replaceable) this.inARow += 1;
		return this.inARow >= MAX_IN_A_ROW;
	}
}
