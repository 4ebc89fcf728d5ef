/**
 * What values are, decided without the product's code: each generated value is known before it is spelled, so two of
 * them are the same exactly where what they were made of is the same.
 */
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';

/** The time zone of these tests: two hours east of Greenwich, all year. */
const OFFSET_MINUTES = 120;

/** A value as a service stores it or a person enters it, and what it was made of. */
export interface Spelled<Meant = unknown> {
	/** One of its spellings. */
	spelling: unknown;
	meant: Meant;
}

/** What a field of some kind holds. */
export interface KindOracle<Meant = unknown> {
	/** How the service calls the type, and the choices that it lists. */
	type: string;
	options?: readonly unknown[];
	/** Values of the kind, in any spelling that a service may store. */
	stored: fc.Arbitrary<Spelled<Meant>>;
	/** Values of the kind, in any spelling that an item may give. */
	entered: fc.Arbitrary<Spelled<Meant>>;
	/** Their order: below 0, 0 for the same value and for no other, above 0; undefined where only that is known. */
	compare(a: Meant, b: Meant): number | undefined;
}

/** A decimal number: digits times a power of ten, without zeros at the end of the digits. */
export interface Decimal {
	digits: bigint;
	exponent: number;
}

const normal = (digits: bigint, exponent: number): Decimal => {
	let [rest, power] = [digits, exponent];
	while (rest !== 0n && rest % 10n === 0n) [rest, power] = [rest / 10n, power + 1];
	return { digits: rest, exponent: rest === 0n ? 0 : power };
};

/** Reads the decimal text of a number by hand. */
export function decimalOf(text: string): Decimal {
	const [mantissa = '', power = '0'] = text.trim().toLowerCase().split('e');
	const [whole = '', fraction = ''] = mantissa.replace('+', '').split('.');
	const sign = whole.startsWith('-') ? -1n : 1n;
	const digits = BigInt(`${whole.replace('-', '')}${fraction}` || '0') * sign;
	return normal(digits, Number(power) - fraction.length);
}

export function compareDecimals(a: Decimal, b: Decimal): number {
	const low = Math.min(a.exponent, b.exponent);
	const scaled = ({ digits, exponent }: Decimal) => digits * 10n ** BigInt(exponent - low);
	const [left, right] = [scaled(a), scaled(b)];
	return left < right ? -1 : left > right ? 1 : 0;
}

/** A decimal without an exponent. */
function plain({ digits, exponent }: Decimal): string {
	const sign = digits < 0n ? '-' : '';
	const all = String(digits < 0n ? -digits : digits);
	if (exponent >= 0) return `${sign}${all}${'0'.repeat(exponent)}`;
	const padded = all.padStart(1 - exponent, '0');
	return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

const spelledDecimal = (decimal: Decimal): unknown[] => {
	const text = plain(decimal);
	const padded = text.includes('.') ? `${text}00` : `${text}.0`;
	return [text, padded, ` ${text} `, `${decimal.digits}e${decimal.exponent}`];
};

const TEN_15 = 10n ** 15n;
/** As many digits as any JSON number keeps. */
const someDecimal = fc
	.oneof(
		fc.tuple(fc.bigInt({ min: -300n, max: 300n }), fc.integer({ min: -3, max: 0 })),
		fc.tuple(fc.bigInt({ min: -TEN_15, max: TEN_15 }), fc.integer({ min: -30, max: 0 })),
	)
	.map(([digits, exponent]) => normal(digits, exponent));

/** Numbers that JSON has, by their shortest text. */
const jsonNumber = fc
	.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, min: -1e15, max: 1e15 }))
	.map((number) => ({ spelling: number, meant: decimalOf(String(number)) }));

const decimalText = someDecimal.chain((meant) =>
	fc.constantFrom(...spelledDecimal(meant)).map((spelling) => ({ spelling, meant })),
);

/** Whole numbers beyond 2^53, of which some differ in the last digit only. */
const longDigits = fc
	.tuple(fc.constantFrom(9_007_199_254_740_993n, 10n ** 20n, -(10n ** 30n)), fc.nat({ max: 3 }))
	.map(([start, more]) => String(start < 0n ? start - BigInt(more) : start + BigInt(more)))
	.map((spelling) => ({ spelling, meant: decimalOf(spelling) }));

const decimal = fc.oneof(jsonNumber, decimalText, longDigits);
const number: KindOracle<Decimal> = {
	type: 'number',
	stored: decimal,
	entered: decimal,
	compare: compareDecimals,
};

/** A kind whose values have an order. */
const ordered = <Meant extends number | bigint>(
	type: string,
	stored: fc.Arbitrary<Spelled<Meant>>,
	entered = stored,
): KindOracle<Meant> => ({
	...{ type, stored, entered, compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0) },
});

/** Known to be the same, or not. */
const sameness = (a: unknown, b: unknown) => (isDeepStrictEqual(a, b) ? 0 : undefined);

const spell = <Meant>(
	values: fc.Arbitrary<Meant>,
	spellings: (meant: Meant) => readonly unknown[],
): fc.Arbitrary<Spelled<Meant>> =>
	values.chain((meant) =>
		fc.constantFrom(...spellings(meant)).map((spelling) => ({ spelling, meant })),
	);

const boolean = ordered(
	'boolean',
	spell(fc.nat({ max: 1 }), (is) => (is ? [true, 1, 'true'] : [false, 0, 'false'])),
	spell(fc.nat({ max: 1 }), (is) =>
		is ? [true, 1, '1', 'TRUE', ' true '] : [false, 0, '0', 'False'],
	),
);

