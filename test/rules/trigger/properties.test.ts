/** The trigger's parameters. Saved workflows do not contain defaults, so these may not change. */
import type { INodeProperties } from 'n8n-workflow';
import { EVENTS, triggerProperties } from '../../../nodes/WorkspaceData/trigger/properties';

const defaultsOf = (properties: INodeProperties[]) =>
	Object.fromEntries(properties.map(({ name, default: value }) => [name, value]));
const named = (wanted: string) => triggerProperties.find(({ name }) => name === wanted);

test('the parameters and options have the defaults that saved workflows rely on', () => {
	expect(defaultsOf(triggerProperties)).toEqual({
		...{ authentication: 'apiKey', events: ['record.created'] },
		...{ watch: 'allCards', cardId: { mode: 'list', value: '' }, simple: true, options: {} },
	});
	expect(defaultsOf(named('options')?.options as INodeProperties[])).toEqual({
		...{ fieldKeys: 'name', filters: {}, ignoreDuplicates: true },
		...{ matchType: 'allConditions', maxEventAge: 0, renewAfterSilence: 0 },
		watchFields: [],
	});
});

test('all events of the service can be chosen, and one must be', () => {
	expect(named('events')?.required).toBe(true);
	expect(Object.fromEntries(EVENTS)).toEqual({
		'card.created': 'Card Created',
		'card.updated': 'Card Updated',
		'collaborator.added': 'Collaborator Added',
		'record.created': 'Record Created',
		'record.deleted': 'Record Deleted',
		'record.updated': 'Record Updated',
	});
});
