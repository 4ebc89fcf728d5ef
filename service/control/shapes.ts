/** What each variant makes of a request, an object, a list or a response: pure functions. */
import type { Field } from '../data/fields.ts';
import type { Operation } from '../http/context.ts';
import type { Variants } from './variants.ts';

/** An object of JSON. */
export type Json = Record<string, unknown>;

/** The things that the API is about. */
export type Noun = Operation['noun'];

/** Cards and fields in a page of a list with pages. */
const listPageSize = 2;

const isObject = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const storedTexts: Record<Variants['storedTexts'], (text: string) => string> = {
	exact: (text) => text,
	lowerCase: (text) => text.toLowerCase(),
	trimmed: (text) => text.trim(),
	wholeSeconds: (text) => text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+/, '$1'),
};

const snakeCase = (name: string) =>
	name
		.trim()
		.toLowerCase()
		.replace(/[^\p{L}\d]+/gu, '_');

/** The body of a request as the service takes it: values and names of fields in another spelling. */
export function takenBody(body: unknown, variants: Variants): unknown {
	if (!isObject(body)) return body;
	const { data, name, type } = body;
	if (isObject(data)) {
		const spell = storedTexts[variants.storedTexts];
		const stored = Object.entries(data).map(([id, value]) => [
			id,
			typeof value === 'string' ? spell(value) : value,
		]);
		return { ...body, data: Object.fromEntries(stored) as Json };
	}
	const isField = type !== undefined && typeof name === 'string';
	return isField && variants.storedNames === 'snakeCase'
		? { ...body, name: snakeCase(name) }
		: body;
}

/** Adds properties that nobody asked for. */
export function decorated(value: Json, { extraProperties }: Variants): Json {
	return extraProperties
		? { ...value, _links: { self: null }, x_revision: 7, x_labels: ['extra'] }
		: value;
}

/** Data of a record, with null for each field of its card that has no value. */
export function withNulls(data: Json, { clearedFields }: Variants, fields: readonly Field[]): Json {
	if (clearedFields === 'absent') return data;
	return Object.fromEntries(fields.map(({ id }) => [id, data[id] ?? null]));
}

function shownTime(time: unknown, { createdAt }: Variants): unknown {
	if (createdAt === 'day') return String(time).slice(0, 10);
	if (createdAt === 'seconds') return Math.floor(Date.parse(String(time)) / 1_000);
	return createdAt === 'same' ? '2026-01-01T00:00:00.000Z' : time;
}

function shownField(shown: Json, variants: Variants, fields: readonly Field[]): Json {
	const { fieldOptions, fieldIdKey, nameKey, readOnlyKey } = variants;
	const { id, name, options, ...rest } = shown;
	const known = fields.find((field) => field.id === id)?.options ?? [];
	const optionShapes: Record<Variants['fieldOptions'], (label: string) => unknown> = {
		strings: (label: string) => label,
		valueLabel: (label: string) => ({ value: label, label }),
		idName: (label: string) => ({
			id: known.find((option) => option.name === label)?.id,
			name: label,
		}),
	};
	return {
		[fieldIdKey]: id,
		[nameKey]: name,
		...rest,
		options: (options as string[]).map(optionShapes[fieldOptions]),
		...(readOnlyKey !== 'none' && { [readOnlyKey]: String(name).endsWith('(computed)') }),
	};
}

const shapes: Record<Noun, typeof shownField> = {
	card: (card) => card,
	field: shownField,
	record: ({ created_at, data, ...rest }, variants, fields) => ({
		...rest,
		data: withNulls(data as Json, variants, fields),
		created_at: shownTime(created_at, variants),
	}),
	webhook: ({ webhook_id, ...rest }, { webhookIdKey }) => ({ [webhookIdKey]: webhook_id, ...rest }),
};

/** One object of the API in its shape, not yet wrapped. */
export const shownObject = (
	noun: Noun,
	shown: Json,
	variants: Variants,
	fields: readonly Field[],
) => decorated(shapes[noun](shown, variants, fields), variants);

/** A single object as a response: bare, or under a key. */
export function wrapped(noun: Noun, value: Json, { objects }: Variants): Json {
	return objects === 'bare' ? value : { [objects === 'data' ? 'data' : noun]: value };
}

/** A new subscription: its secret next to the object or in it. */
export function wrappedSubscription(made: Json, secret: unknown, variants: Variants): Json {
	if (variants.webhookSecret === 'top') return { ...wrapped('webhook', made, variants), secret };
	return { [variants.objects === 'data' ? 'data' : 'webhook']: { ...made, secret } };
}

/** A list of cards or fields as a response. */
export function shownList(noun: Noun, values: Json[], page: number, variants: Variants): unknown {
	const { lists, listPages } = variants;
	if (listPages === 'pages') {
		const shown = values.slice((page - 1) * listPageSize, page * listPageSize);
		const pages = Math.max(1, Math.ceil(values.length / listPageSize));
		return { [`${noun}s`]: shown, page, pages };
	}
	if (lists === 'bare') return values;
	return { [lists === 'named' ? `${noun}s` : lists]: values };
}

/** The bytes of a response, and the content type that belongs to them. */
export function sentBytes(
	json: string,
	type: string,
	{ longNumbers, charset }: Pick<Variants, 'longNumbers' | 'charset'>,
): { body: string | Buffer; type: string } {
	const text = longNumbers ? json.replace(/"(-?\d{16,})"/g, '$1') : json;
	if (charset === 'utf-8') return { body: text, type };
	const body = Buffer.from(text, charset === 'utf-16le' ? 'utf16le' : 'latin1');
	return { body, type: type.replace(/charset=[\w-]+|$/i, `charset=${charset.replace('le', '')}`) };
}
