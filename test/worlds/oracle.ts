/**
 * What values mean, written from the contract and not from the nodes: which value a field gets, which two values are
 * the same, and which records meet a condition. Where the contract is silent the answer is open.
 */
import type { ConditionShape, Value } from './shapes';
import type { LiveField } from './simulatedService';

export type Verdict = 'yes' | 'no' | 'open';

/** What is stored for an entered value; or that it is refused, or may be either. */
export type Meaning = { stored: unknown } | 'refused' | 'open';

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || value === '';

/** The choices that an entered value means. */
function choicesFor({ choices = [] }: LiveField, entered: unknown): Array<string | number> {
	const found = choices.filter(
		({ label, identifier }) =>
			identifier === entered || (typeof entered === 'string' && label === entered),
	);
	return [...new Set(found.map(({ label, identifier = label }) => identifier))];
}

/** The value that a field gets for an entered value. */
export function meaning(field: LiveField, entered: Value): Meaning {
	if (entered === null) return { stored: null };
	if (entered === '') return 'open';
	switch (field.kind) {
		case 'text':
			return { stored: String(entered) };
		case 'number':
			if (typeof entered === 'number') return { stored: entered };
			if (typeof entered === 'string' && PLAIN_NUMBER.test(entered))
				return { stored: Number(entered) };
			return 'open';
		case 'boolean':
			if (typeof entered === 'boolean') return { stored: entered };
			return entered === 'true' || entered === 'false' ? { stored: entered === 'true' } : 'open';
		case 'date':
			return typeof entered === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(entered)
				? { stored: entered }
				: 'open';
		case 'choice': {
			const [only, ...others] = choicesFor(field, entered);
			if (only === undefined) return 'open';
			return others.length > 0 ? 'refused' : { stored: only };
		}
		case 'unknown':
			return { stored: entered };
	}
}

/** Whether a stored value is the meant value. */
export function isStored(field: LiveField, stored: unknown, meant: unknown): boolean {
	if (isEmpty(stored) && isEmpty(meant)) return true;
	return field.kind === 'unknown' && !isEmpty(stored)
		? String(stored) === String(meant)
		: stored === meant;
}

/** Whether two stored values are the same. Empty ones identify nothing. */
export function isSame(field: LiveField, a: unknown, b: unknown): Verdict {
	if (isEmpty(a) || isEmpty(b)) return 'no';
	return isStored(field, a, b) ? 'yes' : 'no';
}

const ordered: Partial<Record<ConditionShape['condition'], (order: number) => boolean>> = {
	greaterThan: (order) => order > 0,
	greaterOrEqual: (order) => order >= 0,
	lessThan: (order) => order < 0,
	lessOrEqual: (order) => order <= 0,
};

const not = (verdict: Verdict): Verdict =>
	verdict === 'open' ? 'open' : verdict === 'yes' ? 'no' : 'yes';
const truth = (is: boolean): Verdict => (is ? 'yes' : 'no');

function equals(field: LiveField, stored: unknown, operand: Value): Verdict | 'refused' {
	if (isEmpty(operand)) return 'refused';
	const meant = meaning(field, operand);
	if (meant === 'refused') return 'refused';
	// No value of the field, as far as the contract tells; but certainly none of another choice.
	if (meant === 'open')
		return field.kind === 'choice' ? choiceByDigits(field, stored, operand) : 'open';
	return isEmpty(stored) ? 'no' : truth(isStored(field, stored, meant.stored));
}

/** A text or number that means no choice may still mean the choice whose identifier has its digits. */
function choiceByDigits(field: LiveField, stored: unknown, operand: Value): Verdict {
	if (isEmpty(stored)) return 'no';
	const spelled = (field.choices ?? []).filter(({ label, identifier = label }) =>
		[label, String(identifier)].some(
			(text) => text.toLowerCase() === String(operand).toLowerCase(),
		),
	);
	return spelled.some(({ label, identifier = label }) => identifier === stored) ? 'open' : 'no';
}

function order(field: LiveField, stored: unknown, operand: Value): number | 'none' | 'open' {
	if (isEmpty(stored)) return 'none';
	const isNumeric = typeof operand === 'number' || PLAIN_NUMBER.test(String(operand));
	if (field.kind === 'number') {
		if (!isNumeric) return 'open';
		return typeof stored === 'number' ? stored - Number(operand) : 'open';
	}
	if (field.kind === 'text' && isNumeric) {
		if (PLAIN_NUMBER.test(String(stored))) return Number(stored) - Number(operand);
		return /\d/.test(String(stored)) ? 'open' : 'none';
	}
	if (field.kind === 'date' && typeof operand === 'string' && typeof stored === 'string') {
		if (!/^\d{4}-\d{2}-\d{2}$/.test(operand)) return 'open';
		return stored === operand ? 0 : stored < operand ? -1 : 1;
	}
	return 'open';
}

/** Whether a stored value meets a condition; `refused` where nothing may be done by it. */
export function meets(
	field: LiveField,
	stored: unknown,
	{ condition, operand }: ConditionShape,
): Verdict | 'refused' {
	switch (condition) {
		case 'isEmpty':
			return truth(isEmpty(stored));
		case 'isNotEmpty':
			return truth(!isEmpty(stored));
		case 'equals':
			return equals(field, stored, operand);
		case 'notEquals': {
			const equal = equals(field, stored, operand);
			if (equal === 'refused') return equal;
			return isEmpty(stored) ? 'open' : not(equal);
		}
		case 'contains':
			if (isEmpty(operand)) return 'refused';
			if (field.kind !== 'text' || isEmpty(stored)) return isEmpty(stored) ? 'no' : 'open';
			return truth(String(stored).toLowerCase().includes(String(operand).toLowerCase()));
		default: {
			if (isEmpty(operand)) return 'refused';
			const found = order(field, stored, operand);
			if (found === 'open') return 'open';
			return truth(found !== 'none' && (ordered[condition]?.(found) ?? false));
		}
	}
}

/** Several conditions together. */
export function combined(verdicts: Array<Verdict | 'refused'>, any: boolean): Verdict | 'refused' {
	if (verdicts.includes('refused')) return 'refused';
	const [decides, otherwise] = any ? (['yes', 'no'] as const) : (['no', 'yes'] as const);
	if (verdicts.includes(decides)) return decides;
	return verdicts.includes('open') ? 'open' : otherwise;
}
