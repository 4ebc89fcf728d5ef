/** Delivers what is queued: in order for each subscription, retries after a growing pause, pauses after four failures. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '../data/deliveries.ts';
import type { Subscription } from '../data/subscriptions.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';
import type { Clock } from '../foundation/clock.ts';
import { maximumFailures, maximumTimerMs, type RuntimeSettings } from '../foundation/settings.ts';
import type { Mailer } from './mailer.ts';
import type { Outcome, Sender } from './sender.ts';
import { sign } from './signature.ts';

/** Time until the database is tried again after it failed, in ms. */
const databasePauseMs = 1_000;

/** The parts that the dispatcher is made from. */
export interface DispatcherParts {
	data: Pick<WorkspaceData, 'subscriptions' | 'deliveries' | 'mails' | 'database'>;
	clock: Clock;
	settings: RuntimeSettings;
	mailer: Mailer;
	sender: Sender;
	/** Told about failures of the database, in words without secrets. */
	report(message: string): void;
}

/** The queue of one subscription. */
interface Queue {
	underWay: Map<number, Promise<void>>;
	timer?: NodeJS.Timeout;
}

/** Delivers what is queued. It does nothing until it is woken. @see service interface, parts 3 and 6 */
export class Dispatcher {
	readonly #parts: DispatcherParts;
	readonly #queues = new Map<string, Queue>();
	/** When failed deliveries are due again, by the clock that never steps; a start tries all at once. */
	readonly #due = new Map<number, { failures: number; at: number }>();
	readonly #cutting = new AbortController();
	#isStopping = false;

	constructor(parts: DispatcherParts) {
		this.#parts = parts;
	}

	/** Sends what waits for a subscription, now or when it is due. */
	wake(subscriptionId: string): void {
		if (this.#isStopping) return;
		try {
			this.#serve(subscriptionId);
		} catch (error) {
			this.#parts.report(`deliveries of a subscription wait: ${String(error)}`);
		}
	}

	/** Wakes everything that was left from before, for example from a process that was killed. */
	wakeAll(): void {
		for (const id of this.#parts.data.deliveries.subscriptionsWaiting()) this.wake(id);
	}

	/** Brings retries forward to what a shorter first pause would have given, in ms; never puts one off. */
	bringForward(backoffMs: number): void {
		const now = this.#parts.clock.monotonic();
		for (const due of this.#due.values()) {
			due.at = Math.min(due.at, now + backoffMs * 2 ** (due.failures - 1));
		}
		this.wakeAll();
	}

	/** Stops. Deliveries under way may end within a time, so that none of them is repeated after the next start. */
	async close(drainMs: number): Promise<void> {
		this.#isStopping = true;
		const queues = [...this.#queues.values()];
		for (const { timer } of queues) clearTimeout(timer);
		const ended = Promise.all(queues.flatMap(({ underWay }) => [...underWay.values()]));
		const isEnded = new AbortController();
		const late = sleep(drainMs, undefined, { signal: isEnded.signal }).catch(() => {});
		await Promise.race([ended, late]);
		isEnded.abort();
		this.#cutting.abort();
		await ended;
	}

	#serve(id: string): void {
		const { data, settings } = this.#parts;
		const queue: Queue = this.#queues.get(id) ?? { underWay: new Map() };
		this.#queues.set(id, queue);
		clearTimeout(queue.timer);
		const subscription = data.subscriptions.find(id);
		if (!subscription) this.#queues.delete(id);
		if (subscription?.state !== 'active') return;
		const most = settings.parallelDeliveries;
		for (const delivery of data.deliveries.next(id, most)) {
			if (queue.underWay.size >= most) return;
			if (queue.underWay.has(delivery.id)) continue;
			const wait = this.#waitOf(delivery);
			if (wait > 0) {
				queue.timer = setTimeout(() => this.wake(id), Math.min(wait, maximumTimerMs));
				return;
			}
			const sending = this.#deliver(subscription, delivery).finally(() => {
				queue.underWay.delete(delivery.id);
				this.wake(id);
			});
			queue.underWay.set(delivery.id, sending);
		}
	}

	#waitOf({ id, failures }: Delivery): number {
		const due = this.#due.get(id);
		// What was queued again or resumed has new attempts.
		return due?.failures === failures ? due.at - this.#parts.clock.monotonic() : 0;
	}

	async #deliver(subscription: Subscription, delivery: Delivery): Promise<void> {
		const { clock, sender, settings } = this.#parts;
		const at = clock.iso();
		const body = Buffer.from(delivery.body);
		const signature = sign(subscription.secret, body);
		const limits = { timeoutMs: settings.deliveryTimeoutMs, signal: this.#cutting.signal };
		const outcome = await sender.post({ url: subscription.targetUrl, body, signature }, limits);
		// An attempt cut short by our own shutdown says nothing about the target.
		if (outcome.error !== null && this.#cutting.signal.aborted) return;
		try {
			this.#note(subscription, delivery.id, { at, ...outcome });
		} catch (error) {
			this.#parts.report(`a delivery could not be noted: ${String(error)}`);
			const { id, failures } = delivery;
			this.#due.set(id, { failures, at: clock.monotonic() + databasePauseMs });
		}
	}

	#note(subscription: Subscription, id: number, attempt: Outcome & { at: string }): void {
		const { data, clock, settings, mailer } = this.#parts;
		this.#due.delete(id);
		data.database.transaction(() => {
			const failures = data.deliveries.note(id, attempt);
			if (failures === 0) return;
			if (failures < maximumFailures) {
				const pause = settings.backoffMs * 2 ** (failures - 1);
				this.#due.set(id, { failures, at: clock.monotonic() + pause });
			} else if (data.subscriptions.pause(subscription)) {
				const { targetUrl } = subscription;
				data.mails.addPause(
					subscription,
					`after ${failures} failed attempts to deliver an event to ${targetUrl}.\nThe last attempt: ${attempt.error}.`,
				);
			}
		});
		mailer.flush();
	}
}
