/** Text, compared exactly. Numbers, true and false in a text field equal their JSON text. */
import { jsonForm, textOf } from '../json';
import { ANY_OF, ENDS, EQUALITY, PARTS, type Kind } from '../kind';

export const text: Kind = {
	types: ['text', 'string', 'shorttext'],
	narrowTypes: ['longtext', 'textarea', 'richtext', 'email', 'url', 'phone'],
	isText: true,
	read: (stored) => (typeof stored === 'object' ? undefined : textOf(stored)),
	enter: (entered, { isNew }) =>
		isNew || typeof jsonForm(entered) !== 'object' ? textOf(entered) : undefined,
	accepts: () => 'Enter text.',
	conditions: [...EQUALITY, ...ANY_OF, ...PARTS, ...ENDS],
	input: { type: 'string', canMatch: true },
};
