import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repository } from '../test/host/folders.ts';
import type { Json, JsonObject } from '../test/host/n8nClient.ts';

/** A column of the countries, and how a country's entry gives its value. */
interface Column {
	name: string;
	/** The type that its field must get. */
	type: string;
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

/** The columns: each type of value, each kind of surprise (no capital, leading zeros, -1, emoji). */
export const columns: readonly Column[] = [
	{
		name: 'Name',
		type: 'text',
		value: (country) => country.name.common,
	},
	{
		name: 'Official Name',
		type: 'text',
		value: (country) => country.name.official,
	},
	{ name: 'Code', type: 'text', value: (country) => country.cca3 },
	{
		name: 'Numeric Code',
		type: 'text',
		value: (country) => country.ccn3,
	},
	{
		name: 'Capital',
		type: 'text',
		value: (country) => country.capital[0] ?? null,
	},
	{
		name: 'Region',
		type: 'text',
		value: (country) => country.region,
	},
	{
		name: 'Languages',
		// Too many different ones for choices.
		type: 'json',
		value: (country) => Object.values(country.languages),
	},
	{
		name: 'Area (km²)',
		type: 'number',
		value: (country) => country.area,
	},
	{
		name: 'Latitude',
		type: 'number',
		value: (country) => country.latlng[0],
	},
	{
		name: 'Longitude',
		type: 'number',
		value: (country) => country.latlng[1],
	},
	{
		name: 'Landlocked',
		type: 'boolean',
		value: (country) => country.landlocked,
	},
	{
		name: 'UN Member',
		type: 'boolean',
		value: (country) => country.unMember,
	},
	{
		name: 'Independent',
		type: 'boolean',
		value: (country) => country.independent,
	},
	{
		name: 'Currencies',
		type: 'json',
		value: (country) => country.currencies,
	},
	{
		name: 'Map',
		type: 'text',
		value: ({ latlng }) => `https://www.openstreetmap.org/#map=5/${latlng[0]}/${latlng[1]}`,
	},
	{ name: 'Flag', type: 'text', value: (country) => country.flag },
	{
		name: 'Review Due',
		type: 'date',
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

/** A country's row: the values that go into the card, and that its record must hold. */
export function rowOf(country: Country, index: number): JsonObject {
	return Object.fromEntries(columns.map(({ name, value }) => [name, value(country, index)]));
}
