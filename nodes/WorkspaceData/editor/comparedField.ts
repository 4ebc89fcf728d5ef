/** The field that a filter condition compares, as the editor's calls for that condition know it. */
import type { ILoadOptionsFunctions } from 'n8n-workflow';
import type { Field } from '../model/answer/field';
import type { FieldKind } from '../model/value/fieldKind';
import { OWN_VALUES } from '../model/answer/record';
import { chosenCardFields } from './editorApi';

/** Kinds of fields whose values are days or points in time. */
export const DATE_KINDS: ReadonlySet<string> = new Set(['date', 'datetime']);

/** The field that a condition compares; a record's own properties have a kind and no field. */
export interface ComparedField {
	/** `unknown` also where nothing is chosen yet, by an expression, and for no field of the card. */
	kind: FieldKind;
	field?: Field;
}

/** Reads the parameter `field` of the condition that the editor asks for. */
export async function comparedField(context: ILoadOptionsFunctions): Promise<ComparedField> {
	const key = context.getCurrentNodeParameter('&field');
	if (typeof key !== 'string' || key === '' || key.startsWith('=')) return { kind: 'unknown' };
	if (OWN_VALUES.has(key)) return { kind: key === 'created_at' ? 'datetime' : 'text' };
	const [field, another] = (await chosenCardFields(context)).candidates(key);
	return field && !another ? { kind: field.kind, field } : { kind: 'unknown' };
}
