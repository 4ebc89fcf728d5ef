/** The field that a filter condition compares, as the editor's calls for that condition know it. */
import type { ILoadOptionsFunctions } from 'n8n-workflow';
import type { Field } from '../model/field';
import { OWN_VALUES } from '../model/record';
import { chosenCardFields } from './editorApi';

/** Field types whose values are days or points in time. */
export const DATE_TYPES: ReadonlySet<string> = new Set(['date', 'datetime']);

/** What is known of it; a record's own properties have a type and no field. */
export interface ComparedField {
	/** Empty where it is not known: nothing chosen yet, an expression, or no field of the card. */
	type: string;
	field?: Field;
}

/** Reads the parameter `field` of the condition that the editor asks for. */
export async function comparedField(context: ILoadOptionsFunctions): Promise<ComparedField> {
	const key = context.getCurrentNodeParameter('&field');
	if (typeof key !== 'string' || key === '' || key.startsWith('=')) return { type: '' };
	if (OWN_VALUES.has(key)) return { type: key === 'created_at' ? 'datetime' : 'text' };
	const [field, another] = (await chosenCardFields(context)).candidates(key);
	return field && !another ? { type: field.type, field } : { type: '' };
}
