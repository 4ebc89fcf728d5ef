/** The parts that the suites of the trigger's lifecycle share: a service, triggers of it, and signed deliveries. */
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { inAnotherProcess } from './anotherProcess';
import type * as TriggerSupport from './trigger';
import { triggerNode, watchWarnings, type TestTrigger } from './trigger';
import { withOpenSecrets } from './sealed';
import { startWorkspace, type TestWorkspace } from './workspace';

/** A subscription as n8n saved it. */
export interface Stored {
	id: string;
	secret: string;
	deleteAt?: number | null;
}

/** Polls until something is there, or so. */
export async function until<T>(what: string, ask: () => T | undefined | false): Promise<T> {
	const end = performance.now() + 200_000;
	for (;;) {
		const answer = ask();
		if (answer !== undefined && answer !== false) return answer;
		if (performance.now() > end) throw new Error(`Waited in vain for ${what}`);
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

/** As `until`, with n8n's cron ticking meanwhile. */
export const untilTicked = async <T>(
	trigger: TestTrigger,
	what: string,
	ask: () => T | undefined | false,
): Promise<T> =>
	await until(what, () => {
		const answer = ask();
		if (answer === undefined || answer === false) trigger.tick();
		return answer;
	});

/** The clock goes to an hour, and the trigger looks at it. @param hours as for `pass` */
export async function tickAt(trigger: TestTrigger, hours: number): Promise<void> {
	pass(hours);
	trigger.tick();
	await trigger.idle();
}

/** As `untilTicked`, while a minute passes with each tick. @param hours when it begins, as for `pass` */
export async function untilMinutes(
	trigger: TestTrigger,
	hours: number,
	what: string,
	ask: () => boolean,
): Promise<void> {
	for (let minutes = 0; minutes < 120; minutes += 1) {
		if (ask()) return;
		await tickAt(trigger, hours + minutes / 60);
	}
	throw new Error(`Waited in vain for ${what}`);
}

/** The item of the execution that saves a new subscription. */
export const SAVING = { json: { event: 'subscription_renewed', sealed: expect.any(String) } };

/** The subscriptions that n8n saved for a trigger. */
export function keptBy(trigger: TestTrigger): { current?: Stored; previous: Stored[] } {
	const data = (trigger.saved() as Record<string, { subscriptions?: string }>)[
		`node:${trigger.node.name}`
	];
	return withOpenSecrets(data?.subscriptions ?? '{"previous":[]}', trigger.ownSecret());
}

/** The subscription that n8n saved as the current one. */
export function current(trigger: TestTrigger): Stored {
	const subscription = keptBy(trigger).current;
	if (!subscription) throw new Error('No subscription was saved');
	return subscription;
}

/** The header with which a subscription signs a body. */
export const signed = ({ secret }: Stored, body: Buffer) => ({
	body,
	headers: { 'x-service-signature': createHmac('sha256', secret).update(body).digest('hex') },
});

const realNow = Date.now.bind(Date);

/**
 * Puts the clock forward by some hours.
 *
 * @param since the real time that the hours are counted from, in ms: now unless told otherwise
 * @returns that time
 */
export const pass = (hours: number, since = realNow()): number => {
	const ahead = hours * 3_600_000 - (realNow() - since);
	jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ahead);
	return since;
};

let records = 0;

/** How the service answers instead of making a subscription. */
type Refusal = Omit<Parameters<TestWorkspace['service']['control']['fail']>[0], 'method' | 'path'>;

/** Starts a service before the tests of a file, and puts everything back after each. */
export function lifecycleSuite() {
	let workspace: TestWorkspace | undefined;
	/** Warnings of this process of n8n, and of the processes that tests start next to it. */
	let warnings: Array<ReturnType<typeof watchWarnings>> = [];

	beforeAll(async () => {
		workspace = await startWorkspace();
	});
	afterAll(async () => await workspace?.close());
	beforeEach(() => {
		warnings = [watchWarnings()];
	});
	/** Those whose upkeep runs: what one of them still has under way must not meet the next test. */
	let upkept: TestTrigger[] = [];
	afterEach(async () => {
		workspace?.service.control.reset();
		await Promise.all(upkept.map(async (trigger) => await trigger.deactivate()));
		expect(upkept.flatMap(live)).toEqual([]);
		upkept = [];
		for (const { stop } of warnings) stop();
		jest.restoreAllMocks();
	});

	const started = (): TestWorkspace => {
		if (!workspace) throw new Error("The service hasn't been started");
		return workspace;
	};
	const refuseNext = (refusal: Refusal): void =>
		started().service.control.fail({ method: 'POST', path: '/webhooks$', ...refusal });
	const watchAll = (
		parameters: IDataObject = {},
		credentials = started().apiKey,
		options: Parameters<typeof triggerNode>[2] = {},
	): TestTrigger =>
		triggerNode(credentials, { events: ['record.created'], ...parameters }, options);
	/** As `watchAll`, published. */
	async function published(...given: Parameters<typeof watchAll>): Promise<TestTrigger> {
		const trigger = watchAll(...given);
		await trigger.activate();
		return trigger;
	}

	/** As `published`, with its upkeep running. It leaves no subscription when it is unpublished after the test. */
	async function running(...given: Parameters<typeof watchAll>): Promise<TestTrigger> {
		const trigger = await published(...given);
		await trigger.start('activate');
		upkept.push(trigger);
		return trigger;
	}

	/** The subscriptions of a trigger at the service. */
	const live = (trigger: TestTrigger) =>
		started()
			.service.control.subscriptions()
			.filter(({ targetUrl }) => targetUrl.includes(`${trigger.node.webhookId}/`));

	/** A signed delivery of a record that was created. */
	function delivery(subscription: Stored, changes: IDataObject = {}) {
		const event = {
			event: 'record.created',
			timestamp: new Date().toISOString(),
			workspace_id: started().service.workspaceId,
			card_id: 'crd_1',
			record_id: `rec_${(records += 1)}`,
		};
		return signed(subscription, Buffer.from(JSON.stringify({ ...event, ...changes })));
	}

	/** The process ends; n8n starts again with what it saved. */
	function afterRestart(
		trigger: TestTrigger,
		{
			staticData = trigger.saved(),
			credentials = started().apiKey,
			...options
		}: {
			staticData?: IDataObject;
			credentials?: TestWorkspace['apiKey'];
		} & Omit<NonNullable<Parameters<typeof triggerNode>[2]>, 'staticData'> = {},
	): TestTrigger {
		return inAnotherProcess(() => {
			const support = jest.requireActual<typeof TriggerSupport>('./trigger');
			warnings.push(support.watchWarnings());
			return support.triggerNode(credentials, trigger.node.parameters as IDataObject, {
				sameAs: trigger,
				name: trigger.givenName,
				staticData: JSON.parse(JSON.stringify(staticData)) as IDataObject,
				...options,
			});
		});
	}

	return {
		get workspace(): TestWorkspace {
			return started();
		},
		watchAll,
		published,
		running,
		/** The workflow runs for a delivery of each of these subscriptions. */
		async runsFor(trigger: TestTrigger, ...subscriptions: Stored[]): Promise<void> {
			trigger.reload();
			for (const one of subscriptions) {
				expect((await trigger.deliver(delivery(one))).items).toHaveLength(1);
			}
		},
		refuseNext,
		afterRestart,
		/** Published, and then n8n started again while the service refused a new subscription. */
		async refusedAtStart(
			refusal: Refusal,
			parameters?: IDataObject,
		): Promise<{ old: Stored; next: TestTrigger }> {
			const trigger = await published(parameters);
			const next = afterRestart(trigger);
			refuseNext(refusal);
			started().service.control.resetRequests();
			await next.activate('init');
			return { old: current(trigger), next };
		},
		/** The lines that the node wrote to n8n's log during this test. */
		get warnings(): string[] {
			return warnings.flatMap(({ lines }) => lines);
		},
		live,
		delivery,
		/** The next subscription is answered with this, and not made. */
		answerNext: (json: object): void => refuseNext({ status: 201, body: 'json', json }),
		/** How often the service was asked for a subscription. */
		subscribed: () =>
			started()
				.requests()
				.filter((line) => line === 'POST /webhooks').length,
	};
}
