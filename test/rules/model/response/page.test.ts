/** The cursor of a page. */
import { readCursor } from '../../../../nodes/WorkspaceData/model/response/page';

test.each([
	['as the interface shows it', '{"records":[],"next_cursor":"abc"}', 'abc'],
	['alone', '{"next_cursor":"abc"}', 'abc'],
	['with white space', '{"records": [],\n\t"next_cursor" : "abc"\n}\n', 'abc'],
	['with escapes', String.raw`{"records":[],"next_cursor":"a\"}\\ü"}`, 'a"}\\ü'],
	['given twice: the last one counts', '{"next_cursor":"a","next_cursor":"b"}', 'b'],
])('a cursor %s is read', (_, text, cursor) => {
	expect(readCursor(JSON.parse(text))).toBe(cursor);
});
