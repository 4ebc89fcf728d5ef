import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repository } from '../host/folders.ts';
import type { Json, JsonObject } from '../host/n8nClient.ts';

/** A field of the card "Countries", and how a country's entry gives its value. */
interface Column {
	name: string;
	type: string;
	/** Whether the field offers a fixed choice: the options are the values that occur. */
	choice?: boolean;
	/** The expression a user would write in the mapper. */
	expression: string;
	/** The same without n8n. */
	value: (country: Country, index: number) => Json;
}

/** An entry of the package world-countries, as far as it is used. */
export interface Country {
	name: { common: string; official: string };
	cca3: string;
	/** ISO 3166-1 numeric: digits with leading zeros, so it is a text; Kosovo has none. */
	ccn3: string;
	/** Not said for every entry. */
	independent: boolean | null;
	unMember: boolean;
	landlocked: boolean;
	capital: string[];
	region: string;
	languages: Record<string, string>;
	currencies: Record<string, { name: string; symbol: string }>;
	latlng: [number, number];
	area: number;
	flag: string;
}

/** One country's review a day, from 1 January 2026 on. */
function reviewDay(index: number): string {
	return new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
}

/** The card's fields: each type of value, each kind of surprise (no capital, leading zeros, -1, emoji). */
export const columns: readonly Column[] = [
	{
		name: 'Name',
		type: 'text',
		expression: '={{ $json.name.common }}',
		value: (country) => country.name.common,
	},
	{
		name: 'Official Name',
		type: 'long_text',
		expression: '={{ $json.name.official }}',
		value: (country) => country.name.official,
	},
	{ name: 'Code', type: 'text', expression: '={{ $json.cca3 }}', value: (country) => country.cca3 },
	{
		name: 'Numeric Code',
		type: 'text',
		expression: '={{ $json.ccn3 }}',
		value: (country) => country.ccn3,
	},
	{
		name: 'Capital',
		type: 'text',
		expression: '={{ $json.capital[0] ?? null }}',
		value: (country) => country.capital[0] ?? null,
	},
	{
		name: 'Region',
		type: 'single_select',
		choice: true,
		expression: '={{ $json.region }}',
		value: (country) => country.region,
	},
	{
		name: 'Languages',
		type: 'multi_select',
		choice: true,
		expression: '={{ Object.values($json.languages) }}',
		value: (country) => Object.values(country.languages),
	},
	{
		name: 'Area (km²)',
		type: 'number',
		expression: '={{ $json.area }}',
		value: (country) => country.area,
	},
	{
		name: 'Latitude',
		type: 'number',
		expression: '={{ $json.latlng[0] }}',
		value: (country) => country.latlng[0],
	},
	{
		name: 'Longitude',
		type: 'number',
		expression: '={{ $json.latlng[1] }}',
		value: (country) => country.latlng[1],
	},
	{
		name: 'Landlocked',
		type: 'boolean',
		expression: '={{ $json.landlocked }}',
		value: (country) => country.landlocked,
	},
	{
		name: 'UN Member',
		type: 'boolean',
		expression: '={{ $json.unMember }}',
		value: (country) => country.unMember,
	},
	{
		name: 'Independent',
		type: 'boolean',
		expression: '={{ $json.independent }}',
		value: (country) => country.independent,
	},
	{
		name: 'Currencies',
		type: 'json',
		expression: '={{ $json.currencies }}',
		value: (country) => country.currencies,
	},
	{
		name: 'Map',
		type: 'url',
		expression: '=https://www.openstreetmap.org/#map=5/{{ $json.latlng[0] }}/{{ $json.latlng[1] }}',
		value: ({ latlng }) => `https://www.openstreetmap.org/#map=5/${latlng[0]}/${latlng[1]}`,
	},
	{ name: 'Flag', type: 'text', expression: '={{ $json.flag }}', value: (country) => country.flag },
	{
		name: 'Review Due',
		type: 'date',
		expression:
			"={{ DateTime.fromISO('2026-01-01').plus({ days: $itemIndex }).toFormat('yyyy-MM-dd') }}",
		value: (_country, index) => reviewDay(index),
	},
];

/** The 250 countries of the package world-countries. */
export async function readCountries(): Promise<Country[]> {
	const file = join(repository, 'node_modules', 'world-countries', 'countries.json');
	const all = JSON.parse(await readFile(file, 'utf8')) as Country[];
	return all.map((country) => ({
		name: { common: country.name.common, official: country.name.official },
		cca3: country.cca3,
		ccn3: country.ccn3,
		independent: country.independent,
		unMember: country.unMember,
		landlocked: country.landlocked,
		capital: country.capital,
		region: country.region,
		languages: country.languages,
		currencies: country.currencies,
		latlng: country.latlng,
		area: country.area,
		flag: country.flag,
	}));
}

/** The values that a country's record must hold, by field name. */
export function expectedFields(country: Country, index: number): JsonObject {
	return Object.fromEntries(columns.map(({ name, value }) => [name, value(country, index)]));
}

/** The definitions of the card's fields: name, type and, for choices, the options. */
export function fieldDefinitions(countries: readonly Country[]): JsonObject[] {
	return columns.map(({ name, type, choice, value }) => {
		if (!choice) return { name, type };
		const values = countries.flatMap((country, index) => value(country, index)) as string[];
		return { name, type, options: [...new Set(values)].sort() };
	});
}
