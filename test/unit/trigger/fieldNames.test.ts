/** When the names of fields are asked for, how long a delivery waits for them, and what comes without them. */
import type { FieldIndex } from '../../../nodes/WorkspaceData/model/fieldIndex';
import type { DeliveredEvent } from '../../../nodes/WorkspaceData/model/webhookEvent';
import { fieldsFor } from '../../../nodes/WorkspaceData/trigger/delivery/fieldNames';
import { createTestClock } from '../../support/clock';
import { scriptedApi } from '../../support/scriptedApi';
import { eventOf, settingsOf } from '../../support/triggerSettings';

let cards = 0;

interface Listed {
	id: string;
	name: string;
	type: string;
}

const listed = (...names: string[]): Listed[] =>
	names.map((name) => ({ id: `id-${name}`, name, type: 'text' }));

/** A new card, and a trigger of it. */
function world(parameters: Record<string, unknown> = {}) {
	const clock = createTestClock();
	const cardId = `card-${(cards += 1)}`;
	const state = {
		fields: listed('Title'),
		fails: false,
		takesMs: 0,
	};
	const api = scriptedApi(async () => {
		const { takesMs } = state;
		if (takesMs > 0) await clock.sleep(takesMs);
		if (state.fails) throw new Error('No answer');
		return { body: { fields: state.fields } };
	});
	const settings = settingsOf({
		events: ['record.created', 'record.updated'],
		watch: 'oneCard',
		cardId,
		...parameters,
	});
	const place = { openService: async () => api, credentials: ['1'], workspaceId: 'w1' };
	const ask = async (
		names: string[] | undefined = ['Title'],
		event = 'record.created',
		more: Partial<DeliveredEvent> = {},
		at: Partial<typeof place> = {},
	): Promise<FieldIndex | undefined> => {
		const data = Object.fromEntries(names.map((name) => [`id-${name}`, 1]));
		const asked = eventOf(event, data, { cardId, ...more });
		return await fieldsFor(asked, settings, { ...place, ...at }, clock);
	};
	const names = async (...given: Parameters<typeof ask>) =>
		(await ask(...given))?.fields.map(({ name }) => name);
	return { clock, state, api, names, asked: () => api.sent.length };
}

describe('names are asked for', () => {
	const watchFields = ['Title'];
	const filters = { conditions: [{ field: 'Title', condition: 'equals', value: 'a' }] };

	test.each<[string, Record<string, unknown>, string, Partial<DeliveredEvent>, number]>([
		['for values by name', {}, 'record.created', {}, 1],
		['not for values by ID', { options: { fieldKeys: 'id' } }, 'record.created', {}, 0],
		['not for the raw body', { simple: false }, 'record.created', {}, 0],
		['not without values', {}, 'record.deleted', { data: undefined }, 0],
		['not without a card', {}, 'record.created', { cardId: undefined }, 0],
		['for watched fields', { simple: false, options: { watchFields } }, 'record.updated', {}, 1],
		[
			'not for watched fields of a new record',
			{ simple: false, options: { watchFields } },
			'record.created',
			{},
			0,
		],
		[
			'not for watched fields without values',
			{ simple: false, options: { watchFields } },
			'record.updated',
			{ data: undefined },
			0,
		],
		['for conditions', { simple: false, options: { filters } }, 'record.created', {}, 1],
		[
			'for conditions without values',
			{ simple: false, options: { filters } },
			'record.deleted',
			{ data: undefined },
			1,
		],
	])('%s', async (_, parameters, event, more, requests) => {
		const { names, asked } = world(parameters);
		expect(await names(['Title'], event, more)).toEqual(requests > 0 ? ['Title'] : undefined);
		expect(asked()).toBe(requests);
	});

	test('quickly, or not at all', async () => {
		const { names, api } = world();
		await names();
		expect(api.sent).toEqual([expect.objectContaining({ impatient: true, timeoutMs: 3_000 })]);
	});
});

test('a listing is good for a minute, then renewed in the background', async () => {
	const { clock, state, names, asked } = world();
	await names();
	state.fields = listed('Title', 'Pages');
	clock.pass(59_999);
	expect(await names()).toEqual(['Title']);
	expect(asked()).toBe(1);
	clock.pass(1);
	expect(await names()).toEqual(['Title']);
	await clock.sleep(0);
	expect(asked()).toBe(2);
	expect(await names()).toEqual(['Title', 'Pages']);
	expect(asked()).toBe(2);
});

