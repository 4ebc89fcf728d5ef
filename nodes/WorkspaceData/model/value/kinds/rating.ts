/** Ratings: numbers from 0 to the most stars that the field tells. */
import { isObject } from '../../answer/shapes';
import { ANY_OF, EQUALITY, ORDER, unusable, type Kind, type Offer, type ValueField } from './kind';
import { enterNumber, readNumber } from './number';

/** Most entries of a list in the editor; a longer scale is typed. */
const MOST_OFFERED = 10;

/** The most stars, where the field's options tell. @see service interface, part 2: options are not shown */
function mostStars({ raw }: ValueField): number | undefined {
	const options = isObject(raw?.options) ? raw.options : {};
	const most = [options.max, options.maximum, raw?.max].find((value) => typeof value === 'number');
	return typeof most === 'number' && most > 0 ? most : undefined;
}

function stars(field: ValueField): Offer[] {
	const most = mostStars(field);
	if (most === undefined || most > MOST_OFFERED) return [];
	return Array.from({ length: Math.floor(most) }, (_, place) => ({
		name: String(place + 1),
		value: place + 1,
	}));
}

export const rating: Kind = {
	name: 'rating',
	types: ['rating', 'stars', 'starrating'],
	newTypes: [],
	read: readNumber,
	enter(entered, field, rules) {
		const number = enterNumber(entered, field, rules);
		const most = mostStars(field) ?? Infinity;
		if (typeof number !== 'number' || (number >= 0 && number <= most)) return number;
		throw unusable(field, entered);
	},
	accepts(field) {
		const most = mostStars(field);
		return `Enter a number ${most === undefined ? 'of 0 or more' : `from 0 to ${most}`}.`;
	},
	conditions: [...EQUALITY, ...ANY_OF, ...ORDER],
	input: {
		type: 'options',
		options: stars,
		canMatch: true,
		filterValues: (field) => stars(field).map(({ name }) => ({ name, value: name })),
	},
};