/** Days since 1970-01-01; years of four digits. */
const dayNumber = (day: string): number => Date.parse(day) / 86_400_000;
const dayText = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);

const someDay = fc.oneof(
	fc.integer({ min: dayNumber('2026-02-26'), max: dayNumber('2026-03-03') }),
	fc.integer({ min: dayNumber('0001-01-02'), max: dayNumber('9999-12-30') }),
);
const date = ordered(
	'date',
	spell(someDay, (day) => [dayText(day), dayText(day), `${dayText(day)}T22:00:00Z`]),
	spell(someDay, (day) => [dayText(day), `${dayText(day)}T23:30:00-05:00`]),
);

const ZONES = new Map([
	[0, 'Z'],
	[120, '+02:00'],
	[-330, '-05:30'],
]);

/** An instant in millionths of a second, spelled with an offset, or without one as wall-clock time. */
function instantText(micros: bigint, offset: number | undefined, separator: 'T' | ' '): string {
	const local = micros + BigInt(offset ?? OFFSET_MINUTES) * 60_000_000n;
	const [day = '', clock = ''] = new Date(Number(local / 1_000n)).toISOString().split(/[T.]/);
	const fraction = String(local % 1_000_000n).padStart(6, '0');
	const cut = fraction.replace(/0+$/, '');
	const zone = offset === undefined ? '' : ZONES.get(offset);
	return `${day}${separator}${clock}${cut && `.${cut}`}${zone}`;
}
const someInstant = fc
	.tuple(
		fc.integer({ min: dayNumber('1971-01-01'), max: dayNumber('2100-01-01') }),
		fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 86_399 })),
		fc.constantFrom(0n, 0n, 1n, 2n, 500_000n, 123_456n, 123_457n, 999_999n),
	)
	.map(([day, second, micros]) => BigInt(day * 86_400 + second) * 1_000_000n + micros);
const instantSpellings = (micros: bigint) => [
	...[0, 120, -330, undefined].map((offset) => instantText(micros, offset, 'T')),
	instantText(micros, undefined, ' '),
];
const datetime = ordered('datetime', spell(someInstant, instantSpellings));

const TEXTS = ['7', '07', '7.0', '0x7', '1e2', '100', 'a', 'A', ' a', 'é', 'e\u0301', 'N/A', '-'];
const someText = fc.oneof(
	fc.constantFrom(...TEXTS),
	fc.string({ minLength: 1 }),
	fc.string({ minLength: 1, unit: 'grapheme' }),
);
const someInteger = fc.integer().map((spelling) => ({ spelling, meant: String(spelling) }));
const someSpelledText = fc.oneof(
	spell(someText, (meant) => [meant]),
	someInteger,
);
const text: KindOracle<string> = {
	type: 'text',
	stored: someSpelledText,
	entered: someSpelledText,
	compare: sameness,
};

/** Choices whose values look like other choices' labels, and choices with commas. */
const RATED = [0, 1, 2, 3, 4].map((value) => ({ value, label: String(value + 1) }));
const NAMED = [
	{ id: 'o1', name: 'Open' },
	{ id: 'o2', name: 'In Work' },
	{ id: 'o3', name: 'Red, white' },
];
const place = fc.nat({ max: 4 });
const choice: KindOracle<number> = {
	...ordered(
		'single_select',
		place.map((meant) => ({ spelling: meant, meant })),
		spell(place, (meant) => [meant, String(meant + 1)]),
	),
	options: RATED,
};

const subset = fc
	.subarray([0, 1, 2], { minLength: 1 })
	.map((places) => ({ places, key: places.reduce((bits, bit) => bits | (1 << bit), 0) }));
const shuffled = (spelling: (place: number) => unknown) =>
	subset.chain(({ places, key }) =>
		fc
			.shuffledSubarray(places, { minLength: places.length })
			.map((order) => ({ spelling: order.map(spelling), meant: key })),
	);
const byId = shuffled((one) => NAMED[one]?.id);
const byName = shuffled((one) => NAMED[one]?.name);
const choices: KindOracle<number> = {
	type: 'multi_select',
	options: NAMED,
	stored: fc.oneof(byId, byName),
	entered: fc.oneof(
		byId,
		byName,
		byName.map(({ spelling, meant }) => ({ spelling: spelling.join(', '), meant })),
	),
	compare: sameness,
};

/** The same value with the keys of its objects in reverse. */
const reversed = (value: unknown): unknown => {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([key, part]) => [key, reversed(part)]),
	);
};
const someJson = fc
	.oneof(
		fc.dictionary(fc.constantFrom('a', 'b', '1'), fc.jsonValue({ maxDepth: 2 })),
		fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1 }),
	)
	// A value that JSON carries: it has no -0.
	.map((value): unknown => JSON.parse(JSON.stringify(value)));
const json: KindOracle = {
	type: 'json',
	stored: spell(someJson, (value) => [value, reversed(value)]),
	entered: spell(someJson, (value) => [value, JSON.stringify(value)]),
	compare: sameness,
};

const unknown: KindOracle<string> = {
	...text,
	type: 'a type of the future',
	stored: fc.oneof(
		someSpelledText,
		fc.boolean().map((spelling) => ({ spelling, meant: String(spelling) })),
	),
};

export const ORACLES = {
	text,
	number,
	boolean,
	date,
	datetime,
	choice,
	choices,
	json,
	unknown,
} as Record<string, KindOracle>;
