import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Clock } from '../foundation/clock.ts';
import { messageOf } from '../foundation/messageOf.ts';
import { maximumFailures, maximumTimerMs, type RuntimeSettings } from '../foundation/settings.ts';
import type { Attempt, PendingDelivery } from '../storage/deliveries.ts';
import type { Subscription } from '../storage/subscriptions.ts';
import type { Store } from '../storage/store.ts';
import type { Mailer } from './mailer.ts';
import { sign } from './signature.ts';

/** Delivers what is queued: in order for each subscription, several subscriptions side by side. */
export interface Dispatcher {
	/** Says that a subscription has something to deliver. */
	wake(subscriptionId: string): void;
	/** Wakes everything that was left from before, for example from a process that was killed. */
	wakeAll(): void;
	/** Stops; deliveries under way are given up and tried again after the next start. */
	close(): Promise<void>;
}

/** Deliveries to one target (scheme, host, port) at a time, of all subscriptions together. */
const parallelPerTarget = 8;

/** Most of an answer that is read before the connection is given up, in bytes. */
const maximumAnswerBytes = 64 * 1024;

/** Time until the database is tried again after it failed, in ms. */
const databasePauseMs = 1_000;

/** Why an attempt failed, in words for the log. */
function reasonOf(error: unknown, timeoutMs: number): string {
	// Not `instanceof Error`: errors of Node's own may come from another realm (in test runners).
	const { name, message, code } = error as { name?: unknown; message?: unknown; code?: unknown };
	if (name === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
	const what = typeof code === 'string' ? code : String(name);
	return typeof message === 'string' && message !== '' ? `${what}: ${message}` : what;
}

/** Lets at most `limit` callers per key run at once; the others wait in order. */
function createGate(limit: number) {
	const lanes = new Map<string, { running: number; waiting: Array<() => void> }>();
	return {
		async enter(key: string) {
			const lane = lanes.get(key) ?? { running: 0, waiting: [] };
			lanes.set(key, lane);
			if (lane.running < limit) lane.running += 1;
			else await new Promise<void>((resolve) => lane.waiting.push(resolve));
			return () => {
				const next = lane.waiting.shift();
				if (next) next();
				else if (--lane.running === 0) lanes.delete(key);
			};
		},
	};
}

/**
 * Makes the dispatcher. It does nothing until it is woken.
 * @param report told about failures of the database, in words without secrets
 * @see service interface, parts 3 and 6
 */
export function createDispatcher(
	store: Store,
	clock: Clock,
	settings: RuntimeSettings,
	mailer: Mailer,
	report: (message: string) => void,
): Dispatcher {
	const agent = new Agent({ connections: parallelPerTarget, pipelining: 1 });
	const closing = new AbortController();
	const gate = createGate(parallelPerTarget);
	/** Subscriptions whose next delivery is due later. */
	const timers = new Map<string, NodeJS.Timeout>();
	/** Who works on the queue of which subscription. */
	const workers = new Map<string, Set<Promise<void>>>();
	/** Ids of deliveries that are being sent. */
	const underWay = new Set<number>();
	/** Subscriptions that were woken since their worker last looked. */
	const asked = new Set<string>();

	const attempt = async (
		{ targetUrl, secret }: Subscription,
		{ body }: PendingDelivery,
	): Promise<Omit<Attempt, 'number'>> => {
		const bytes = Buffer.from(body);
		const timeoutMs = settings.deliveryTimeoutMs;
		const at = clock.iso();
		const started = performance.now();
		const outcome = (status: number | null, error: string | null) => ({
			at,
			status,
			durationMs: Math.round(performance.now() - started),
			error,
		});
		try {
			const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
			const response = await request(targetUrl, {
				method: 'POST',
				headers: {
					'Content-Type': 'application/json; charset=utf-8',
					'User-Agent': 'workspace-data-service',
					'X-Service-Signature': sign(secret, bytes),
				},
				body: bytes,
				dispatcher: agent,
				signal,
			});
			await response.body.dump({ limit: maximumAnswerBytes, signal });
			const { statusCode } = response;
			const good = statusCode >= 200 && statusCode < 300;
			return outcome(statusCode, good ? null : `answered ${statusCode}`);
		} catch (error) {
			return outcome(null, reasonOf(error, timeoutMs));
		}
	};

	const wakeLater = (subscriptionId: string, waitMs: number) => {
		if (closing.signal.aborted) return;
		clearTimeout(timers.get(subscriptionId));
		timers.set(
			subscriptionId,
			setTimeout(
				() => {
					timers.delete(subscriptionId);
					dispatcher.wake(subscriptionId);
				},
				Math.min(waitMs, maximumTimerMs),
			),
		);
	};

	const pause = (subscription: Subscription, last: Omit<Attempt, 'number'>) => {
		if (!store.subscriptions.pause(subscription.id)) return;
		store.mails.add(
			subscription.workspaceId,
			subscription.owner,
			'A webhook subscription was paused',
			[
				`The webhook subscription ${subscription.id} of workspace ${subscription.workspaceId} was paused`,
				`after ${maximumFailures} failed attempts to deliver an event to ${subscription.targetUrl}.`,
				`The last attempt: ${last.error ?? 'failed'}.`,
				'',
				'Once the target works again, resume the subscription on the settings page.',
			].join('\n'),
		);
	};

	/** Notes how an attempt went; the fourth failure pauses the subscription. */
	const note = (
		subscription: Subscription,
		delivery: PendingDelivery,
		result: Omit<Attempt, 'number'>,
	) => {
		if (result.error === null) {
			store.deliveries.delivered(delivery.id, result);
			return;
		}
		const failures = delivery.failures + 1;
		const dueAt = Date.now() + settings.backoffMs * 2 ** (failures - 1);
		store.database.transaction(() => {
			store.deliveries.failed(delivery.id, result, failures, dueAt);
			if (failures >= maximumFailures) pause(subscription, result);
		});
		if (failures >= maximumFailures) void mailer.flush();
	};

	/** Notes how an attempt went as soon as the database can: sending again would deliver twice. */
	const conclude = async (...outcome: Parameters<typeof note>) => {
		do {
			try {
				note(...outcome);
				return;
			} catch (error) {
				report(`a delivery could not be noted: ${messageOf(error)}`);
				await sleep(databasePauseMs, undefined, { signal: closing.signal }).catch(() => {});
			}
		} while (!closing.signal.aborted);
	};

	/** Handles the oldest delivery that nobody handles yet. @returns whether to look again at once */
	const step = async (subscriptionId: string): Promise<boolean> => {
		const waiting = store.subscriptions.find(subscriptionId);
		if (waiting?.state !== 'active') return false;
		const leave = await gate.enter(new URL(waiting.targetUrl).origin);
		try {
			// Read behind the gate: it may have been deleted or paused meanwhile.
			const subscription = store.subscriptions.find(subscriptionId);
			if (subscription?.state !== 'active' || closing.signal.aborted) return false;
			const delivery = nextOf(subscriptionId);
			if (delivery) await deliver(subscription, delivery);
			return delivery !== undefined;
		} finally {
			leave();
		}
	};

	/** The oldest delivery that is due and not under way; where all are due later, sees to that. */
	const nextOf = (subscriptionId: string): PendingDelivery | undefined => {
		const free = store.deliveries
			.next(subscriptionId, settings.parallelDeliveries)
			.filter(({ id }) => !underWay.has(id));
		const now = Date.now();
		const due = free.find(({ dueAt }) => dueAt <= now);
		if (due || free.length === 0) return due;
		wakeLater(subscriptionId, Math.min(...free.map(({ dueAt }) => dueAt)) - now);
		return undefined;
	};

	const deliver = async (subscription: Subscription, delivery: PendingDelivery) => {
		underWay.add(delivery.id);
		try {
			const result = await attempt(subscription, delivery);
			// An attempt cut short by our own shutdown says nothing about the target.
			if (result.error === null || !closing.signal.aborted) {
				await conclude(subscription, delivery, result);
			}
		} finally {
			underWay.delete(delivery.id);
		}
	};

	const work = async (subscriptionId: string) => {
		do {
			asked.delete(subscriptionId);
			while (!closing.signal.aborted && (await step(subscriptionId)));
		} while (asked.has(subscriptionId) && !closing.signal.aborted);
	};

	/** Starts a worker; several on one queue only where the settings give the order up. */
	const startWorker = (subscriptionId: string, workersOfQueue: Set<Promise<void>>) => {
		const worker = work(subscriptionId)
			.catch((error: unknown) => {
				report(`deliveries of a subscription have to wait: ${messageOf(error)}`);
				wakeLater(subscriptionId, databasePauseMs);
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
			if (closing.signal.aborted) return;
			asked.add(subscriptionId);
			const workersOfQueue = workers.get(subscriptionId) ?? new Set();
			workers.set(subscriptionId, workersOfQueue);
			const missing = settings.parallelDeliveries - workersOfQueue.size;
			for (let n = 0; n < missing; n++) startWorker(subscriptionId, workersOfQueue);
		},
		wakeAll() {
			for (const id of store.deliveries.subscriptionsWaiting()) dispatcher.wake(id);
		},
		async close() {
			closing.abort();
			for (const timer of timers.values()) clearTimeout(timer);
			await Promise.allSettled([...workers.values()].flatMap((ofQueue) => [...ofQueue]));
			await agent.destroy();
		},
	};
	return dispatcher;
}
