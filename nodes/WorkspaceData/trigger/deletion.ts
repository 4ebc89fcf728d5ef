import type { IHookFunctions } from 'n8n-workflow';
import {
	NO_SUBSCRIPTIONS,
	type RetiredSubscription,
	type Subscription,
} from '../model/subscription';
import { openApi, type WorkspaceApi } from '../transport/api';
import { ApiFailure } from '../transport/failures';
import {
	allOf,
	keepSubscriptions,
	loadSubscriptions,
	saveSubscriptions,
} from './keptSubscriptions';
import { memoryOf } from './memory';
import { readSettings } from './settings';
import { reasonOf } from './warning';
import { within } from './within';

/** Deletions are not worth more; n8n waits for them when a workflow is unpublished. */
const DELETE_CALL = { impatient: true, timeoutMs: 8_000 } as const;
/** With the token for it and the turn it waits for. */
const END_WITHIN_MS = 9_000;

/** Statuses that say that there is no such subscription. */
const GONE = [404, 410];

/**
 * Deletes a subscription in the workspace in which it was made; one that is gone already counts as
 * deleted.
 *
 * @throws Error when it is at another address than the credential: that is sent to its own only
 */
export async function deleteSubscription(
	api: WorkspaceApi,
	{ id, workspaceId, baseUrl = api.baseUrl }: Pick<Subscription, 'id' | 'workspaceId' | 'baseUrl'>,
): Promise<void> {
	if (baseUrl !== api.baseUrl) {
		throw new Error(`it is in workspace ${workspaceId} at ${baseUrl}, the credential is not`);
	}
	await api
		.request({
			method: 'DELETE',
			root: 'api',
			path: [
				'workspaces',
				{ value: workspaceId, parameter: 'Workspace ID' },
				'webhooks',
				{ value: id, parameter: 'Subscription' },
			],
			...DELETE_CALL,
		})
		.catch((error: unknown) => {
			if (!(error instanceof ApiFailure && GONE.includes(error.problem.status))) throw error;
		});
}

/**
 * Deletes subscriptions side by side.
 *
 * @returns those that could not be deleted, and are worth another try
 */
export async function deleteAll(
	api: WorkspaceApi,
	subscriptions: readonly RetiredSubscription[],
	warn: (message: string) => void,
): Promise<RetiredSubscription[]> {
	const outcomes = await Promise.all(
		subscriptions.map(async (subscription) => {
			try {
				await deleteSubscription(api, subscription);
				return undefined;
			} catch (error) {
				const { id, giveUpAt } = subscription;
				const givesUp = giveUpAt <= Date.now();
				const what = givesUp ? 'is left behind at the service' : 'could not be deleted yet';
				warn(`Subscription ${id} ${what}: ${reasonOf(error)}`);
				return givesUp ? undefined : subscription;
			}
		}),
	);
	return outcomes.filter((left) => left !== undefined);
}

/** As `deleteAll`, with the credential of the node; where that fails, all are left. */
async function tryToDelete(
	context: IHookFunctions,
	subscriptions: RetiredSubscription[],
): Promise<RetiredSubscription[]> {
	const warn = (message: string) => context.logger.warn(message);
	try {
		const api = await openApi(context, readSettings(context).authentication);
		return await deleteAll(api, subscriptions, warn);
	} catch (error) {
		warn(`The subscription could not be deleted yet: ${reasonOf(error)}`);
		return subscriptions;
	}
}

/**
 * `webhookMethods.delete`: never throws, and never takes long; what could not be deleted is remembered
 * and tried again.
 */
export async function endSubscriptions(context: IHookFunctions): Promise<boolean> {
	const memory = memoryOf(context);
	memory.catchUp = undefined;
	memory.renewal = undefined;
	const all = allOf(loadSubscriptions(context));
	const deletion = all.length > 0 ? tryToDelete(context, all) : Promise.resolve(all);
	const retired = await within(END_WITHIN_MS, deletion, () => {
		context.logger.warn('The subscription could not be deleted yet: it took too long');
		return all;
	});
	keepSubscriptions(context, { ...NO_SUBSCRIPTIONS, retired });
	saveSubscriptions(context);
	return retired.length === 0;
}
