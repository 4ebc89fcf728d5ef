/** What becomes of a node's subscriptions in worlds that are seldom, slow, or have a wrong clock. */
import { EMPTY_SET } from '../../../../nodes/WorkspaceData/model/subscription/state';
import { reduce } from '../../../../nodes/WorkspaceData/model/subscription/reducer';
import { World, type WorldOptions } from './subscriptionModel';

const REGULAR: WorldOptions = {
	queueMode: false,
	processors: 0,
	onePerAddress: false,
	prompt: true,
};
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function published(options: Partial<WorldOptions> = {}): World {
	const world = new World({ ...REGULAR, ...options });
	world.n8n.start(world.n8n.original, true);
	return world;
}

test('a subscription that is paused because n8n answers late is replaced within ten minutes (K1, K12)', () => {
	const world = published();
	world.n8n.answerLate(true);
	world.event();
	world.pass(4 * MINUTE);
	// Four late answers: the service has paused the subscription.
	world.n8n.answerLate(false);
	world.pass(10 * MINUTE);
	const event = world.event();
	world.pass(MINUTE);
	expect(world.n8n.executions.get(event)).toBe(1);
});

test('late answers of a service that continues to deliver cost no renewal (K12)', () => {
	const world = published();
	const { calls } = world.service;
	for (let n = 0; n < 20; n += 1) {
		world.n8n.answerLate(true);
		world.event();
		world.pass(10_000, 1_000);
		world.n8n.answerLate(false);
		world.pass(MINUTE);
		world.event();
		world.pass(15 * MINUTE);
	}
	expect(world.service.calls - calls).toBe(0);
});

test('an n8n that always answers late renews after pauses that grow to an hour (K1)', () => {
	const world = published();
	world.n8n.answerLate(true);
	const { calls } = world.service;
	for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
		world.event();
		world.pass(5 * MINUTE, 30_000);
	}
	// Each renewal is a POST and a DELETE; about 26 in a day.
	expect(world.service.calls - calls).toBeLessThanOrEqual(2 * 30);
});

test.each([false, true])(
	'what could not be deleted is tried again after eight days; one for each address: %s (K5)',
	(onePerAddress) => {
		const world = published({ onePerAddress });
		world.service.isDown = true;
		world.n8n.unpublish();
		world.pass(8 * DAY, DAY);
		world.service.isDown = false;
		world.n8n.start(world.n8n.original, true);
		expect(world.live).toHaveLength(1);
		const event = world.event();
		world.pass(MINUTE);
		expect(world.n8n.executions.get(event)).toBe(1);
	},
);

test.each([
	{ processors: 2, prompt: true },
	{ processors: 2, prompt: false },
])(
	'executions that wait six seconds behind others cost three renewals, not one an hour, in %j (K7)',
	(options) => {
		const world = published({ queueMode: true, backlogMs: 6_000, ...options });
		world.pass(DAY - MINUTE, 5 * MINUTE);
		const made = world.service.remotes.size;
		world.pass(2 * 60 * MINUTE, 2_000);
		world.pass(20 * 60 * MINUTE, 10_000);
		expect(world.service.remotes.size - made).toBeLessThanOrEqual(3);
		expect(world.live).toHaveLength(1);
	},
);

test.each([3, 10 * 365 * 24])(
	'a clock that was %s h ahead at one start leaves one subscription (K9)',
	(hours) => {
		const world = published();
		world.n8n.kill();
		world.n8n.setClock(hours * 60 * MINUTE);
		world.n8n.start();
		world.pass(MINUTE);
		world.n8n.setClock(0);
		world.pass(20 * MINUTE);
		expect(world.live).toHaveLength(1);
		// And it is renewed after a silence, not ten years later.
		const { calls } = world.service;
		world.pass(2 * DAY, 5 * MINUTE);
		expect(world.service.calls - calls).toBeGreaterThanOrEqual(2);
	},
);

test('a week of refused deletions with a start every five minutes stays bounded (K10)', () => {
	const world = published();
	world.service.refusesDeletions = true;
	let largest = 0;
	const calls: number[] = [];
	for (let start = 0; start < 7 * 24 * 12; start += 1) {
		const before = world.service.calls;
		world.n8n.kill();
		world.n8n.start();
		world.pass(5 * MINUTE, MINUTE);
		calls.push(world.service.calls - before);
		largest = Math.max(largest, JSON.stringify(world.n8n.original.database).length);
	}
	expect(largest).toBeLessThan(20_000);
	// A POST, and each leftover at the start, after one minute and after two.
	expect(Math.max(...calls)).toBeLessThanOrEqual(1 + 3 * 26);
});

test('lost answers leave five subscriptions at the service, then one a day at most (K8)', () => {
	const world = published();
	world.service.losesAnswers = true;
	const made = () => world.service.remotes.size;
	const before = made();
	world.n8n.kill();
	world.n8n.start();
	world.pass(DAY - 60 * MINUTE, MINUTE);
	expect(made() - before).toBe(5);
	for (let start = 0; start < 20; start += 1) {
		world.n8n.kill();
		world.n8n.start();
	}
	// What was counted since the start is lost with the process.
	expect(made() - before).toBeLessThanOrEqual(9);
	world.service.losesAnswers = false;
	world.pass(2 * DAY, 5 * MINUTE);
	expect(world.n8n.original.main?.set.lostAnswers.count).toBe(0);
});

test('a changed credential is tried at once, whatever pause was reached (K15)', () => {
	const now = 1_000_000_000_000;
	let set = { ...EMPTY_SET, address: 'https://n8n' };
	const pause = { isLost: false, jitter: 1 };
	for (let n = 0; n < 10; n += 1) {
		set = reduce(set, { type: 'refused', ...pause, now }).set as typeof set;
	}
	const passed = { type: 'passed', silenceMs: DAY, overlapMs: 0 } as const;
	expect(reduce(set, { ...passed, now: now + 30 * MINUTE }).effects).toEqual([]);
	const { set: changed } = reduce(set, { type: 'credentialChanged', now: now + MINUTE });
	expect(reduce(changed, { ...passed, now: now + MINUTE }).effects).toEqual([{ type: 'create' }]);
});

test('a crash loop of a hundred starts does not forget which search was completed (K4)', () => {
	const world = published();
	const completed = world.n8n.original.database.missed?.from;
	for (let start = 0; start < 100; start += 1) {
		world.n8n.kill();
		world.pass(MINUTE, MINUTE);
		world.n8n.start();
	}
	const { missed } = world.n8n.original.database;
	expect(missed?.from).toBe(completed);
	expect(missed?.upTo).toHaveLength(100);
});
