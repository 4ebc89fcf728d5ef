/** The parts that the suites of deliveries share: a service with a card of books, and signed events of it. */
import type { IDataObject } from 'n8n-workflow';
import { current, lifecycleSuite, signed as signedBy } from './lifecycle';
import type { TestTrigger } from './trigger';
import type { TestCard, TestWorkspace } from './workspace';

interface Made {
	workspace: TestWorkspace;
	card: TestCard;
	/** The lines that the node writes to n8n's log during a test. */
	warnings: { readonly lines: string[] };
}

/** The secret that n8n saved for a trigger. */
export const secretOf = (trigger: TestTrigger): string => current(trigger).secret;

/** What an item says about its event. */
const ABOUT = [
	...['event', 'timestamp', 'workspace_id', 'card_id', 'card_name', 'record_id'],
	...['delivery_key', 'caught_up', 'extra'],
];

/** The values of the first item, without what it says about its event. */
export const valuesOf = (items: readonly IDataObject[] | undefined): IDataObject =>
	Object.fromEntries(Object.entries(items?.[0] ?? {}).filter(([key]) => !ABOUT.includes(key)));

/** A body as the service sends it. */
export const bytes = (value: unknown): Buffer =>
	Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

/** A delivery signed with the trigger's secret. */
export function signed(trigger: TestTrigger, value: unknown, more: Record<string, string> = {}) {
	const body = Buffer.isBuffer(value) ? value : bytes(value);
	const { headers } = signedBy(current(trigger), body);
	return { body, headers: { 'content-type': 'application/json', ...headers, ...more } };
}

let bodies = 0;

/** A suite of the lifecycle with a card. @param take gets the service, its card and the warnings before each test */
export function useDeliveries(take: (made: Made) => void) {
	const suite = lifecycleSuite();
	let card: TestCard;
	beforeAll(async () => {
		card = await suite.workspace.card('Books', { Title: 'text', Pages: 'number' });
	});
	const warnings = {
		get lines() {
			return suite.warnings;
		},
	};
	beforeEach(() => take({ workspace: suite.workspace, card, warnings }));
	return {
		/** An activated trigger, loaded again as for a delivery. */
		async activated(parameters: IDataObject = {}): Promise<TestTrigger> {
			const events = ['record.created', 'record.updated'];
			const trigger = await suite.published({ events, ...parameters });
			trigger.reload();
			return trigger;
		},
		/** An event of a record of the card that no other test has. */
		eventBody: (changes: IDataObject = {}): IDataObject => ({
			event: 'record.created',
			timestamp: new Date().toISOString(),
			workspace_id: suite.workspace.service.workspaceId,
			card_id: card.id,
			record_id: `rec_${(bodies += 1)}`,
			data: { [String(card.fieldIds.Title)]: 'Emma' },
			...changes,
		}),
	};
}
