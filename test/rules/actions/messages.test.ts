/** What a run says about itself: names in place of IDs, how far it came, how long it waited. */
import { Messages, progressOf } from '../../../nodes/WorkspaceData/actions/run/messages';
import {
	ApiFailure,
	Cancelled,
	Unreachable,
} from '../../../nodes/WorkspaceData/transport/failure/failureKinds';

test.each([
	['fld_1 is required', "'Title' is required"],
	['"fld_1" and `fld_1` and \'fld_1\'', "'Title' and 'Title' and 'Title'"],
	['fld_12 is another one', 'fld_12 is another one'],
	['7 values', '7 values'],
	['Same', 'Same'],
])('names stand in place of IDs: %s', (text, expected) => {
	const messages = new Messages({ addExecutionHints: () => {} });
	messages.learnName('fld_1', 'Title');
	// A bare number may be anything in a text.
	messages.learnName('7', 'Seven');
	messages.learnName('Same', 'Same');
	expect(messages.withNames(text)).toBe(expected);
});

const MAYBE = (count: number) =>
	` For ${count} more, the request was under way: it may have been carried out.`;
const down = new ApiFailure({ status: 503, title: 'Down' }, undefined, false, false);
const lost = new Unreachable('lost', { transient: true, sent: true });
test.each([
	[3, 9, [new Error('x'), new Cancelled(), down], '3 of 9 records were deleted.'],
	[3, 9, [lost], `3 of 9 records were deleted.${MAYBE(1)}`],
	[1, 3, [new Cancelled(true), lost, down], `1 of 3 records was deleted.${MAYBE(2)}`],
	[0, 1, [], '0 of 1 record was deleted.'],
])('%d of %d, with errors %s: %s', (done, total, errors, expected) => {
	expect(progressOf(done, total, 'record', 'deleted', errors)).toBe(expected);
});
