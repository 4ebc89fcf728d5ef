/** The parts that the suites of deliveries share: a service with a card of books, and signed events of it. */
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { current } from './lifecycle';
import { triggerNode, watchWarnings, type TestTrigger } from './trigger';
import { startWorkspace, type TestCard, type TestWorkspace } from './workspace';

interface Made {
	workspace: TestWorkspace;
	card: TestCard;
	/** The lines that the node writes to n8n's log during a test. */
	warnings: ReturnType<typeof watchWarnings>;
}

/** Signs as the service does, not with the code under test. */
export const sign = (body: Uint8Array, secret: string): string =>
	createHmac('sha256', secret).update(body).digest('hex');

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
export function signed(trigger: TestTrigger, value: unknown, headers: Record<string, string> = {}) {
	const body = Buffer.isBuffer(value) ? value : bytes(value);
	return {
		body,
		headers: {
			'content-type': 'application/json',
			'x-service-signature': sign(body, secretOf(trigger)),
			...headers,
		},
	};
}

let bodies = 0;

/**
 * Starts a service before the tests of a file, and puts everything back after each.
 *
 * @param take gets the service, its card and the warnings before each test
 */
export function useDeliveries(take: (made: Made) => void) {
	let made: Omit<Made, 'warnings'> | undefined;
	let warnings: Made['warnings'] | undefined;
	beforeAll(async () => {
		const workspace = await startWorkspace();
		const card = await workspace.card('Books', [
			{ name: 'Title', type: 'text' },
			{ name: 'Pages', type: 'number' },
		]);
		made = { workspace, card };
	});
	afterAll(async () => await made?.workspace.close());
	const started = () => {
		if (!made) throw new Error("The service didn't start");
		return made;
	};
	beforeEach(() => {
		warnings = watchWarnings();
		take({ ...started(), warnings });
	});
	afterEach(() => {
		warnings?.stop();
		made?.workspace.service.control.reset();
		jest.restoreAllMocks();
	});
	return {
		/** An activated trigger, loaded again as for a delivery. */
		async activated(parameters: IDataObject = {}): Promise<TestTrigger> {
			const given = { events: ['record.created', 'record.updated'], ...parameters };
			const trigger = triggerNode(started().workspace.apiKey, given);
			await trigger.activate();
			trigger.reload();
			return trigger;
		},
		/** An event of a record of the card that no other test has. */
		eventBody: (changes: IDataObject = {}): IDataObject => ({
			event: 'record.created',
			timestamp: new Date().toISOString(),
			workspace_id: started().workspace.service.workspaceId,
			card_id: started().card.id,
			record_id: `rec_${(bodies += 1)}`,
			data: { [String(started().card.fieldIds.Title)]: 'Emma' },
			...changes,
		}),
	};
}
