/** What a variant makes of a request or an answer: pure functions over bodies. */
import type { Variants } from './variants.ts';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const texts: Record<Variants['storedTexts'], (text: string) => string> = {
	exact: (text) => text,
	lowerCase: (text) => text.toLowerCase(),
	trimmed: (text) => text.trim(),
	wholeSeconds: (text) => text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+/, '$1'),
};

/** The values of a record as they are stored. */
export const storedData = (data: Json, { storedTexts }: Variants): Json =>
	Object.fromEntries(
		Object.entries(data).map(([id, value]) => [
			id,
			typeof value === 'string' ? texts[storedTexts](value) : value,
		]),
	);

/** The body of a request as the service takes it. */
export function takenBody(body: unknown, variants: Variants): unknown {
	if (!isObject(body)) return body;
	const { data, name, type } = body;
	if (isObject(data)) return { ...body, data: storedData(data, variants) };
	const isField = type !== undefined && typeof name === 'string';
	if (!isField || variants.storedNames === 'exact') return body;
	return {
		...body,
		name: name
			.trim()
			.toLowerCase()
			.replace(/[^\p{L}\d]+/gu, '_'),
	};
}

/** A field as the listing shows it. */
export function shownField(field: Json, { nameKey, readOnlyKey }: Variants): Json {
	const isComputed = String(field.name).endsWith('(computed)');
	const named = Object.entries(field).map(([key, value]) => [
		key === 'name' ? nameKey : key,
		value,
	]);
	return {
		...(Object.fromEntries(named) as Json),
		...(readOnlyKey !== 'none' && { [readOnlyKey]: isComputed }),
	};
}

/** The time at which a record was created, as the listing shows it. */
export function shownTime(time: unknown, { createdAt }: Variants): unknown {
	if (createdAt === 'day') return String(time).slice(0, 10);
	if (createdAt === 'seconds') return Math.floor(Date.parse(String(time)) / 1_000);
	return createdAt === 'same' ? '2026-01-01T00:00:00.000Z' : time;
}

/** A list of cards or fields in pages of two. */
export function pageOfList(values: readonly unknown[], page: number) {
	const size = 2;
	const shown = values.slice((page - 1) * size, page * size);
	return { shown, page, pages: Math.max(1, Math.ceil(values.length / size)) };
}

/** The bytes of an answer, and the content type that goes with them. */
export function sentBytes(json: string, type: string, { longNumbers, charset }: Variants) {
	const text = longNumbers ? json.replace(/"(-?\d{16,})"/g, '$1') : json;
	if (charset === 'utf-8') return { body: text, type };
	const body = Buffer.from(text, charset === 'utf-16le' ? 'utf16le' : 'latin1');
	return { body, type: type.replace(/charset=[\w-]+|$/i, `charset=${charset.replace('le', '')}`) };
}
