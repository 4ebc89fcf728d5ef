/** `webhookMethods.delete`: the workflow is unpublished, or a test ends. */
import type { IHookFunctions } from 'n8n-workflow';
import { stored as savedPart } from '../../model/subscription/merge';
import { type Clock, systemClock, wait } from '../../transport/http/clock';
import { warn } from '../log';
import { readAuthentication } from '../parameters';
import { deletedBy, deleteWith } from './deletions';
import { forget, keepDeletions, nodeOf, useAt } from './nodeState';
import { openStore } from './storage';

/** n8n waits for this hook, so it does not wait longer for deletions, in ms; they continue meanwhile. */
const WAIT_MS = 9_000;

/**
 * Ends the subscriptions that deliver to this very address, so that the end of a test does not touch the
 * published workflow, and a copy of n8n does not touch the original. Never throws and never takes long: what takes
 * longer continues while this process runs, and is saved, to be tried again when the workflow is published.
 */
export async function deactivate(
	context: IHookFunctions,
	clock: Clock = systemClock,
): Promise<boolean> {
	const address = context.getNodeWebhookUrl('default') ?? '';
	const use = useAt(context, address);
	const node = nodeOf(context, use);
	node.epoch += 1;
	const authentication = readAuthentication(context);
	const store = openStore(context, authentication);
	const stored = await store.read();
	const now = clock.now();
	node.dispatch({ type: 'started', address, stored, byPerson: true, overlapMs: Infinity, now });
	const subscriptions = deletedBy(node.dispatch({ type: 'unpublished', now }));
	const remaining = (): string[] => {
		const { retired } = node.set;
		return subscriptions.map(({ id }) => id).filter((id) => retired.some((one) => one.id === id));
	};
	if (authentication !== undefined) {
		let stop = () => {};
		const deletion = deleteWith(
			context,
			node,
			authentication,
			subscriptions,
			clock,
			'patient',
			(session) => (stop = () => session.stop()),
		);
		keepDeletions(context, use, { stop: () => stop(), done: deletion.then(remaining) });
		if (!(await within(WAIT_MS, deletion, clock))) {
			warn(
				context,
				'Deleting the subscription is taking longer than expected; it continues in the background',
			);
		}
	}
	await store.write(savedPart(node.set));
	forget(context, use);
	return remaining().length === 0;
}

/** Waits for a task, but not longer than so many ms. The task itself continues. @returns whether it ended */
async function within(ms: number, task: Promise<void>, clock: Clock): Promise<boolean> {
	const done = new AbortController();
	try {
		const ended = task.then(() => true);
		const late = wait(ms, clock, done.signal).then(() => false);
		late.catch(() => undefined);
		return await Promise.race([ended, late]);
	} finally {
		done.abort();
	}
}
