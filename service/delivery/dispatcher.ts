/** Delivers what is queued: in order for each subscription, retries after a growing pause, pauses after four failures. */
import type { Delivery } from '../data/deliveries.ts';
import type { Store } from '../data/store.ts';
import type { Subscription } from '../data/subscriptions.ts';
import { maximumTimerMs, type Settings } from '../foundation/settings.ts';
import type { Mailer } from './mailer.ts';
import { createAgent, post } from './sender.ts';

/** Failed attempts after which a subscription is paused. @see service interface, part 8 */
const maximumFailures = 4;

/** Delivers what is queued. It does nothing until it is woken. @see service interface, parts 3 and 6 */
export class Dispatcher {
	readonly #store: Store;
	readonly #settings: Settings;
	readonly #mailer: Mailer;
	readonly #agent = createAgent();
	/** By subscription: the delivery under way, and the timer of a retry. */
	readonly #sending = new Map<string, Promise<void>>();
	readonly #timers = new Map<string, NodeJS.Timeout>();
	#isStopping = false;

	constructor(store: Store, settings: Settings, mailer: Mailer) {
		this.#store = store;
		this.#settings = settings;
		this.#mailer = mailer;
	}

	/** Sends what waits for a subscription, now or when it is due. */
	wake(id: string): void {
		clearTimeout(this.#timers.get(id));
		this.#timers.delete(id);
		if (this.#isStopping || this.#sending.has(id)) return;
		const subscription = this.#store.subscriptions.find(id);
		const delivery = this.#store.deliveries.next(id);
		if (subscription?.state !== 'active' || !delivery) return;
		const wait = this.#waitFor(delivery);
		if (wait > 0) {
			this.#timers.set(
				id,
				setTimeout(() => this.wake(id), wait),
			);
			return;
		}
		const sent = this.#deliver(subscription, delivery).finally(() => {
			this.#sending.delete(id);
			this.wake(id);
		});
		this.#sending.set(id, sent);
	}

	/** Wakes everything that waits, for example from a process that was killed. */
	wakeAll(): void {
		for (const id of this.#store.deliveries.waiting()) this.wake(id);
	}

	/** Stops. Deliveries under way may end within a time, so that none of them is repeated after the next start. */
	async close(drainMs: number): Promise<void> {
		this.#isStopping = true;
		for (const timer of this.#timers.values()) clearTimeout(timer);
		const late = setTimeout(() => void this.#agent.destroy(), drainMs);
		await Promise.all(this.#sending.values());
		clearTimeout(late);
		await this.#agent.destroy();
	}

	/** How long a delivery has to wait after its last failure, in ms. */
	#waitFor({ failures, attempts }: Delivery): number {
		if (failures === 0) return 0;
		const pause = Math.min(this.#settings.backoffMs * 2 ** (failures - 1), maximumTimerMs);
		const { at = '', durationMs = 0 } = attempts.at(-1) ?? {};
		const over = this.#store.clock.now() - Date.parse(at) - durationMs;
		// The clock may have been set meanwhile.
		return Math.min(pause - over, pause);
	}

	async #deliver(subscription: Subscription, delivery: Delivery): Promise<void> {
		const at = this.#store.clock.iso();
		const { deliveryTimeoutMs } = this.#settings;
		const outcome = await post(this.#agent, subscription, delivery.body, deliveryTimeoutMs);
		// An attempt cut short by our own shutdown says nothing about the target.
		if (outcome.error !== null && this.#agent.destroyed) return;
		this.#store.database.transaction(() => {
			const failures = this.#store.deliveries.note(delivery, { at, ...outcome });
			if (failures < maximumFailures || !this.#store.subscriptions.pause(subscription.id)) return;
			const reason = `after ${failures} failed attempts to deliver an event to ${subscription.targetUrl}.`;
			this.#mailer.addPause(subscription.id, `${reason}\nThe last attempt: ${outcome.error}.`);
		});
		this.#mailer.flush();
	}
}
