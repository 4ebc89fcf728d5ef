import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Clock } from '../foundation/clock.ts';
import { messageOf } from '../foundation/messageOf.ts';
import type { Quotas } from '../foundation/quotas.ts';
import { maximumFailures, maximumTimerMs, type RuntimeSettings } from '../foundation/settings.ts';
import type { Attempt, PendingDelivery } from '../storage/deliveries.ts';
import type { Subscription } from '../storage/subscriptions.ts';
import type { Store } from '../storage/store.ts';
import type { Mailer } from './mailer.ts';
import { sign } from './signature.ts';
import { createTurns } from './turns.ts';

/** Delivers what is queued: in order for each subscription, several subscriptions side by side. */
export interface Dispatcher {
	/** Says that a subscription has something to deliver. */
	wake(subscriptionId: string): void;
	/** Brings retries forward to what a shorter backoff would have given, in ms; never puts one off. */
	hasten(backoffMs: number): void;
	/** Wakes everything that was left from before, for example from a process that was killed. */
	wakeAll(): void;
	/** Stops; deliveries under way are given up and tried again after the next start. */
	close(): Promise<void>;
}

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

/** Characters of an answer that the log keeps. */
const keptOfAnswer = 1_000;

/** Reads an answer to its end, or gives it up where it is too long. @returns its beginning */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		if (bytes < keptOfAnswer * 4) chunks.push(chunk.subarray(0, keptOfAnswer * 4));
		bytes += chunk.length;
		if (bytes > maximumAnswerBytes) break;
	}
	return Buffer.concat(chunks).toString().slice(0, keptOfAnswer);
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
	quotas: Quotas,
	mailer: Mailer,
	report: (message: string) => void,
): Dispatcher {
	const agent = new Agent({ connections: quotas.sockets, pipelining: 1 });
	const closing = new AbortController();
	const turns = createTurns(quotas);
	/** Subscriptions whose next delivery is due later. */
	const timers = new Map<string, NodeJS.Timeout>();
	/** Who works on the queue of which subscription. */
	const workers = new Map<string, Set<Promise<void>>>();
	/** Ids of deliveries that are being sent. */
	const underWay = new Set<number>();
	/**
	 * Deliveries of a subscription that may be under way: doubles with every success up to what the
	 * settings allow, and is one again after a failure. So a target that fails gets four attempts.
	 */
	const windows = new Map<string, number>();
	const windowOf = (subscriptionId: string) =>
		Math.min(windows.get(subscriptionId) ?? 1, settings.parallelDeliveries);
	/**
	 * When failed deliveries are due, on the clock that never steps back. `failures` tells whether an
	 * entry still holds: a delivery that was started afresh has none.
	 */
	const due = new Map<number, { failures: number; at: number }>();
	const backoff = (failures: number, first = settings.backoffMs) => first * 2 ** (failures - 1);
	/** Time until a delivery is due, in ms; what the database says counts only after a restart. */
	const waitOf = ({ id, failures, dueAt }: PendingDelivery) => {
		if (failures === 0) return 0;
		let known = due.get(id);
		if (known?.failures !== failures) {
			const left = Math.min(Math.max(dueAt - clock.now(), 0), backoff(failures));
			known = { failures, at: clock.monotonic() + left };
			due.set(id, known);
		}
		return known.at - clock.monotonic();
	};
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
		const outcome = (status: number | null, error: string | null, answer = '') => ({
			at,
			status,
			durationMs: Math.round(performance.now() - started),
			error,
			answer: answer === '' ? null : answer,
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
			const answer = await beginningOf(response.body);
			const { statusCode } = response;
			const good = statusCode >= 200 && statusCode < 300;
			return outcome(statusCode, good ? null : `answered ${statusCode}`, answer);
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

	/** Pauses a subscription and tells its owner why. */
	const pause = (subscription: Subscription, reason: string) => {
		if (!store.subscriptions.pause(subscription.id)) return;
		store.mails.add(
			subscription.workspaceId,
			subscription.owner,
			'A webhook subscription was paused',
			[
				`The webhook subscription ${subscription.id} of workspace ${subscription.workspaceId} was paused`,
				reason,
				'',
				'Once the target works again, resume the subscription on the settings page.',
			].join('\n'),
		);
	};
	store.listeners.overflowed = (subscription) => {
		pause(
			subscription,
			`because more events wait for ${subscription.targetUrl} than the service keeps.`,
		);
		setImmediate(() => void mailer.flush());
	};

	/** Notes how an attempt went; the fourth failure pauses the subscription. */
	const note = (
		subscription: Subscription,
		delivery: PendingDelivery,
		result: Omit<Attempt, 'number'>,
	) => {
		due.delete(delivery.id);
		if (result.error === null) {
			store.deliveries.delivered(delivery.id, result);
			if (settings.parallelDeliveries > 1) {
				windows.set(subscription.id, windowOf(subscription.id) * 2);
			}
			return;
		}
		windows.delete(subscription.id);
		const failures = delivery.failures + 1;
		const wait = backoff(failures);
		const lost = failures >= maximumFailures;
		store.database.transaction(() => {
			store.deliveries.failed(delivery.id, result, failures, clock.now() + wait);
			if (!lost) return;
			pause(
				subscription,
				`after ${maximumFailures} failed attempts to deliver an event to ${subscription.targetUrl}.\nThe last attempt: ${result.error}.`,
			);
		});
		if (lost) void mailer.flush();
		else due.set(delivery.id, { failures, at: clock.monotonic() + wait });
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
		const leave = await turns.take(waiting.workspaceId, new URL(waiting.targetUrl).origin);
		try {
			// Read when it is its turn: it may have been deleted or paused meanwhile.
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
			.next(subscriptionId, windowOf(subscriptionId))
			.filter(({ id }) => !underWay.has(id))
			.map((delivery) => ({ delivery, wait: waitOf(delivery) }));
		const ready = free.find(({ wait }) => wait <= 0);
		if (!ready && free.length > 0) {
			wakeLater(subscriptionId, Math.min(...free.map(({ wait }) => wait)));
		}
		return ready?.delivery;
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

	const work = async (subscriptionId: string, colleagues: ReadonlySet<unknown>) => {
		do {
			asked.delete(subscriptionId);
			while (!closing.signal.aborted && (await step(subscriptionId))) {
				if (colleagues.size > windowOf(subscriptionId)) return;
				if (colleagues.size < windowOf(subscriptionId)) dispatcher.wake(subscriptionId);
			}
		} while (asked.has(subscriptionId) && !closing.signal.aborted);
	};

	/** Starts a worker; several on one queue only where the settings give the order up. */
	const startWorker = (subscriptionId: string, workersOfQueue: Set<Promise<void>>) => {
		const worker = work(subscriptionId, workersOfQueue)
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
			const missing = windowOf(subscriptionId) - workersOfQueue.size;
			for (let n = 0; n < missing; n++) startWorker(subscriptionId, workersOfQueue);
		},
		hasten(backoffMs) {
			store.deliveries.hasten(backoffMs);
			for (const entry of due.values()) {
				const at = clock.monotonic() + backoff(entry.failures, backoffMs);
				entry.at = Math.min(entry.at, at);
			}
			dispatcher.wakeAll();
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
