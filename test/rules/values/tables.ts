/** Random columns as people have them, and the values that reading them back must give. */
import fc from 'fast-check';

const digits = (min: number, max: number) =>
	fc
		.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max })
		.map((list) => list.join(''));

const day = fc
	.date({ min: new Date('1900-01-01'), max: new Date('2100-12-31'), noInvalidDate: true })
	.map((date) => date.toISOString());

/** Texts in the spellings that tables have. */
const spelling = fc.oneof(
	fc.integer().map(String),
	fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
	digits(1, 18),
	digits(4, 8).map((text) => `+49 ${text}`),
	fc.integer({ min: -9999, max: 9999 }).map((cents) => (cents / 100).toFixed(2)),
	day.map((iso) => iso.slice(0, 10)),
	day.map((iso) => iso.slice(0, 10).split('-').reverse().join('.')),
	day,
	day.map((iso) => `${iso.slice(0, 19)}+02:00`),
	day.map((iso) => iso.slice(0, 19)),
	fc.constantFrom('true', 'false', 'TRUE', 'yes', 'N/A', '', ' ', '-', 'null', '-0', '1e3', '0x1F'),
	fc.constantFrom('Open', 'Done', 'open', 'In work', 'a, b', '"x"', '[1]', '{"a":1}'),
	fc.emailAddress(),
	fc.webUrl(),
	fc.string({ unit: 'grapheme', maxLength: 60 }),
	fc.string({ unit: 'grapheme', minLength: 250, maxLength: 270 }),
	fc.string().map((text) => `${text}\n${text}`),
);

export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 6, arbitrary: spelling },
	fc.integer(),
	fc.double({ noNaN: true, noDefaultInfinity: true }),
	fc.boolean(),
	fc.constantFrom(null, undefined, ''),
	fc.uniqueArray(fc.constantFrom('home', 'garden', 'office'), { maxLength: 3 }),
	fc.array(fc.oneof(fc.string(), fc.integer())),
	fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.integer(), fc.boolean())),
);

/** A few values of one kind, again and again, so that columns of one type and choices come up. */
const repeated = (one: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> =>
	fc
		.array(one, { minLength: 1, maxLength: 14 })
		.chain((some) => fc.array(fc.constantFrom(...some), { minLength: 0, maxLength: 40 }));

const ofOneKind = fc.oneof(
	fc.integer().map(String),
	fc.integer({ min: 0, max: 99_999 }).map((cents) => (cents / 100).toFixed(2)),
	digits(1, 18),
	day.map((iso) => iso.slice(0, 10)),
	fc.constantFrom('Open', 'Done', 'In work', 'Late'),
);

/** Cells that all have such a value, or none. */
const withGaps = (one: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> =>
	fc.array(fc.oneof({ weight: 3, arbitrary: one }, fc.constantFrom('', null)), { maxLength: 30 });

/** The values of one column. */
export const anyColumn: fc.Arbitrary<unknown[]> = fc.oneof(
	withGaps(fc.emailAddress()),
	withGaps(fc.webUrl()),
	withGaps(ofOneKind),
	fc.array(anyValue, { maxLength: 30 }),
	repeated(spelling),
	repeated(fc.constantFrom('Open', 'Done', 'In work')),
	repeated(day),
	repeated(fc.uniqueArray(fc.constantFrom('home', 'garden', 'office'), { maxLength: 3 })),
	repeated(ofOneKind),
);

/** A value as JSON carries it. */
export const inJson = (given: unknown): unknown => JSON.parse(JSON.stringify(given ?? null));

/**
 * The original value, as far as the value read back tells it: a text of a number as that number, true and false in any
 * case, and a text of another value as that value.
 */
export function givenBy(shown: unknown, given: unknown): unknown {
	if (typeof given === 'string' && typeof shown === 'number')
		return Number(given) === shown ? given : String(shown);
	if (typeof given === 'string' && typeof shown === 'boolean') {
		return String(shown) === given.toLowerCase() ? given : String(shown);
	}
	if (typeof given !== 'string' && typeof shown === 'string') {
		const text = typeof given === 'object' ? JSON.stringify(given) : String(given);
		return shown === text ? inJson(given) : shown;
	}
	return shown;
}
