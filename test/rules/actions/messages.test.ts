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
test.each([
	[[new Error('x')], ''],
	[[new Cancelled()], ''],
	[[new ApiFailure({ status: 503, title: 'Down' }, undefined, false, false)], ''],
	[[new Unreachable('lost', { transient: true, sent: true })], MAYBE(1)],
	[[new Cancelled(true), new Cancelled(), new Cancelled(true)], MAYBE(2)],
])('how far it came: %s', (errors, rest) => {
	const expected = `3 of 9 records were updated.${rest}`;
	expect(progressOf(3, 9, 'record', 'updated', errors)).toBe(expected);
});

test.each([
	[0, 3, '0 of 3 records were deleted.'],
	[1, 3, '1 of 3 records was deleted.'],
	[0, 1, '0 of 1 record was deleted.'],
])('%d of %d', (done, total, expected) =>
	expect(progressOf(done, total, 'record', 'deleted', [])).toBe(expected),
);
