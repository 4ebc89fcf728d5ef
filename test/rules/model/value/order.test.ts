/** In which order the values of a field come: examples; laws.test.ts has what holds for all. */
import { comparePlaces } from '../../../../nodes/WorkspaceData/actions/reading/sort';
import { placeOf } from '../../../../nodes/WorkspaceData/model/value/value';
import { field } from '../fields';
import { zone } from './zone';

const OPTIONS = ['Low', 'Mid', 'High'].map((name, place) => ({ id: `o${place}`, name }));

function sorted(type: string, stored: unknown[], isDescending = false) {
	const typed = field('F', type, type.endsWith('select') ? OPTIONS : []);
	return [...stored].sort((a, b) =>
		comparePlaces(typed, placeOf(typed, a, zone), placeOf(typed, b, zone), isDescending),
	);
}

test.each<[string, unknown[]]>([
	['text', ['apple', 'Banana', 'cherry', 'Émile', 'zebra', '', null]],
	['a type of the future', ['apple', 'Banana', 'cherry', null]],
	['number', [-1, 2, 10, '10.5', 'Zoo', 'apple', null]],
	['date', ['2025-12-31', '2026-01-01', 'Monday', 'someday']],
	['single_select', ['o0', 'o1', 'High', 'Zoo', 'apple', null]],
])('%s: %j, also where they came in another order', (type, order) => {
	const filled = order.filter((value) => value !== null && value !== '');
	const empty = order.slice(filled.length);
	expect(sorted(type, [...filled].reverse())).toEqual(filled);
	expect(sorted(type, [...empty, ...[...filled].reverse()])).toEqual(order);
});

test.each<[string, unknown[]]>([
	['text', ['zebra', 'Banana', 'apple', null]],
	['number', [10, 2, 'apple', 'Zoo', null]],
	['single_select', ['o2', 'o0', null]],
])(
	'%s from the last on: %j, values that are none of its kind and empty ones stay last',
	(type, order) => {
		expect(sorted(type, [...order].reverse(), true)).toEqual(order);
	},
);
