/** What n8n saves of a trigger. */
import {
	accepted,
	MAX_PREVIOUS,
	newer,
	NOTHING_SAVED,
	readSaved,
	type Saved,
	withSeals,
} from '../../../../nodes/WorkspaceData/model/subscription/saved';

const one = (id: string) => ({
	id,
	...{ sealed: `seal of ${id}`, targetUrl: 'https://n8n', baseUrl: 'https://data/api/v1' },
	workspaceId: 'w',
	cardId: null,
	since: 1,
});
const saved: Saved = {
	current: one('new'),
	previous: [{ ...one('old'), deleteAt: 9, fate: 'deleted' }],
	missed: { cardId: null, from: 3, upTo: 4 },
	version: 5,
	mark: 'm',
};
test('reads what it wrote', () => {
	expect(readSaved(JSON.stringify(saved))).toEqual(saved);
});

test('gives each subscription another seal', () => {
	const { current, previous } = withSeals(saved, (sealed) => `${sealed}, again`);
	const seals = [current, ...previous].map((one) => one?.sealed);
	expect(seals).toEqual(['seal of new, again', 'seal of old, again']);
});

const broken = ['{', '[]', '{"previous":5}', '{"current":{},"previous":[]}'];

test.each([undefined, null, '', ...broken, 5, {}])('takes %j for nothing', (text) =>
	expect(readSaved(text)).toEqual(NOTHING_SAVED),
);

test('of two copies the one with the higher version counts; ours, where both have the same', () => {
	const other = { ...saved, version: 6, mark: 'other' };
	expect(newer(saved, other)).toEqual(other);
	expect(newer(other, saved)).toEqual(other);
	expect(newer(saved, { ...other, version: 5 })).toEqual(saved);
});

test('deliveries of the current one count, and of the newest previous ones', () => {
	const previous = Array.from({ length: 9 }, (_, n) => ({ ...one(`p${n}`), deleteAt: 100 }));
	const ids = accepted({ ...saved, previous }, 50).map(({ id }) => id);
	expect(ids).toEqual(['new', 'p8', 'p7', 'p6', 'p5', 'p4']);
	expect(ids).toHaveLength(1 + MAX_PREVIOUS);
});

test.each<[string, Partial<Saved['previous'][number]>, boolean]>([
	['during its overlap', { deleteAt: 60 }, true],
	['deleted, during its overlap', { deleteAt: 60, fate: 'deleted' }, true],
	['deleted, and its overlap is over', { deleteAt: 40, fate: 'deleted' }, false],
	['still there after its overlap: it may be the only one that delivers', { deleteAt: 40 }, true],
	['of another address, after its overlap', { deleteAt: 40, targetUrl: 'https://other' }, false],
	['ended with the workflow', { deleteAt: 40, fate: 'ended' }, false],
])('a previous one %s', (_name, more, counts) => {
	const list = { ...saved, previous: [{ ...one('old'), deleteAt: 0, ...more }] };
	expect(accepted(list, 50).map(({ id }) => id)).toEqual(counts ? ['new', 'old'] : ['new']);
});
