/** What the workflow gets of an event. */
import { FieldIndex } from '../../../nodes/WorkspaceData/model/fieldIndex';
import { outputOf } from '../../../nodes/WorkspaceData/trigger/output';
import { eventOf } from '../../support/triggerSettings';
import { field } from '../model/fields';

test('values by name, by ID where a name is in doubt or unknown', () => {
	const twins = ['f2', 'f3'].map((id) => field('Twin', 'text', [], id));
	const index = new FieldIndex([field('Title', 'text', [], 'f1'), ...twins], 'c1');
	const event = eventOf('record.created', { f1: 'Emma', f2: 1, f3: null, gone: true });
	const settings = { isFlat: false, card: undefined, simple: true, fieldKeys: 'name' } as const;
	expect(outputOf(event, settings, index).fields).toEqual({
		Title: 'Emma',
		f2: 1,
		f3: null,
		gone: true,
	});
});