test('deliveries that come together share one listing', async () => {
	const { state, names, asked } = world();
	state.takesMs = 1_000;
	expect(await Promise.all([names(), names(), names()])).toEqual(new Array(3).fill(['Title']));
	expect(asked()).toBe(1);
});

test('cards, workspaces and credentials have separate listings', async () => {
	const { names, asked } = world();
	await names();
	await names(['Title'], 'record.created', {}, { workspaceId: 'w2' });
	await names(['Title'], 'record.created', {}, { credentials: ['2'] });
	await names(['Title'], 'record.created', { cardId: `card-${(cards += 1)}` });
	expect(asked()).toBe(4);
	await names();
	expect(asked()).toBe(4);
});

describe('a field that the listing does not have', () => {
	test('is asked for at once, and waited for', async () => {
		const { state, names, asked } = world();
		await names();
		state.fields = listed('Title', 'Pages');
		state.takesMs = 1_000;
		expect(await names(['Pages'])).toEqual(['Title', 'Pages']);
		expect(asked()).toBe(2);
	});

	test('is asked for every fifteen seconds at most', async () => {
		const { clock, names, asked } = world();
		await names();
		await names(['Gone']);
		expect(asked()).toBe(2);
		clock.pass(14_999);
		expect(await names(['Gone'])).toEqual(['Title']);
		expect(asked()).toBe(2);
		clock.pass(1);
		await names(['Gone']);
		expect(asked()).toBe(3);
	});

	test('is asked for also where the event carries fields that the listing has', async () => {
		const { state, names } = world();
		await names();
		state.fields = listed('Title', 'Pages');
		expect(await names(['Title', 'Pages'])).toEqual(['Title', 'Pages']);
	});

	test.each([
		['a watched name of one card', 'oneCard', { watchFields: ['Gone'] }, 2],
		['a watched name that another card may have', 'allCards', { watchFields: ['Gone'] }, 1],
		[
			'a name in a condition',
			'oneCard',
			{ filters: { conditions: [{ field: 'Gone', condition: 'isEmpty' }] } },
			2,
		],
		[
			'a condition about the record itself',
			'oneCard',
			{ filters: { conditions: [{ field: 'id', condition: 'isEmpty' }] } },
			1,
		],
	])('may be %s', async (_, watch, options, requests) => {
		const { names, asked } = world({ watch, options });
		await names(['Title'], 'record.updated');
		await names(['Title'], 'record.updated');
		expect(asked()).toBe(requests);
	});

	test('a watched name matters for updates only', async () => {
		const { names, asked } = world({ options: { watchFields: ['Gone'] } });
		await names(['Title'], 'record.created');
		await names(['Title'], 'record.created');
		expect(asked()).toBe(1);
	});
});

describe('where the fields cannot be listed', () => {
	test('it is tried again after 1, 2, 4 … 60 seconds, and once a minute', async () => {
		const { clock, state, names, asked } = world();
		state.fails = true;
		expect(await names()).toBeUndefined();
		for (const [index, pause] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
			clock.pass(pause * 1_000 - 1);
			expect(await names()).toBeUndefined();
			expect(asked()).toBe(index + 1);
			clock.pass(1);
			expect(await names()).toBeUndefined();
			expect(asked()).toBe(index + 2);
		}
	});

	test('a listing that comes again ends the long pauses', async () => {
		const { clock, state, names, asked } = world();
		state.fails = true;
		for (const pause of [1, 2, 4]) {
			await names();
			clock.pass(pause * 1_000);
		}
		state.fails = false;
		expect(await names()).toEqual(['Title']);
		state.fails = true;
		clock.pass(60_000);
		await names();
		await clock.sleep(0);
		expect(asked()).toBe(5);
		clock.pass(1_000);
		await names();
		await clock.sleep(0);
		expect(asked()).toBe(6);
	});

	test('the last listing counts', async () => {
		const { clock, state, names } = world();
		await names();
		state.fails = true;
		clock.pass(60_000);
		expect(await names()).toEqual(['Title']);
		expect(await names(['Pages'])).toEqual(['Title']);
	});

	test('a delivery waits three seconds at most, and gets the last listing', async () => {
		const { clock, state, names } = world();
		state.takesMs = 10_000;
		const begun = clock.now();
		expect(await names()).toBeUndefined();
		expect(clock.now() - begun).toBe(3_000);
		await clock.sleep(7_000);
		expect(await names()).toEqual(['Title']);
		const later = clock.now();
		expect(await names(['Pages'])).toEqual(['Title']);
		expect(clock.now() - later).toBe(3_000);
	});
});
