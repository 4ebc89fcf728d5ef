/** What a run knows of records that it has written, whatever it listed before. */
import { createRecordStates } from '../../../nodes/WorkspaceData/actions/run/recordStates';
import type { DataRecord } from '../../../nodes/WorkspaceData/model/answer/record';

const listed: DataRecord = {
	id: 'r1',
	data: { a: 1, b: 1 },
	createdAt: 'x',
	raw: { id: 'r1', data: { a: 1, b: 1 }, owner: 'Ada' },
};
const changed = (sent: DataRecord['data'], data = sent) =>
	({ type: 'changed', record: { ...listed, data }, sent }) as const;
const changing = { type: 'changing', id: 'r1' } as const;

test('a record that was not written is as it was listed', () => {
	const states = createRecordStates();
	expect(states.current(listed)).toBe(listed);
	expect(states.isWritten('r1')).toBe(false);
	expect(states.isCertain('r1')).toBe(true);
});

test('a record has the values of all changes, in the service’s own object, too', () => {
	const states = createRecordStates();
	states.apply(changing);
	expect(states.isWritten('r1')).toBe(true);
	expect(states.isCertain('r1')).toBe(false);
	expect(states.current(listed)).toBe(listed);
	states.apply(changed({ a: 2, c: null }, { a: 3 }));
	expect(states.isCertain('r1')).toBe(true);
	states.apply(changing);
	states.apply(changed({ d: 4 }));
	const data = { a: 3, b: 1, c: null, d: 4 };
	expect(states.current(listed)).toEqual({ ...listed, data, raw: { ...listed.raw, data } });
	expect(states.current({ ...listed, id: 'r2' })).toEqual({ ...listed, id: 'r2' });
});

test('a deleted record is gone, until a change finds it again', () => {
	const states = createRecordStates();
	states.apply(changing);
	states.apply({ type: 'deleted', id: 'r1' });
	expect(states.current(listed)).toBe('deleted');
	expect(states.isCertain('r1')).toBe(true);
	states.apply(changing);
	states.apply(changed({ a: 2 }));
	expect(states.current(listed)).toMatchObject({ data: { a: 2, b: 1 } });
});

test('after a failure, or two writes at once, the values are in doubt until one write is alone', () => {
	const states = createRecordStates();
	states.apply(changing);
	states.apply({ type: 'failed', id: 'r1' });
	expect(states.isCertain('r1')).toBe(false);
	states.apply(changing);
	states.apply(changed({ a: 2 }));
	expect(states.isCertain('r1')).toBe(true);
	states.apply(changing);
	states.apply(changing);
	states.apply(changed({ a: 3 }));
	expect(states.isCertain('r1')).toBe(false);
	states.apply(changed({ a: 4 }));
	expect(states.isCertain('r1')).toBe(false);
	states.apply(changing);
	states.apply(changed({ a: 5 }));
	expect(states.isCertain('r1')).toBe(true);
});

test('a write that was refused changes nothing, and makes nothing certain', () => {
	const states = createRecordStates();
	const refused = { type: 'refused', id: 'r1' } as const;
	states.apply(changing);
	states.apply(refused);
	expect(states.isCertain('r1')).toBe(true);
	states.apply(changing);
	states.apply({ type: 'failed', id: 'r1' });
	states.apply(changing);
	states.apply(refused);
	expect(states.isCertain('r1')).toBe(false);
});

test('each step of a write is seen', () => {
	const states = createRecordStates();
	expect(states.stepsOf('r1')).toBe(0);
	const seen = [changing, changed({ a: 2 }), changing, { type: 'failed', id: 'r1' } as const].map(
		(event) => {
			states.apply(event);
			return states.stepsOf('r1');
		},
	);
	expect(new Set([0, ...seen]).size).toBe(5);
});

test('a report about a record that was never being written changes nothing', () => {
	const states = createRecordStates();
	states.apply({ type: 'deleted', id: 'r1' });
	states.apply(changed({ a: 2 }));
	states.apply({ type: 'maybeCreated', sent: {} });
	expect(states.current(listed)).toBe(listed);
	expect(states.isWritten('r1')).toBe(false);
});
