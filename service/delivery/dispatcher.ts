/** Delivers what is queued: in order for each subscription, several subscriptions side by side. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
import { messageOf } from '../foundation/messageOf.ts';
import type { Quotas } from '../foundation/quotas.ts';
import { maximumTimerMs, type RuntimeSettings } from '../foundation/settings.ts';
import type { PendingDelivery } from '../storage/deliveryQueue.ts';
import type { Subscription } from '../storage/subscriptions.ts';
import type { Store } from '../storage/store.ts';
import { createOutcomes, databasePauseMs } from './outcomes.ts';
import type { Mailer } from './mailer.ts';
import { createRetryTimes, type RetryTimes } from './retryTimes.ts';
import type { Sender } from './sender.ts';
import { sign } from './signature.ts';
import { createSocketShares } from './socketShares.ts';

/** Delivers what is queued. */
export interface Dispatcher {
	/** Says that a subscription has something to deliver. */
	wake(subscriptionId: string): void;
	/** Brings retries forward to what a shorter backoff would have given, in ms; never puts one off. */
	bringForward(backoffMs: number): void;
	/** Wakes everything that was left from before, for example from a process that was killed. */
	wakeAll(): void;
	/**
	 * Stops. Deliveries under way may end within a time, so that none of them is repeated; what is cut short is tried
	 * again after the next start.
	 */
	close(drainMs: number): Promise<void>;
}

/** The parts that the dispatcher is made from. */
export interface DispatcherParts {
	store: Store;
	clock: Clock;
	settings: RuntimeSettings;
	quotas: Quotas;
	mailer: Mailer;
	sender: Sender;
	/** Told about failures of the database, in words without secrets. */
	report(message: string): void;
}

/**
 * How many deliveries of a subscription may be under way: doubles with every success up to what the settings allow,
 * and is one again after a failure. So a target that fails gets four attempts.
 */
function createWindows(settings: Pick<RuntimeSettings, 'parallelDeliveries'>) {
	const windows = new Map<string, number>();
	const of = (id: string) => Math.min(windows.get(id) ?? 1, settings.parallelDeliveries);
	return {
		of,
		ended(id: string, isGood: boolean) {
			if (!isGood) windows.delete(id);
			else if (settings.parallelDeliveries > 1) windows.set(id, of(id) * 2);
		},
	};
}

/** Sends deliveries one at a time. `stopping` ends the taking of new ones, `cutting` the ones under way. */
function createSteps(
	{ store, clock, settings, quotas, mailer, sender, report }: DispatcherParts,
	retryTimes: RetryTimes,
	windows: ReturnType<typeof createWindows>,
	signals: { stopping: AbortSignal; cutting: AbortSignal },
	wakeLater: (subscriptionId: string, waitMs: number) => void,
) {
	const shares = createSocketShares(quotas);
	const outcomes = createOutcomes({ store, clock, mailer, retryTimes, report });
	/** Ids of deliveries that are being sent. */
	const underWay = new Set<number>();

	/** The oldest delivery that is due and not under way; where all are due later, sees to that. */
	const nextOf = (subscriptionId: string): PendingDelivery | undefined => {
		const free = store.deliveries
			.next(subscriptionId, windows.of(subscriptionId))
			.filter(({ id }) => !underWay.has(id))
			.map((delivery) => ({ delivery, wait: retryTimes.waitOf(delivery) }));
		const ready = free.find(({ wait }) => wait <= 0);
		if (!ready && free.length > 0) {
			wakeLater(subscriptionId, Math.min(...free.map(({ wait }) => wait)));
		}
		return ready?.delivery;
	};

	const deliver = async (subscription: Subscription, delivery: PendingDelivery) => {
		underWay.add(delivery.id);
		try {
			const at = clock.iso();
			const bytes = Buffer.from(delivery.body);
			const signature = sign(subscription.secret, bytes);
			const limits = { timeoutMs: settings.deliveryTimeoutMs, signal: signals.cutting };
			const outcome = await sender.post(subscription.targetUrl, bytes, signature, limits);
			// An attempt cut short by our own shutdown says nothing about the target.
			if (outcome.error !== null && signals.cutting.aborted) return;
			windows.ended(subscription.id, outcome.error === null);
			await outcomes.note(subscription, delivery, { at, ...outcome }, signals.cutting);
		} finally {
			underWay.delete(delivery.id);
		}
	};

	/** Handles the oldest delivery that nobody handles yet. @returns whether to look again at once */
	return async (subscriptionId: string): Promise<boolean> => {
		const waiting = store.subscriptions.find(subscriptionId);
		if (waiting?.state !== 'active') return false;
		const release = await shares.acquire(waiting.workspaceId, new URL(waiting.targetUrl).origin);
		try {
			// Read again after the wait: it may have been deleted or paused meanwhile.
			const subscription = store.subscriptions.find(subscriptionId);
			if (subscription?.state !== 'active' || signals.stopping.aborted) return false;
			const delivery = nextOf(subscriptionId);
			if (delivery) await deliver(subscription, delivery);
			return delivery !== undefined;
		} finally {
			release();
		}
	};
}

