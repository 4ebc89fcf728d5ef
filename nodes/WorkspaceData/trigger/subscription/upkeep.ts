/** `trigger()`: looks after the subscriptions while the workflow is published. */
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import type { Effect } from '../../model/subscription/eventsAndEffects';
import { type Clock, systemClock } from '../../transport/http/clock';
import { searchJob } from '../catchUp/catchUpJob';
import { nextTry } from '../catchUp/searchTries';
import { credentialFingerprint } from '../../transport/auth/credential';
import { reasonOf, warn, warnSparingly } from '../log';
import { readSettings, type TriggerSettings } from '../parameters';
import { nodeOf } from './nodeState';
import { probe } from './probe';
import { deleteWith, logLeftBehind } from './deletions';
import { activationError, isStarting } from './publishing';
import { jitterOf, renew } from './renew';
import { BACKGROUND_CALL } from './subscriptionApi';
import { runExecution, startSaving, type Upkeep } from './saving';

/** When to look whether there is something to do: every ten seconds. */
const EVERY_TEN_SECONDS = '*/10 * * * * *';

/** Renews the subscription; where that fails, after a pause that grows. */
async function renewNow(upkeep: Upkeep): Promise<void> {
	const { context, settings, clock, node } = upkeep;
	const { address } = node.set;
	if (address === undefined) return;
	const { overlapMs } = settings;
	const manner = { savedByHook: false, overlapMs, call: BACKGROUND_CALL };
	const effects = await renew(context, node, settings, address, clock, manner).catch(
		(error: unknown) => {
			const message = `The subscription could not be renewed yet: ${reasonOf(error)}`;
			warnSparingly(context, node.warnings.upkeep, clock.now(), message);
			return [];
		},
	);
	for (const task of effects) if (task.type === 'save') startSaving(upkeep, task);
}

/** How often the credential is compared while all is well, in ms; it is one read of n8n's database. */
const CREDENTIAL_INTERVAL_MS = 60_000;

/**
 * Notices that somebody changed the credential: what the service refused it may accept now, and the saved
 * secrets must be sealed with the new one. Costs no request.
 */
async function checkCredential({ context, settings, clock, node }: Upkeep): Promise<void> {
	const { credential } = node;
	if (!credential) return;
	const sinceMs = clock.now() - credential.checkedAt;
	const isRefused = node.set.renewAt !== undefined;
	if (!isRefused && sinceMs >= 0 && sinceMs < CREDENTIAL_INTERVAL_MS) return;
	const fingerprint = await credentialFingerprint(context, settings.authentication).catch(
		() => undefined,
	);
	if (fingerprint === undefined) return;
	node.credential = { fingerprint, checkedAt: clock.now() };
	if (fingerprint === credential.fingerprint) return;
	warn(context, 'The credential has changed: the subscription is renewed');
	node.dispatch({ type: 'credentialChanged', now: clock.now() });
}

/** Starts the execution that looks for missed records; once more when it could not read them. */
function searchDue({ context, clock, node }: Upkeep): void {
	const pending = node.pendingSearch;
	if (!pending || clock.now() < pending.notBefore) return;
	node.pendingSearch = undefined;
	void runExecution(context, searchJob(pending.search)).then((outcome) => {
		if (outcome === 'done' || node.pendingSearch) return;
		node.pendingSearch = nextTry(pending, clock.now());
	});
}

async function carryOut(upkeep: Upkeep, task: Effect): Promise<void> {
	const { context, settings, clock, node } = upkeep;
	switch (task.type) {
		case 'create':
			await renewNow(upkeep);
			break;
		case 'delete':
			await deleteWith(context, node, settings.authentication, task.subscriptions, clock);
			break;
		case 'save':
			startSaving(upkeep, task);
			break;
		case 'probe': {
			const { generation } = task.subscription;
			const answer = await probe(context, task, settings.authentication, clock);
			const probed = { type: 'probed', generation, answer } as const;
			const effects = node.dispatch({ ...probed, jitter: jitterOf(clock), now: clock.now() });
			for (const next of effects) await carryOut(upkeep, next);
			break;
		}
		case 'leaveBehind':
			logLeftBehind(context, task);
			break;
		default:
	}
}

/**
 * @returns undefined for a value that cannot be used while n8n starts: the hook has logged it
 * @throws NodeOperationError for such a value when somebody publishes
 */
function settingsOf(context: ITriggerFunctions): TriggerSettings | undefined {
	try {
		return readSettings(context);
	} catch (error) {
		if (isStarting(context)) return undefined;
		throw activationError(context.getNode(), error);
	}
}

/**
 * Looks after the subscriptions. n8n calls `trigger()` at every start, and because it exists calls the
 * lifecycle methods at every start, too.
 */
export async function lookAfter(
	context: ITriggerFunctions,
	clock: Clock = systemClock,
): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual') return {};
	// Once: n8n 2 evaluates expressions only while it activates the trigger, not when a cron ticks.
	const read = settingsOf(context);
	if (!read) return {};
	const settings = read;
	let busy = false;
	let closed = false;

	async function look(): Promise<void> {
		const node = nodeOf(context, 'production');
		const upkeep = { context, settings, clock, node };
		await checkCredential(upkeep);
		const silenceMs = settings.silenceMs * node.spread;
		const { overlapMs } = settings;
		const now = clock.now();
		for (const task of node.dispatch({ type: 'passed', silenceMs, overlapMs, now })) {
			await carryOut(upkeep, task);
			if (closed) return;
		}
		searchDue(upkeep);
	}

	async function tick(): Promise<void> {
		if (busy || closed) return;
		busy = true;
		try {
			await look();
		} catch (error) {
			const { warnings } = nodeOf(context, 'production');
			warnSparingly(
				context,
				warnings.upkeep,
				clock.now(),
				`The subscription could not be checked: ${reasonOf(error)}`,
			);
		} finally {
			busy = false;
		}
	}

	context.helpers.registerCron({ expression: EVERY_TEN_SECONDS }, () => void tick());
	return {
		async closeFunction() {
			closed = true;
		},
	};
}
