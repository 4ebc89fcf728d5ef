/** What a run tells besides its output. */
import { addNote, Hints } from '../../../nodes/WorkspaceData/records/hints';
import { InputError } from '../../../nodes/WorkspaceData/values/inputError';

test.each([
	['fld_1 is required', "'Title' is required"],
	['"fld_1" and `fld_1` and \'fld_1\'', "'Title' and 'Title' and 'Title'"],
	['fld_12 is another one', 'fld_12 is another one'],
	['7 values', '7 values'],
	['Same', 'Same'],
	['/data/fld_1: is too long', "'Title': is too long"],
	["/data/fld_1: Field 'fld_1' (title) is too long", "Field 'Title' (title) is too long"],
	['/data/other: is too long', '/data/other: is too long'],
])('names stand in place of IDs: %s', (text, expected) => {
	const hints = new Hints({ addExecutionHints: () => {} });
	hints.learnName('fld_1', 'Title');
	// A bare number may be anything in a text.
	hints.learnName('7', 'Seven');
	hints.learnName('Same', 'Same');
	expect(hints.withNames(text)).toBe(expected);
});

test('a hint is shown once', () => {
	const shown: unknown[] = [];
	const hints = new Hints({ addExecutionHints: (...given) => void shown.push(...given) });
	for (const text of ['a', 'b', 'a']) hints.add(text);
	expect(shown).toMatchObject([{ message: 'a' }, { message: 'b' }]);
});

test('a note is added to an error once', () => {
	const error = new InputError('No', 'Because');
	for (const note of ['It exists now.', 'It exists now.', 'More.']) addNote(error, note);
	expect(error.description).toBe('Because. It exists now. More.');
});
