/**
 * What values mean, written from the contract and not from the nodes: which value a field gets, which two values are
 * the same, and which records meet a condition. Where the contract is silent the verdict is open.
 */
import { REFUSED, type ConditionShape, type Value } from './world';
import type { LiveField } from './service';

export type Verdict = 'yes' | 'no' | 'open';

/** What is stored for an entered value; or that it is refused, or may be either. */
export type Meaning = { stored: unknown } | 'refused' | 'open';

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** The value that a field gets for an entered value. */
export function meaning({ kind, choices = [] }: LiveField, entered: Value): Meaning {
	if (entered === null) return { stored: null };
	if (JSON.stringify(entered) === JSON.stringify(REFUSED[kind])) return 'refused';
	switch (kind) {
		case 'text':
			return { stored: String(entered) };
		case 'number':
			if (typeof entered === 'number') return { stored: entered };
			return PLAIN_NUMBER.test(String(entered)) ? { stored: Number(entered) } : 'open';
		case 'choice': {
			const found = new Set<unknown>();
			for (const { label, value = label } of choices) {
				if (value === entered || (typeof entered === 'string' && label === entered))
					found.add(value);
			}
			if (found.size > 1) return 'refused';
			return found.size === 1 ? { stored: [...found][0] } : 'open';
		}
		default:
			// Booleans, days and what other fields hold come as they are.
			return { stored: entered };
	}
}

/** Whether a stored value is the meant value. */
export function isStored({ kind }: LiveField, stored: unknown, meant: unknown): boolean {
	if (isEmpty(stored) || isEmpty(meant)) return isEmpty(stored) && isEmpty(meant);
	return kind === 'unknown' ? String(stored) === String(meant) : stored === meant;
}

/** Whether two stored values are the same. Empty ones identify nothing. */
export const isSame = (field: LiveField, a: unknown, b: unknown): boolean =>
	!isEmpty(a) && isStored(field, a, b);

const ordered: Partial<Record<ConditionShape['condition'], (order: number) => boolean>> = {
	greaterThan: (order) => order > 0,
	greaterOrEqual: (order) => order >= 0,
	lessThan: (order) => order < 0,
	lessOrEqual: (order) => order <= 0,
};

const truth = (is: boolean): Verdict => (is ? 'yes' : 'no');

function order({ kind }: LiveField, stored: unknown, operand: Value): number | 'none' | 'open' {
	if (isEmpty(stored)) return 'none';
	const isNumeric = typeof operand === 'number' || PLAIN_NUMBER.test(String(operand));
	if (kind === 'number' && isNumeric) return Number(stored) - Number(operand);
	if (kind === 'text' && isNumeric) {
		if (PLAIN_NUMBER.test(String(stored))) return Number(stored) - Number(operand);
		return /\d/.test(String(stored)) ? 'open' : 'none';
	}
	if (kind === 'date') return stored === operand ? 0 : String(stored) < String(operand) ? -1 : 1;
	return 'open';
}

/** Whether a stored value meets a condition; `refused` if nothing may be done by it. */
export function meets(
	field: LiveField,
	stored: unknown,
	{ condition, operand }: ConditionShape,
): Verdict | 'refused' {
	if (condition === 'isEmpty') return truth(isEmpty(stored));
	if (condition === 'isNotEmpty') return truth(!isEmpty(stored));
	const meant = meaning(field, operand);
	if (isEmpty(operand)) return 'refused';
	switch (condition) {
		case 'equals':
		case 'notEquals': {
			if (meant === 'refused' || meant === 'open') return meant;
			if (isEmpty(stored)) return condition === 'equals' ? 'no' : 'open';
			return truth(isStored(field, stored, meant.stored) === (condition === 'equals'));
		}
		case 'contains':
			if (isEmpty(stored)) return 'no';
			if (field.kind !== 'text') return 'open';
			return truth(String(stored).toLowerCase().includes(String(operand).toLowerCase()));
		default: {
			const found = order(field, stored, operand);
			if (found === 'open') return 'open';
			return truth(found !== 'none' && (ordered[condition]?.(found) ?? false));
		}
	}
}

/** Several conditions together. */
export function combined(
	verdicts: Array<Verdict | 'refused'>,
	isAny: boolean,
): Verdict | 'refused' {
	if (verdicts.includes('refused')) return 'refused';
	const [decides, otherwise] = isAny ? (['yes', 'no'] as const) : (['no', 'yes'] as const);
	if (verdicts.includes(decides)) return decides;
	return verdicts.includes('open') ? 'open' : otherwise;
}
