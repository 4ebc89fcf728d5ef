/** The types that a field can have, and which values fit them (DECISIONS.md). */

/** Longest value of a `text`, `email` and `url` field, in UTF-16 code units. */
const maximumLength = 10_000;
/** Deepest nesting of a `json` value; what is much deeper cannot be written as JSON again. */
const maximumDepth = 100;

/** Whether a value fits, or why not. */
export type Checked = { ok: true; value: unknown } | { ok: false; detail: string };

/** @returns why a value is refused; undefined if it fits */
type Check = (value: unknown, options: readonly string[]) => string | undefined;

const checks = {
	text: textLike('a string'),
	long_text: textLike('a string', undefined, Infinity),
	number: checkNumber,
	boolean: (value) =>
		typeof value === 'boolean' ? undefined : `expected true or false, got ${typeName(value)}`,
	date: textLike('a date as YYYY-MM-DD', isDate),
	datetime: textLike('an ISO 8601 timestamp with time zone', isDatetime),
	single_select: (value, options) =>
		options.includes(value as string) ? undefined : `expected one of the options: ${list(options)}`,
	multi_select: checkOptions,
	email: textLike('an e-mail address', (text) => /^[^\s@]+@[^\s@]+$/.test(text)),
	url: textLike('an http or https address', isHttpUrl),
	json: checkJson,
} satisfies Record<string, Check>;

/** Type of a field. */
export type FieldType = keyof typeof checks;

/** Types that a field can have. */
export const fieldTypes = Object.keys(checks) as FieldType[];

/**
 * Checks a value against a field's type. `null` is not a value (it clears) and must not get here.
 * @param options names of the choices of a select field
 */
export function checkValue(type: FieldType, options: readonly string[], value: unknown): Checked {
	const check: Check = checks[type];
	const detail = check(value, options);
	return detail === undefined ? { ok: true, value } : { ok: false, detail };
}

/** Whether a type has options. */
export const hasOptions = (type: FieldType) => type === 'single_select' || type === 'multi_select';

/** Whether a text is an http or https address. */
export function isHttpUrl(text: string): boolean {
	return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function textLike(
	what: string,
	accepts: (text: string) => boolean = () => true,
	most = maximumLength,
): Check {
	return (value) => {
		if (typeof value !== 'string') return `expected ${what}, got ${typeName(value)}`;
		if (value.length > most) return `is longer than ${most} characters`;
		return accepts(value) ? undefined : `expected ${what}`;
	};
}

/** Whether text is a day that exists, as YYYY-MM-DD. */
function isDate(text: string): boolean {
	if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
	const day = new Date(`${text}T00:00:00Z`);
	return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Whether a text is a timestamp with seconds and a time zone. @see RFC 3339 */
function isDatetime(text: string): boolean {
	const time = /^T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
	return isDate(text.slice(0, 10)) && time.test(text.slice(10));
}

function checkNumber(value: unknown): string | undefined {
	if (typeof value !== 'number') return `expected a number, got ${typeName(value)}`;
	return Number.isFinite(value) ? undefined : 'is beyond the range of a double';
}

function checkOptions(value: unknown, options: readonly string[]): string | undefined {
	if (!Array.isArray(value)) return `expected an array, got ${typeName(value)}`;
	if (!value.every((entry) => options.includes(entry as string))) {
		return `expected an array of options: ${list(options)}`;
	}
	return new Set(value).size === value.length ? undefined : 'names an option twice';
}

/** Why a value cannot be kept as JSON; level by level, so without recursion. */
function checkJson(value: unknown): string | undefined {
	let level = [value];
	for (let depth = 0; level.length > 0; depth++) {
		const fault = level.filter((one) => typeof one === 'number').map(checkNumber);
		if (fault.some(Boolean)) return fault.find(Boolean);
		const nests = level.filter((one) => typeof one === 'object' && one !== null);
		if (depth === maximumDepth && nests.length > 0) return `is nested deeper than ${depth} levels`;
		level = nests.flatMap((one) => Object.values(one as object));
	}
	return undefined;
}

/** The name of a value's type in a message. */
function typeName(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}

function list(options: readonly string[]): string {
	return options.map((name) => JSON.stringify(name)).join(', ') || 'none';
}
