import fc from 'fast-check';
import {
	compareValues,
	isEmpty,
	sameness,
} from '../../../../nodes/WorkspaceData/model/value/comparison';
import { conditionTest } from '../../../../nodes/WorkspaceData/model/value/condition';
import { field } from '../fields';

const OPTIONS = [
	{ id: 'o1', name: 'Open' },
	{ id: 'o2', name: 'In Work' },
	{ id: 'o3', name: 'Done' },
];
/** Two hours east of Greenwich. */
const toUtc = (local: string) => {
	const time = Date.parse(`${local.includes('T') ? local : `${local}T00:00`}+02:00`);
	return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};
const typed = (type: string) => field('F', type, type.endsWith('select') ? OPTIONS : []);

test.each<[string, unknown, unknown, boolean]>([
	['number', 10, '10.00', true],
	['number', 10, '1e1', true],
	['number', 0, -0, true],
	['number', 10, 'ten', false],
	['number', '12345678901234567890', '12345678901234567891', false],
	['number', 0.1 + 0.2, '0.30000000000000004', true],
	['boolean', true, 'TRUE', true],
	['boolean', false, 0, true],
	['boolean', true, false, false],
	['date', '2026-03-31', '2026-03-31T22:00:00Z', true],
	['date', '2026-03-31', '2026-04-01', false],
	['datetime', '2026-03-31T10:00:00Z', '2026-03-31T12:00:00+02:00', true],
	['datetime', '2026-03-31T10:00:00', '2026-03-31T10:00:00.000Z', true],
	['single_select', 'o1', 'Open', true],
	['single_select', 'OPEN', 'Open', true],
	['single_select', 'o1', 'Done', false],
	['single_select', 'removed', 'removed', true],
	['multi_select', ['o1', 'Done'], ['done', 'open'], true],
	['multi_select', ['o1'], ['o1', 'o2'], false],
	['text', 10, '10', true],
	['text', '10', '10.00', false],
	['text', 'a', 'A', false],
	['json', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
	['text', null, '', true],
	['text', [], undefined, true],
])('%s: %j and %j are the same value: %s (D14)', (type, a, b, same) => {
	expect(sameness(typed(type), a) === sameness(typed(type), b)).toBe(same);
});

/** Values of a type, each with spellings of it that mean the same. */
const day = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
const iso = (date: Date) => date.toISOString();
const SPELLED: Record<string, fc.Arbitrary<{ plain: number | string; spellings: unknown[] }>> = {
	number: fc
		.integer({ min: -10_000, max: 10_000 })
		.map((cents) => cents / 100)
		.map((number) => ({
			plain: number,
			spellings: [number, String(number), number.toFixed(2), ` ${number.toFixed(4)} `],
		})),
	boolean: fc.boolean().map((is) => ({
		plain: Number(is),
		spellings: [is, String(is), String(is).toUpperCase(), Number(is)],
	})),
	date: day.map((date) => ({
		plain: iso(date).slice(0, 10),
		spellings: [iso(date).slice(0, 10), `${iso(date).slice(0, 10)}T23:59:59+02:00`],
	})),
	datetime: day.map((date) => ({
		plain: date.getTime(),
		spellings: [iso(date), iso(new Date(date.getTime() + 7_200_000)).replace('Z', '+02:00')],
	})),
	single_select: fc.nat({ max: 2 }).map((place) => {
		const { id = '', name = '' } = OPTIONS[place] ?? {};
		return { plain: place, spellings: [id, name, name.toUpperCase(), ` ${name} `] };
	}),
	text: fc.string({ minLength: 1 }).map((text) => ({ plain: text, spellings: [text] })),
};

/** How two plain values are ordered: the reference that the product is compared with. */
const plainOrder = (a: number | string, b: number | string) => (a === b ? 0 : a < b ? -1 : 1);
const HOLDS: Record<string, (order: number) => boolean> = {
	equals: (order) => order === 0,
	notEquals: (order) => order !== 0,
	greaterThan: (order) => order > 0,
	greaterOrEqual: (order) => order >= 0,
	lessThan: (order) => order < 0,
	lessOrEqual: (order) => order <= 0,
};

const pairOf = (type: string) => {
	const spelled = (SPELLED[type] ?? fc.constant({ plain: '', spellings: [''] })).chain(
		({ plain, spellings }) =>
			fc.constantFrom(...spellings).map((spelling) => ({ plain, spelling })),
	);
	// Now and then the same value in two spellings.
	return fc.oneof(
		fc.tuple(spelled, spelled),
		(SPELLED[type] ?? fc.constant({ plain: '', spellings: [''] })).chain(({ plain, spellings }) =>
			fc.tuple(fc.constantFrom(...spellings), fc.constantFrom(...spellings)).map(
				([a, b]) =>
					[
						{ plain, spelling: a },
						{ plain, spelling: b },
					] as const,
			),
		),
	);
};

describe.each(Object.keys(SPELLED))('values of type %s, in any spelling', (type) => {
	test('are the same, ordered and filtered as the plain values are (D12, D13, D14)', () => {
		fc.assert(
			fc.property(pairOf(type), ([a, b]) => {
				const order = plainOrder(a.plain, b.plain);
				const of = typed(type);
				expect(sameness(of, a.spelling) === sameness(of, b.spelling)).toBe(order === 0);
				expect(Math.sign(compareValues(of, a.spelling, b.spelling) ?? NaN)).toBe(order);
				if (type === 'text') return;
				for (const [condition, holds] of Object.entries(HOLDS)) {
					const test = conditionTest(condition, b.spelling, of, toUtc);
					expect([condition, test(a.spelling)]).toEqual([condition, holds(order)]);
				}
			}),
		);
	});
});

test('sameness is an equivalence for any values: it never throws, and tells the empty from the rest', () => {
	fc.assert(
		fc.property(
			fc.constantFrom('text', 'number', 'date', 'datetime', 'multi_select', 'json', 'new'),
			fc.jsonValue(),
			(type, value) => {
				expect(sameness(typed(type), value)).toBe(sameness(typed(type), structuredClone(value)));
				expect(sameness(typed(type), value) === '').toBe(isEmpty(value));
			},
		),
	);
});
