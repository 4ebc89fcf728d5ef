/** Notes how deliveries went, and pauses a subscription whose target fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../foundation/clock.ts';
import { messageOf } from '../foundation/messageOf.ts';
import { maximumFailures } from '../foundation/settings.ts';
import type { PendingDelivery } from '../storage/deliveryQueue.ts';
import type { Attempt } from '../storage/deliveryLog.ts';
import type { Store } from '../storage/store.ts';
import type { Subscription } from '../storage/subscriptions.ts';
import type { Mailer } from './mailer.ts';
import { pauseMail } from './pauseMail.ts';
import type { RetryTimes } from './retryTimes.ts';

/** An attempt, before it has its number. */
export type NewAttempt = Omit<Attempt, 'number'>;

/** Notes how deliveries went. */
export interface Outcomes {
	/** Notes an attempt as soon as the database can, as sending again would deliver twice. */
	note(
		subscription: Subscription,
		delivery: PendingDelivery,
		attempt: NewAttempt,
		signal: AbortSignal,
	): Promise<void>;
}

/** Time until the database is tried again after it failed, in ms. */
export const databasePauseMs = 1_000;

/** What outcomes are noted with. */
export interface OutcomeParts {
	store: Store;
	clock: Clock;
	mailer: Mailer;
	retryTimes: RetryTimes;
	/** Told about failures of the database, in words without secrets. */
	report(message: string): void;
}

/** Makes what notes outcomes. @see service interface, part 3 */
export function createOutcomes({
	store,
	clock,
	mailer,
	retryTimes,
	report,
}: OutcomeParts): Outcomes {
	/** Pauses a subscription and tells its owner why. */
	const pause = (subscription: Subscription, reason: string) => {
		if (!store.subscriptions.pause(subscription.id)) return;
		store.mails.add(pauseMail(subscription, reason));
	};
	store.listeners.overflowed = (subscription) => {
		pause(
			subscription,
			`because more events wait for ${subscription.targetUrl} than the service keeps.`,
		);
		setImmediate(() => void mailer.flush());
	};

	const write = (
		subscription: Subscription,
		{ id, failures: before }: PendingDelivery,
		attempt: NewAttempt,
	) => {
		retryTimes.forget(id);
		if (attempt.error === null) {
			store.deliveries.delivered(id, attempt);
			return;
		}
		const failures = before + 1;
		const lost = failures >= maximumFailures;
		const wait = retryTimes.failed(id, failures);
		store.database.transaction(() => {
			store.deliveries.failed(id, attempt, failures, clock.now() + wait);
			if (!lost) return;
			pause(
				subscription,
				`after ${maximumFailures} failed attempts to deliver an event to ${subscription.targetUrl}.\nThe last attempt: ${attempt.error}.`,
			);
		});
		if (!lost) return;
		retryTimes.forget(id);
		void mailer.flush();
	};

	return {
		async note(subscription, delivery, attempt, signal) {
			do {
				try {
					write(subscription, delivery, attempt);
					return;
				} catch (error) {
					report(`a delivery could not be noted: ${messageOf(error)}`);
					await sleep(databasePauseMs, undefined, { signal }).catch(() => {});
				}
			} while (!signal.aborted);
		},
	};
}
