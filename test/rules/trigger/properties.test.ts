/** What the editor shows of the trigger's parameters. Saved workflows do not contain defaults, so these may not change. */
import type { INodeProperties } from 'n8n-workflow';
import { triggerProperties } from '../../../nodes/WorkspaceData/trigger/properties';

const named = (properties: INodeProperties[], name: string): INodeProperties => {
	const found = properties.find((one) => one.name === name);
	if (!found) throw new Error(`There is no parameter ${name}`);
	return found;
};
const options = named(triggerProperties, 'options').options as INodeProperties[];
const values = (property: INodeProperties) =>
	property.options?.map((one) => ('value' in one ? one.value : undefined));

test('the parameters have the defaults that saved workflows rely on', () => {
	const defaults = triggerProperties.map(({ name, default: value }) => [name, value]);
	expect(Object.fromEntries(defaults)).toEqual({
		authentication: 'apiKey',
		addressNotice: '',
		events: ['record.created'],
		watch: 'allCards',
		cardId: { mode: 'list', value: '' },
		simple: true,
		options: {},
	});
});

test('so have the options', () => {
	const defaults = options.map(({ name, default: value }) => [name, value]);
	expect(Object.fromEntries(defaults)).toEqual({
		catchUp: false,
		fieldKeys: 'name',
		filters: {},
		ignoreDuplicates: true,
		matchType: 'allConditions',
		maxEventAge: 0,
		overlap: 15,
		renewAfterSilence: 24,
		watchFields: [],
	});
});

test('all events of the service can be chosen, and one must be', () => {
	const events = named(triggerProperties, 'events');
	expect(events.required).toBe(true);
	expect(values(events)).toEqual([
		'card.created',
		'card.updated',
		'collaborator.added',
		'record.created',
		'record.deleted',
		'record.updated',
	]);
});
