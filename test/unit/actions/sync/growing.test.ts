/** Sync where the card may get fields and choices from its items, and how it shares the event loop. */
import { syncRecords } from '../../../../nodes/WorkspaceData/actions/record/sync.operation';
import {
	growingItems,
	readItems,
	type SyncPart,
} from '../../../../nodes/WorkspaceData/actions/sync/syncItems';
import type { Run } from '../../../../nodes/WorkspaceData/actions/run/run';
import type { Write } from '../../../../nodes/WorkspaceData/actions/writing/liveFields';
import { indexFields } from '../../../../nodes/WorkspaceData/model/fieldIndex';
import { books, changes, rowsOf, run, values } from '../record/books';
import type { MemoryService } from '../../../support/memoryService';
import { field } from '../../../rules/model/fields';
import { zone } from '../../../rules/model/value/zone';

const bodies = ({ api }: MemoryService) =>
	api.sent.flatMap(({ method, body }) => (method === 'GET' ? [] : [body]));

describe('a card that may grow', () => {
	const sync = async (
		service: MemoryService,
		items: Array<Record<string, unknown>>,
		options: object,
		more: object = {},
	) =>
		await run(
			service,
			syncRecords,
			items.map((value) => ({ ...values(value, ['Key']), options, ...more })),
		);
	const fields = { unknownFields: 'create' };
	const choices = { missingChoices: 'add' };

	test('gets the field that items need, and the records its values under its ID', async () => {
		const service = books();
		const { json, errors, hints } = await sync(
			service,
			[{ Key: 'a', Colour: 'red' }, { Key: 'z', Colour: 'blue' }, { Key: 'b' }],
			fields,
		);
		expect(errors).toEqual([]);
		expect(changes(service)[0]).toBe('POST cards/c1/fields');
		expect(json.map(({ action }) => action)).toEqual(['updated', 'created', 'unchanged']);
		expect(rowsOf(service)?.map((row) => row.new1)).toEqual(['red', undefined, undefined, 'blue']);
		expect(hints).toEqual([expect.stringContaining("Fields were added to card 'c1'")]);
	});

	test('gets the choice that items need', async () => {
		const service = books();
		const { errors } = await sync(service, [{ Key: 'a', Status: 'Lost' }, { Key: 'b' }], choices);
		expect(errors).toEqual([]);
		expect(bodies(service)).toEqual([
			{ options: expect.arrayContaining([expect.anything()]) },
			{ data: { f3: 'Lost' } },
		]);
	});

	test.each([
		['a field where only choices may be added', { Colour: 'red' }, choices, 'Colour'],
		['a choice where only fields may be added', { Status: 'Lost' }, fields, 'Lost'],
		['either where nothing may be added', { Status: 'Lost' }, {}, 'Lost'],
	])('does not get %s', async (_, value, options, message) => {
		const service = books();
		const { errors } = await sync(service, [{ Key: 'b' }, { Key: 'a', ...value }], options);
		expect(errors).toContainEqual(
			expect.objectContaining({
				message: expect.stringMatching(`^The item with Key 'a': .*${message}`),
			}),
		);
		expect(changes(service)).toEqual([]);
	});

	test('in a dry run shows the values of the new field, names it, and adds nothing (M18)', async () => {
		const service = books();
		const { json, errors, hints } = await sync(service, [{ Key: 'a', Colour: 'red' }], fields, {
			dryRun: true,
		});
		expect(errors).toEqual([]);
		expect(hints).toEqual([
			expect.stringMatching(/^Dry run: fields would be added to card 'c1': 'Colour' \(.+\)$/),
			expect.stringMatching(/^Dry run of card 'c1': /),
		]);
		expect(json).toMatchObject([{ action: 'update', after: { Colour: 'red' } }]);
		expect(changes(service)).toEqual([]);
	});

	test('matches by a field that it gets', async () => {
		const service = books([]);
		const given = ['x', 'y'].map((Code) => ({
			...values({ Code, Pages: 1 }, ['Code']),
			options: fields,
		}));
		const { json, errors } = await run(service, syncRecords, given);
		expect(errors).toEqual([]);
		expect(json.map(({ action }) => action)).toEqual(['created', 'created']);
		expect(rowsOf(service)).toEqual([
			{ new1: 'x', f2: 1 },
			{ new1: 'y', f2: 1 },
		]);
	});

	test('sends nothing where an item is not valid', async () => {
		const service = books();
		const given = [
			{ Key: 'a', Colour: 'red' },
			{ Key: 'b', Pages: 'many' },
		];
		const { errors } = await sync(service, given, choices);
		expect(errors.length).toBeGreaterThan(0);
		expect(changes(service)).toEqual([]);
	});
});

test('a card that cannot grow costs no request more than its listings', async () => {
	const service = books();
	await run(service, syncRecords, [values({ Key: 'a' }, ['Key'])]);
	expect(service.requests()).toEqual([
		'GET cards/c1/fields',
		'GET cards/c1/records',
		'GET cards/c1/fields',
	]);
});

describe('a hundred thousand items share the event loop', () => {
	const card = { id: 'c1', name: 'Books' };
	const place = (count: number) => {
		let yields = 0;
		const own = {
			zone,
			context: { getInputData: () => Array.from({ length: count }, () => ({ json: {} })) },
			yieldToLoop: async () => {
				yields += 1;
				await Promise.resolve();
			},
		} as unknown as Run;
		return { run: own, yields: () => yields };
	};

	test('others get their turn with each hundred that is read', async () => {
		const { run: own, yields } = place(250);
		const part: SyncPart = { card, error: new Error('not valid') };
		const { cards, errors, homeless } = await readItems(
			own,
			async () => await Promise.resolve(part),
		);
		expect(yields()).toBe(3);
		expect(errors.size).toBe(250);
		expect(cards.map(({ indexes }) => indexes.length)).toEqual([250]);
		expect(homeless).toBeUndefined();
	});

	test('and with each hundred that is fitted to the new fields; each keeps its place', async () => {
		const { run: own, yields } = place(250);
		const listing = indexFields([{ ...field('Key', 'text'), id: 'f1' }], 'Books');
		const write = (key: string) =>
			({
				columns: { entries: [['Key', key]], matchingKeys: ['Key'], hints: new Map() },
				options: {},
			}) as unknown as Write;
		const growing = Array.from({ length: 250 }, (_, n) => write(`k${n}`));
		const indexes = growing.map((_, n) => 2 * n);
		const items = await growingItems(own, { growing, indexes } as never, {
			listing,
			fieldIds: ['f1'],
		});
		expect(yields()).toBe(3);
		expect(items.map(({ itemIndex }) => itemIndex)).toEqual(indexes);
		expect(items.map(({ data }) => data.f1)).toEqual(growing.map((_, n) => `k${n}`));
	});
});
