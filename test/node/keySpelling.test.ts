/** A service that keeps keys in another spelling: never a second record, and never a deletion that follows from it (O3). */
import type { IDataObject } from 'n8n-workflow';
import { mapAutomatically } from '../support/parameters';
import { recordRuns } from '../support/recordRuns';
import { type TestCard, type TestWorkspace, useCard } from '../support/workspace';

let workspace: TestWorkspace;
let card: TestCard;
useCard(
	'People',
	[
		{ name: 'Mail', type: 'text' },
		{ name: 'At', type: 'datetime' },
		{ name: 'Amount', type: 'number' },
	],
	(made) => ({ workspace, card } = made),
);

const { run } = recordRuns(() => ({ workspace, card }));
const upsert = async (field: string, ...values: string[]) =>
	await run(
		'upsert',
		{ columns: mapAutomatically([field]) },
		values.map((value, Amount) => ({ [field]: value, Amount })),
	);
const sync = async (field: string, ...values: string[]) =>
	await run(
		'sync',
		{ columns: mapAutomatically([field]), missingRecords: 'delete', maxDeletions: 100 },
		values.map((value) => ({ [field]: value })),
	);
const rows = async (): Promise<IDataObject[]> =>
	(await workspace.rows(card.id)) as unknown as IDataObject[];
const ids = async () =>
	(await run('getAll', { returnAll: true })).json.map(({ id }) => id as string);
const hintsOf = ({ run: { data } }: Awaited<ReturnType<typeof run>>) =>
	JSON.stringify(data.resultData.runData['Workspace Data']?.[0]?.hints ?? []);

describe.each([
	['lowerCase', 'Mail', 'Ann@X.Y', 'ann@x.y'],
	['trimmed', 'Mail', ' ann@x.y', 'ann@x.y'],
	['wholeSeconds', 'At', '2026-03-31T10:00:00.123Z', '2026-03-31T10:00:00Z'],
] as const)('a service that stores texts as %s', (storedTexts, field, sent, kept) => {
	beforeEach(() => void workspace.service.control.setVariants({ storedTexts }));

	test('one record, however often its key is upserted (O3)', async () => {
		const first = await upsert(field, sent);
		expect(first.json[0]?.action).toBe('created');
		for (const [text] of [[sent], [kept]]) expect(hintsOf(first)).toContain(text);
		const again = [await upsert(field, sent), await upsert(field, sent)];
		for (const { error } of again) {
			expect(error?.message).toContain(kept);
			expect(error?.message).toContain(sent.trim());
		}
		expect((await upsert(field, kept)).json[0]?.action).toBe('unchanged');
		expect(await rows()).toHaveLength(1);
	});

	test('one record for the same key twice in one run, and for both spellings (O3)', async () => {
		const { json } = await upsert(field, sent, sent, kept);
		expect(json.map(({ action }) => action)).toEqual(['created', 'updated', 'updated']);
		expect(await rows()).toHaveLength(1);
	});

	test('Sync with deletions changes nothing on the second night (O3)', async () => {
		expect((await sync(field, sent)).json).toMatchObject([{ action: 'created' }]);
		const before = await ids();
		const { error } = await sync(field, sent);
		expect(error?.message).toContain(kept);
		expect(error?.description).toContain('Nothing was sent');
		expect(await ids()).toEqual(before);
		expect((await sync(field, kept)).json).toMatchObject([{ action: 'unchanged' }]);
	});
});

test.each([
	['a  b', 'a b'],
	['a\u00a0b', 'a b'],
	['a\u200bb', 'ab'],
	['\ufb01x', 'fix'],
	['Stra\u00dfe', 'STRASSE'],
])('the key %j is refused where the card has %j (O3)', async (sent, kept) => {
	await workspace.records(card.id, [{ Mail: kept }]);
	expect((await upsert('Mail', sent)).error?.message).toContain('only in its spelling');
	expect(await rows()).toHaveLength(1);
});

test('a third spelling is refused once the service has shown that it keeps one (O3)', async () => {
	workspace.service.control.setVariants({ storedTexts: 'lowerCase' });
	const { error } = await upsert('Mail', 'Ann', 'ann', 'ANN');
	expect(error?.message).toContain('"ANN"');
	expect(await rows()).toHaveLength(1);
});

test('keys that differ in case are two records, where another item or record has the other spelling (O3)', async () => {
	const { json } = await upsert('Mail', 'ann', 'Ann');
	expect(json.map(({ action }) => action)).toEqual(['created', 'created']);
	expect((await upsert('Mail', 'ANN')).error?.message).toContain('"ANN"');
	expect((await sync('Mail', 'ann', 'Ann', 'ANN')).json).toHaveLength(3);
	expect(await rows()).toHaveLength(3);
	expect((await sync('Mail', 'Ann')).json.map(({ action }) => action)).toEqual([
		'unchanged',
		'deleted',
		'deleted',
	]);
});
