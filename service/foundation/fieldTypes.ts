/** Types a field can have (DECISIONS.md). */
export const fieldTypes = [
	'text',
	'long_text',
	'number',
	'boolean',
	'date',
	'datetime',
	'single_select',
	'multi_select',
	'email',
	'url',
	'json',
] as const;

/** Type of a field. */
export type FieldType = (typeof fieldTypes)[number];

/** A choice of a select field. Records hold its name. */
export interface FieldOption {
	id: string;
	name: string;
}

/** Longest value of a `text`, `email` and `url` field, in UTF-16 code units. */
const maximumTextLength = 10_000;

/** Deepest nesting of a `json` value; what is much deeper cannot be written as JSON again. */
const maximumJsonDepth = 100;

/** A value in the form it is stored in, or why it is refused. */
export type Checked = { ok: true; value: unknown } | { ok: false; detail: string };

const beyondDouble = 'is beyond the range of a double';

const ok = (value: unknown): Checked => ({ ok: true, value });
const refuse = (detail: string): Checked => ({ ok: false, detail });

/** Whether text is a day that exists, as YYYY-MM-DD. */
function isDate(text: string): boolean {
	if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
	const day = new Date(`${text}T00:00:00Z`);
	return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Whether a text is an ISO 8601 timestamp with seconds and a time zone (the profile of RFC 3339). */
function isDatetime(text: string): boolean {
	const match =
		/^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/.exec(
			text,
		);
	return match?.[1] !== undefined && isDate(match[1]);
}

function isHttpUrl(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, hostname } = new URL(text);
	return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
}

/** Why a value cannot be kept as JSON; level by level, so without recursion. */
function faultOfJson(value: unknown): string | undefined {
	let level = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (level.some((one) => typeof one === 'number' && !Number.isFinite(one))) return beyondDouble;
		const nests = level.filter((one) => typeof one === 'object' && one !== null);
		if (depth === maximumJsonDepth && nests.length > 0) {
			return `is nested deeper than ${maximumJsonDepth} levels`;
		}
		level = nests.flatMap((one) => Object.values(one as object));
	}
	return undefined;
}

function checkText(value: unknown, what: string, accepts: (text: string) => boolean): Checked {
	if (typeof value !== 'string') return refuse(`expected ${what}, got ${typeName(value)}`);
	if (value.length > maximumTextLength) {
		return refuse(`is longer than ${maximumTextLength} characters`);
	}
	return accepts(value) ? ok(value) : refuse(`expected ${what}`);
}

/** The name of a value's type in a message. */
function typeName(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}

function findOption(options: readonly FieldOption[], value: unknown): FieldOption | undefined {
	return (
		options.find((option) => option.name === value) ?? options.find((option) => option.id === value)
	);
}

function allowed(options: readonly FieldOption[]): string {
	const names = options.map((option) => JSON.stringify(option.name));
	return names.length > 20 ? `${names.slice(0, 20).join(', ')}, …` : names.join(', ') || 'none';
}

/** A check of values of one JavaScript type. */
const typed =
	(type: 'string' | 'boolean', what: string) =>
	(value: unknown): Checked =>
		typeof value === type ? ok(value) : refuse(`expected ${what}, got ${typeName(value)}`);

function checkNumber(value: unknown): Checked {
	if (typeof value !== 'number') return refuse(`expected a number, got ${typeName(value)}`);
	return Number.isFinite(value) ? ok(value) : refuse(beyondDouble);
}

function checkOption(value: unknown, options: readonly FieldOption[]): Checked {
	const option = findOption(options, value);
	return option ? ok(option.name) : refuse(`expected one of the options: ${allowed(options)}`);
}

function checkOptions(value: unknown, options: readonly FieldOption[]): Checked {
	if (!Array.isArray(value)) return refuse(`expected an array, got ${typeName(value)}`);
	if (value.length > options.length) return refuse('has more entries than there are options');
	const names = value.map((entry) => findOption(options, entry)?.name);
	if (names.includes(undefined)) {
		return refuse(`expected an array of options: ${allowed(options)}`);
	}
	return new Set(names).size === names.length ? ok(names) : refuse('names an option twice');
}

function checkJson(value: unknown): Checked {
	const fault = faultOfJson(value);
	return fault === undefined ? ok(value) : refuse(fault);
}

const isEmail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);

const checks: Record<FieldType, (value: unknown, options: readonly FieldOption[]) => Checked> = {
	text: (value) => checkText(value, 'a string', () => true),
	long_text: typed('string', 'a string'),
	number: checkNumber,
	boolean: typed('boolean', 'true or false'),
	date: (value) => checkText(value, 'a date as YYYY-MM-DD', isDate),
	datetime: (value) => checkText(value, 'an ISO 8601 timestamp with time zone', isDatetime),
	email: (value) => checkText(value, 'an e-mail address', isEmail),
	url: (value) => checkText(value, 'an http or https address', isHttpUrl),
	single_select: checkOption,
	multi_select: checkOptions,
	json: checkJson,
};

/**
 * Checks a value against a field's type. `null` is not a value (it clears) and must not get here.
 * @returns the value as stored: option IDs become option names, everything else stays unchanged
 */
export function checkValue(
	type: FieldType,
	options: readonly FieldOption[],
	value: unknown,
): Checked {
	return checks[type](value, options);
}

/** Whether a type has options. */
export function hasOptions(type: FieldType): boolean {
	return type === 'single_select' || type === 'multi_select';
}