/** Subscriptions whose next delivery is due later. */
function createTimers(stopping: AbortSignal, wake: (subscriptionId: string) => void) {
	const timers = new Map<string, NodeJS.Timeout>();
	return {
		wakeLater(subscriptionId: string, waitMs: number) {
			if (stopping.aborted) return;
			clearTimeout(timers.get(subscriptionId));
			const ring = () => {
				timers.delete(subscriptionId);
				wake(subscriptionId);
			};
			timers.set(subscriptionId, setTimeout(ring, Math.min(waitMs, maximumTimerMs)));
		},
		clear() {
			for (const timer of timers.values()) clearTimeout(timer);
		},
	};
}

/**
 * Makes the dispatcher. It does nothing until it is woken.
 * @see service interface, parts 3 and 6
 */
export function createDispatcher(parts: DispatcherParts): Dispatcher {
	const { store, clock, settings, report } = parts;
	const [stopping, cutting] = [new AbortController(), new AbortController()];
	const signals = { stopping: stopping.signal, cutting: cutting.signal };
	const retryTimes = createRetryTimes(clock, () => settings.backoffMs);
	const windows = createWindows(settings);
	const timers = createTimers(signals.stopping, (id) => dispatcher.wake(id));
	const step = createSteps(parts, retryTimes, windows, signals, timers.wakeLater);
	/** The workers on the queue of each subscription. */
	const workers = new Map<string, Set<Promise<void>>>();
	/** Subscriptions that were woken since their worker last looked. */
	const asked = new Set<string>();

	const work = async (subscriptionId: string, colleagues: ReadonlySet<unknown>) => {
		do {
			asked.delete(subscriptionId);
			while (!signals.stopping.aborted && (await step(subscriptionId))) {
				if (colleagues.size > windows.of(subscriptionId)) return;
				if (colleagues.size < windows.of(subscriptionId)) dispatcher.wake(subscriptionId);
			}
		} while (asked.has(subscriptionId) && !signals.stopping.aborted);
	};

	/** Starts a worker; several on one queue only where the settings give the order up. */
	const startWorker = (subscriptionId: string, workersOfQueue: Set<Promise<void>>) => {
		const worker = work(subscriptionId, workersOfQueue)
			.catch((error: unknown) => {
				report(`deliveries of a subscription have to wait: ${messageOf(error)}`);
				timers.wakeLater(subscriptionId, databasePauseMs);
			})
			.finally(() => {
				workersOfQueue.delete(worker);
				if (workersOfQueue.size === 0) workers.delete(subscriptionId);
				// Asked for between the worker's last look and now.
				if (asked.has(subscriptionId)) dispatcher.wake(subscriptionId);
			});
		workersOfQueue.add(worker);
	};

	const dispatcher: Dispatcher = {
		wake(subscriptionId) {
			if (signals.stopping.aborted) return;
			asked.add(subscriptionId);
			const workersOfQueue = workers.get(subscriptionId) ?? new Set();
			workers.set(subscriptionId, workersOfQueue);
			const missing = windows.of(subscriptionId) - workersOfQueue.size;
			for (let n = 0; n < missing; n++) startWorker(subscriptionId, workersOfQueue);
		},
		bringForward(backoffMs) {
			store.deliveries.bringForward(backoffMs);
			retryTimes.bringForward(backoffMs);
			dispatcher.wakeAll();
		},
		wakeAll() {
			for (const id of store.deliveries.subscriptionsWaiting()) dispatcher.wake(id);
		},
		async close(drainMs) {
			stopping.abort();
			timers.clear();
			const ended = Promise.allSettled([...workers.values()].flatMap((ofQueue) => [...ofQueue]));
			const isLate = new AbortController();
			const late = sleep(drainMs, undefined, { signal: isLate.signal }).catch(() => {});
			await Promise.race([ended, late]);
			isLate.abort();
			cutting.abort();
			await ended;
		},
	};
	return dispatcher;
}
