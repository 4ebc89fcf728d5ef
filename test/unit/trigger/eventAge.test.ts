/** Max Event Age: too old by the service's clock, which may differ from ours; in doubt an event counts. */
import type { DeliveredEvent } from '../../../nodes/WorkspaceData/model/webhookEvent';
import type { ServiceClock } from '../../../nodes/WorkspaceData/transport/http/serviceClock';
import { excessiveAge } from '../../../nodes/WorkspaceData/trigger/delivery/eventAge';
import type { TriggerNode } from '../../../nodes/WorkspaceData/trigger/subscription/node';
import { createTestClock } from '../../support/clock';
import { scriptedApi } from '../../support/scriptedApi';
import { eventOf, settingsOf } from '../../support/triggerSettings';

const MINUTE = 60_000;

interface World {
	/** How far the service's clock is ahead of ours, as the subscription knows it. */
	aheadAtStart?: number;
	/** As the answers have told since; undefined: no answer yet. */
	ahead?: number;
	isStale?: boolean;
	/** As the next answer tells. */
	aheadInTruth?: number;
	failure?: Error;
}

function world({ aheadAtStart, ahead, isStale = false, aheadInTruth = 0, failure }: World) {
	const clock = createTestClock();
	const clockAhead = (ms: number, stale: boolean) =>
		({ now: () => clock.now() + ms, isStale: () => stale }) as unknown as ServiceClock;
	const node = {
		state: {
			saved: { current: aheadAtStart === undefined ? undefined : { clockAheadMs: aheadAtStart } },
		},
		serviceClock: ahead === undefined ? undefined : clockAhead(ahead, isStale),
	} as unknown as TriggerNode;
	const api = scriptedApi(
		() => {
			if (failure) throw failure;
			return {};
		},
		{ serviceClock: clockAhead(aheadInTruth, false) },
	);
	const ageOf = async (ageMs: number | undefined, more: Partial<DeliveredEvent> = {}) => {
		const happenedAt = ageMs === undefined ? undefined : clock.now() - ageMs;
		const event = eventOf('record.created', {}, { happenedAt, ...more });
		const settings = settingsOf({ options: { maxEventAge: 10 } });
		return await excessiveAge(node, event, settings, async () => api, clock);
	};
	return { ageOf, api, node };
}

/** What the log says of an event of this age. */
function old(minutes: number): string {
	return `it is ${minutes} minutes old, more than 'Max Event Age' allows`;
}

test.each([
	[9 * MINUTE, undefined],
	[10 * MINUTE, undefined],
	[10 * MINUTE + 1, old(10)],
])('where the clocks agree, an age of %d ms is told as %s', async (age, expected) => {
	expect(await world({}).ageOf(age)).toBe(expected);
});

test('a fresh event costs no request', async () => {
	const { ageOf, api } = world({});
	expect(await ageOf(MINUTE)).toBeUndefined();
	expect(await ageOf(10 * MINUTE)).toBeUndefined();
	expect(api.sent).toEqual([]);
});

test('before an old event is left out, the smallest answer tells the time; the next ones need none', async () => {
	const { ageOf, api, node } = world({ aheadInTruth: -5 * MINUTE });
	expect(await ageOf(12 * MINUTE)).toBeUndefined();
	expect(api.sent).toEqual([
		{
			method: 'GET',
			path: ['cards', { value: 'c1', parameter: 'Card' }, 'records'],
			query: { limit: 1 },
			impatient: true,
			timeoutMs: 3_000,
		},
	]);
	expect(node.serviceClock).toBe(api.serviceClock);
	expect(await ageOf(16 * MINUTE)).toBe(old(11));
	expect(api.sent).toHaveLength(1);
});

test.each([
	['a minute from the future is plausible', -MINUTE, 0],
	['more than a minute from the future is asked about', -MINUTE - 1, 1],
])('%s', async (_, age, requests) => {
	const { ageOf, api } = world({});
	expect(await ageOf(age)).toBeUndefined();
	expect(api.sent).toHaveLength(requests);
});

test('the clock of the service counts, once known; until then as it was at the start', async () => {
	expect(await world({ ahead: 5 * MINUTE }).ageOf(6 * MINUTE)).toBe(old(11));
	expect(await world({ aheadAtStart: -5 * MINUTE }).ageOf(12 * MINUTE)).toBeUndefined();
	const { ageOf, api } = world({ aheadAtStart: 5 * MINUTE, aheadInTruth: 5 * MINUTE });
	expect(await ageOf(6 * MINUTE)).toBe(old(11));
	expect(api.sent).toHaveLength(1);
});

test('what was learned more than a minute ago is asked again', async () => {
	const { ageOf, api } = world({ ahead: 5 * MINUTE, isStale: true, aheadInTruth: 0 });
	expect(await ageOf(6 * MINUTE)).toBeUndefined();
	expect(api.sent).toHaveLength(1);
});

test.each<[string, World, Partial<DeliveredEvent>]>([
	['the service does not answer', { failure: new Error('No answer') }, {}],
	['the event names no card to ask for', {}, { cardId: undefined }],
])('an event counts as fresh where %s', async (_, place, more) => {
	expect(await world(place).ageOf(60 * MINUTE, more)).toBeUndefined();
});

test('an event without a time, or any age, is never too old', async () => {
	const { ageOf, api, node } = world({});
	expect(await ageOf(undefined)).toBeUndefined();
	const any = settingsOf();
	for (const happenedAt of [0, Date.UTC(2100, 0, 1)]) {
		const event = eventOf('record.created', {}, { happenedAt });
		const age = await excessiveAge(node, event, any, async () => api, createTestClock());
		expect(age).toBeUndefined();
	}
	expect(api.sent).toEqual([]);
});
