/** The parts that the suites of the trigger share: a service, triggers of it, and signed deliveries. */
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Saved, Subscription } from '../../nodes/WorkspaceData/trigger/subscription';
import { until as untilAnswer } from '../host/deadline.ts';
import { inAnotherProcess } from './anotherProcess';
import type * as TriggerSupport from './trigger';
import { triggerNode, watchWarnings, type DeliveryRequest, type TestTrigger } from './trigger';
import { useWorkspace, workspace, type TestCard, type TestWorkspace } from './workspace';

/** The subscriptions that n8n saved for a trigger. */
export function keptBy(trigger: TestTrigger, saved = trigger.saved()): Saved {
	const data = saved[`node:${trigger.node.name}`] as { subscriptions?: unknown };
	return (data?.subscriptions ?? { version: 0, previous: [] }) as Saved;
}

/** The subscription that n8n saved as the current one. */
export function current(
	trigger: TestTrigger,
	saved = trigger.saved(),
): Subscription & { id: string } {
	const subscription = keptBy(trigger, saved).current;
	if (!subscription?.id) throw new Error('No subscription was saved');
	return { ...subscription, id: subscription.id };
}

/** A body as the service sends it. */
export const bytes = (value: unknown): Buffer =>
	Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** A delivery of a body, signed by a secret. */
export const signedBy = (secret: string, value: unknown, headers = {}): DeliveryRequest => {
	const body = Buffer.isBuffer(value) ? value : bytes(value);
	const signature = createHmac('sha256', secret).update(body).digest('hex');
	return {
		body,
		headers: { 'content-type': 'application/json', 'x-service-signature': signature, ...headers },
	};
};

/** A delivery of a body by the trigger's current subscription. */
export const signed = (trigger: TestTrigger, value: unknown, headers = {}): DeliveryRequest =>
	signedBy(current(trigger).secret, value, headers);

/** What an item says about its event. */
const ABOUT = [
	...['event', 'timestamp', 'workspace_id', 'card_id', 'card_name', 'record_id'],
	...['delivery_key', 'extra'],
];

/** The values of the first item, without what it says about its event. */
export const valuesOf = (items: readonly IDataObject[] | undefined): IDataObject =>
	Object.fromEntries(Object.entries(items?.[0] ?? {}).filter(([key]) => !ABOUT.includes(key)));

const realNow = Date.now.bind(Date);

/** How far the clock was put forward, in ms. It never goes back, as requests that wait rely on it. */
let ahead = 0;

/** Lets time pass for the nodes, n8n and the service of this process. */
export function pass({ hours = 0, minutes = 0, seconds = 0 }): void {
	ahead += ((hours * 60 + minutes) * 60 + seconds) * 1_000;
	// No spy, which would keep each call.
	Date.now = () => realNow() + ahead;
}

/** Waits until something happens at the service. */
export const until = async (what: string, happened: () => boolean) =>
	await untilAnswer(what, () => happened() || undefined, 20_000, 5);

/** Looks of the trigger, five minutes apart. */
export async function looks(trigger: TestTrigger, count: number): Promise<void> {
	for (let n = 0; n < count; n += 1) {
		pass({ minutes: 5 });
		await trigger.tick();
	}
}

/** The card of the suite. */
export let books: TestCard;

let records = 0;

/** The lines that the node has written to n8n's log during this test. */
export let warnings: string[] = [];

/** Starts a service with a card before the tests of a file, and puts everything back after each. */
export function useTriggers(): void {
	useWorkspace();
	beforeAll(async () => {
		books = await workspace.card('Books', { Title: 'text', Pages: 'number' });
	});
	afterAll(() => void (Date.now = realNow));
	beforeEach(() => {
		warnings = watchWarnings();
		pass({});
		// With an offset, the service's header Date goes by the same clock.
		workspace.service.control.setClockOffset({ seconds: 0.001 });
		workspace.service.control.setRate({ rate: { limit: 1_000_000 } });
	});
	afterEach(() => jest.restoreAllMocks());
}

/** The parameters that watch one card. */
export const oneCard = (value: string, mode = 'id'): IDataObject => ({
	watch: 'oneCard',
	cardId: { __rl: true, mode, value },
});

type TriggerOptions = NonNullable<Parameters<typeof triggerNode>[2]>;

/** A trigger for created records, unless told otherwise. */
export const watchAll = (
	parameters: IDataObject = {},
	credentials = workspace.apiKey,
	options: TriggerOptions = {},
): TestTrigger => triggerNode(credentials, { events: ['record.created'], ...parameters }, options);

/** As `watchAll`, published, and with `trigger()` called. */
export async function published(...given: Parameters<typeof watchAll>): Promise<TestTrigger> {
	const trigger = watchAll(...given);
	await trigger.activate();
	await trigger.start('activate');
	return trigger;
}

/** An event of a record of the card that no other test has. */
export const eventBody = (changes: IDataObject = {}): IDataObject => ({
	event: 'record.created',
	timestamp: new Date(Date.now()).toISOString(),
	workspace_id: workspace.service.workspaceId,
	card_id: books.id,
	record_id: `rec_${(records += 1)}`,
	data: { [String(books.fieldIds.Title)]: 'Emma' },
	...changes,
});

/** Delivers an event by the current subscription. @returns the items of the execution, if one starts */
export const itemsFor = async (trigger: TestTrigger, changes?: IDataObject) =>
	(await trigger.deliver(signed(trigger, eventBody(changes)))).items;

/** Delivers an event by a subscription. @returns how often the workflow runs; the status if it isn't 200 */
export async function runs(
	trigger: TestTrigger,
	{ secret }: { secret: string },
	changes: IDataObject = {},
): Promise<number> {
	const { status, items } = await trigger.deliver(signedBy(secret, eventBody(changes)));
	return status === 200 ? (items?.length ?? 0) : status;
}

/** The next subscription isn't made. */
export const refuseNext = (refusal: Parameters<TestWorkspace['fail']>[2]): void =>
	workspace.fail('POST', '/webhooks$', refusal);

/** The process ends; n8n starts again with what it saved. */
export function afterRestart(
	trigger: TestTrigger,
	options: TriggerOptions & { credentials?: TestWorkspace['apiKey'] } = {},
): TestTrigger {
	const { credentials = workspace.apiKey, ...others } = options;
	const support = inAnotherProcess(() => jest.requireActual<typeof TriggerSupport>('./trigger'));
	return support.triggerNode(credentials, trigger.node.parameters as IDataObject, {
		sameAs: trigger,
		name: trigger.node.name,
		staticData: trigger.saved(),
		...others,
	});
}

/** The IDs of a trigger's subscriptions at the service. */
export const live = (trigger: TestTrigger): string[] =>
	workspace.service.control
		.subscriptions()
		.filter(({ targetUrl }) => targetUrl.includes(`/${trigger.node.webhookId}/`))
		.map(({ id }) => id);

/** How often the service was asked for a subscription. */
export const subscribed = () => workspace.requests(/^POST \/webhooks$/).length;
