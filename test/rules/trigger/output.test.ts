/** What the workflow gets of an event. */
import { FieldIndex } from '../../../nodes/WorkspaceData/model/fieldIndex';
import { outputOf } from '../../../nodes/WorkspaceData/trigger/output';
import { eventOf } from '../../support/triggerSettings';
import { field } from '../model/fields';

const index = new FieldIndex(
	[
		field('Title', 'text', [], 'f1'),
		field('Twin', 'text', [], 'f2'),
		field('Twin', 'text', [], 'f3'),
	],
	'c1',
);
const data = { f1: 'Emma', f2: 1, f3: null, gone: true };
const body = {
	event: 'record.created',
	record_id: 'r1',
	data,
	error: 'would steer n8n',
	fields: 'would take a place',
	delivery_key: 'forged',
	who: { name: 'Ada' },
};
const event = eventOf('record.created', data, { body });
const rest = { event: 'record.created', record_id: 'r1', who: { name: 'Ada' } };

const nested = { isFlat: false, card: undefined };

test('simplified: values by name, by ID where a name is in doubt or unknown; nothing that steers n8n', () => {
	expect(outputOf(event, { ...nested, simple: true, fieldKeys: 'name' }, index)).toEqual({
		...rest,
		fields: { Title: 'Emma', f2: 1, f3: null, gone: true },
		delivery_key: 'k1',
	});
});

test.each([
	['where IDs are wanted', 'id', index],
	['where no names can be had', 'name', undefined],
] as const)('values by ID %s', (_, fieldKeys, fields) => {
	expect(outputOf(event, { ...nested, simple: true, fieldKeys }, fields)).toEqual({
		...rest,
		fields: data,
		delivery_key: 'k1',
	});
});

test('an event without values has no fields', () => {
	const deleted = eventOf('record.deleted', undefined);
	expect(outputOf(deleted, { ...nested, simple: true, fieldKeys: 'name' }, index)).toEqual({
		event: 'record.deleted',
		delivery_key: 'k1',
	});
});

test('not simplified: the body as it came', () => {
	expect(outputOf(event, { ...nested, simple: false, fieldKeys: 'name' }, index)).toEqual(body);
});
