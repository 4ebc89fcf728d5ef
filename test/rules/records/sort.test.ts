/** Sorting by the values of fields. */
import fc from 'fast-check';
import { OWN_VALUES } from '../../../nodes/WorkspaceData/records/ownValues';
import { sortInSlices, sortRecords, type Order } from '../../../nodes/WorkspaceData/records/sort';
import type { DataRecord } from '../../../nodes/WorkspaceData/transport/api';
import { cases } from '../../support/cases';
import { field } from './fields';
import { zone } from '../values/zone';

type Direction = Order['direction'];
type OrderField = Pick<Order, 'field' | 'direction'>;
const run = { zone, async breathe() {} };

const CHOICES = ['Low', 'Normal', 'High'];
/** How a service may call the type of each kind. */
const TYPES = {
	...{ number: 'number', text: 'text', date: 'date', datetime: 'datetime', boolean: 'boolean' },
	...{ choice: 'select', choices: 'multi_select', json: 'json', unknown: 'a type of the future' },
} as const;
type FieldKind = keyof typeof TYPES;
const orderBy = (kind: FieldKind, direction: Direction = 'asc'): OrderField => ({
	field: field('F', TYPES[kind], /^choice/.test(kind) ? CHOICES : []),
	direction,
});

/** Sorts rows by their values, one for each order. */
async function sorted<Row extends readonly unknown[]>(
	orders: OrderField[],
	rows: readonly Row[],
): Promise<Row[]> {
	const records = rows.map((row, place) => ({ id: String(place), data: { ...row } }) as DataRecord);
	const reading = orders.map(
		(order, column): Order => ({
			...order,
			read: ({ data }) => data[column],
		}),
	);
	const inOrder = await sortRecords(run, records, reading);
	return inOrder.flatMap(({ id }) => rows.slice(Number(id), Number(id) + 1));
}
const column = async (order: OrderField, values: readonly unknown[]) =>
	(
		await sorted(
			[order],
			values.map((value) => [value]),
		)
	).map(([value]) => value);

const [ten, before] = ['2026-01-01T10:00:00Z', '2026-01-01T10:30:00+02:00'];
test.each<[FieldKind, unknown[], unknown[]]>([
	['text', ['b', 'A', 'ä', 'a', 'Z'], ['a', 'A', 'ä', 'b', 'Z']],
	['datetime', [ten, before], [before, ten]],
	['choice', ['High', 'Low', 'Normal'], ['Low', 'Normal', 'High']],
	['boolean', [true, 'false'], ['false', true]],
	['date', ['2026-02-10', '2026-01-31'], ['2026-01-31', '2026-02-10']],
	['choices', [['High'], ['High', 'Low'], ['Low']], [['Low'], ['High', 'Low'], ['High']]],
	['unknown', ['b', 10, 9, 'a'], [9, 10, 'a', 'b']],
	['number', [2, 'many', 1, { a: 1 }], [1, 2, 'many', { a: 1 }]],
])('%s: %j come as %j', async (kind, values, expected) => {
	expect(await column(orderBy(kind), values)).toEqual(expected);
});

test('empty values come last, others of no use before them, in both directions', async () => {
	const values = [null, 2, '', 'x', undefined, 1, []];
	const last = ['x', null, '', undefined, []];
	expect(await column(orderBy('number', 'asc'), values)).toEqual([1, 2, ...last]);
	expect(await column(orderBy('number', 'desc'), values)).toEqual([2, 1, ...last]);
});

test('identifiers are sorted character by character', async () => {
	const own = OWN_VALUES.get('id')?.field ?? field('F');
	const order = { field: own, direction: 'asc' } as const;
	expect(await column(order, ['rec_a', 'rec_B', 'rec_1'])).toEqual(['rec_1', 'rec_B', 'rec_a']);
});

test('where one order leaves two records equal, the next decides; else they stay as they came', async () => {
	const rows = ['b1 first', 'a1', 'a2', 'b2', 'b1 then'].map((row) => [row[0], row[1], row]);
	const found = await sorted([orderBy('text'), orderBy('number', 'desc')], rows);
	expect(found.map((row) => row[2])).toEqual(['a2', 'a1', 'b2', 'b1 first', 'b1 then']);
});

test('sorting in steps is the stable sort of JavaScript, for any number of entries', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 5_000, size: 'max' }),
			async (numbers) => {
				const entries = numbers.map((number, place) => ({ number, place }));
				const compare = (a: { number: number }, b: { number: number }) => a.number - b.number;
				expect(await sortInSlices(run, entries, compare)).toEqual([...entries].sort(compare));
			},
		),
		cases(20),
	);
});
