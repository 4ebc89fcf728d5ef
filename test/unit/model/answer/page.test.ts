/** The cursor of a page that is not parsed yet. */
import fc from 'fast-check';
import { peekCursor, readCursor } from '../../../../nodes/WorkspaceData/model/answer/page';

test.each([
	['as the interface shows it', '{"records":[],"next_cursor":"abc"}', 'abc'],
	['alone', '{"next_cursor":"abc"}', 'abc'],
	['with white space', '{"records": [],\n\t"next_cursor" : "abc"\n}\n', 'abc'],
	['with escapes', String.raw`{"records":[],"next_cursor":"a\"}\\ü"}`, 'a"}\\ü'],
	['given twice: the last one counts', '{"next_cursor":"a","next_cursor":"b"}', 'b'],
])('a cursor %s is seen before the page is parsed', (_, text, cursor) => {
	expect(peekCursor(text)).toBe(cursor);
	expect(readCursor(JSON.parse(text))).toBe(cursor);
});

test.each([
	['on the last page', '{"records":[],"next_cursor":null}'],
	['empty', '{"records":[],"next_cursor":""}'],
	['a number', '{"records":[],"next_cursor":7}'],
	['before the records', '{"next_cursor":"abc","records":[]}'],
	['of an object within', '{"page":{"next_cursor":"abc"}}'],
	['in a list', '[{"next_cursor":"abc"}]'],
	['in a text', String.raw`{"note":",\"next_cursor\":\"abc\"}"}`],
	['in a page that is a text', JSON.stringify('{"records":[],"next_cursor":"abc"}')],
	['with an escape that there is not', String.raw`{"records":[],"next_cursor":"\x"}`],
	['that is cut off', 'aaa"}'],
	['nowhere', ''],
])('a cursor %s is read only once the page is parsed', (_, text) => {
	expect(peekCursor(text)).toBeUndefined();
});

test('peekCursor never disagrees with the parsed page, whatever the JSON', () => {
	const tricky = fc.constantFrom(
		'next_cursor',
		'"next_cursor":"x"}',
		',"next_cursor":"',
		'\\',
		'"}',
		'x',
	);
	const key = fc.oneof(tricky, fc.string());
	const { tree } = fc.letrec((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 4 },
			fc.oneof(tricky, fc.string(), fc.integer(), fc.constant(null)),
			fc.array(tie('tree'), { maxLength: 3 }),
			fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
		),
	}));
	const page = fc
		.tuple(fc.dictionary(key, tree, { maxKeys: 4 }), fc.oneof(tricky, fc.string()))
		.map(([others, next_cursor]) => ({ ...others, next_cursor }));
	let seen = 0;
	fc.assert(
		fc.property(fc.oneof(tree, page), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
			const text = JSON.stringify(value, null, indent);
			const cursor = peekCursor(text);
			if (cursor === undefined) return;
			seen += 1;
			expect(readCursor(JSON.parse(text))).toBe(cursor);
		}),
		{ numRuns: 20_000 },
	);
	expect(seen).toBeGreaterThan(1_000);
});
