/** Delivers what is queued: in order for each subscription, retries after a growing pause, pauses after four failures. */
import type { Delivery } from '../data/deliveries.ts';
import type { Subscription } from '../data/subscriptions.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';
import { maximumTimerMs, type RuntimeSettings } from '../foundation/settings.ts';
import type { Mailer } from './mailer.ts';
import type { Outcome, Sender } from './sender.ts';
import { sign } from './signature.ts';

/** Failed attempts after which a subscription is paused. @see service interface, part 8 */
const maximumFailures = 4;

/** The parts that the dispatcher is made from. */
export interface DispatcherParts {
	data: WorkspaceData;
	settings: RuntimeSettings;
	mailer: Mailer;
	sender: Sender;
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
	#isStopping = false;

	constructor(parts: DispatcherParts) {
		this.#parts = parts;
	}

	/** Sends what waits for a subscription, now or when it is due. */
	wake(id: string): void {
		if (this.#isStopping) return;
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

	/** Wakes everything that was left from before, for example from a process that was killed. */
	wakeAll(): void {
		for (const id of this.#parts.data.deliveries.subscriptionsWaiting()) this.wake(id);
	}

	/** Brings retries forward to what a shorter first pause would have given, in ms; never puts one off. */
	bringForward(backoffMs: number): void {
		const now = this.#parts.data.clock.monotonic();
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
		const late = setTimeout(() => this.#parts.sender.close(), drainMs);
		await Promise.all(queues.flatMap(({ underWay }) => [...underWay.values()]));
		clearTimeout(late);
	}

	#waitOf({ id, failures }: Delivery): number {
		const due = this.#due.get(id);
		// What was queued again or resumed has new attempts.
		return due?.failures === failures ? due.at - this.#parts.data.clock.monotonic() : 0;
	}

	async #deliver(subscription: Subscription, delivery: Delivery): Promise<void> {
		const { data, sender, settings } = this.#parts;
		const at = data.clock.iso();
		const body = Buffer.from(delivery.body);
		const signature = sign(subscription.secret, body);
		const message = { url: subscription.targetUrl, body, signature };
		const outcome = await sender.post(message, settings.deliveryTimeoutMs);
		// An attempt cut short by our own shutdown says nothing about the target.
		if (outcome.error !== null && sender.isClosed) return;
		this.#note(subscription, delivery.id, { at, ...outcome });
	}

	#note(subscription: Subscription, id: number, attempt: Outcome & { at: string }): void {
		const { data, settings, mailer } = this.#parts;
		this.#due.delete(id);
		data.database.transaction(() => {
			const failures = data.deliveries.note(id, attempt);
			if (failures === 0) return;
			if (failures < maximumFailures) {
				const pause = settings.backoffMs * 2 ** (failures - 1);
				this.#due.set(id, { failures, at: data.clock.monotonic() + pause });
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
