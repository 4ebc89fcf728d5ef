/** The field that a filter condition compares, as the editor's calls for that condition know it. */
import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { OWN_VALUES } from '../model/answer/record';
import type { ValueField } from '../model/value/kinds/kind';
import { chosenCardFields } from './editorApi';

/**
 * Reads the parameter `field` of the condition that the editor asks for.
 *
 * @returns a field of the card or a record's own property; undefined where nothing is chosen yet, by an expression, and
 * for no field of the card
 */
export async function comparedField(
	context: ILoadOptionsFunctions,
): Promise<ValueField | undefined> {
	const key = context.getCurrentNodeParameter('&field');
	if (typeof key !== 'string' || key === '' || key.startsWith('=')) return undefined;
	const own = OWN_VALUES.get(key);
	if (own) return own.field;
	const [field, another] = (await chosenCardFields(context)).candidates(key);
	return another ? undefined : field;
}
