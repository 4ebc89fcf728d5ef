/** What would leave the trigger deaf, or subscriptions behind: a service that is slow, away, or has given up on n8n. */
import { credentialData, credentialNames } from '../../host/credentials.ts';
import { until } from '../../host/deadline.ts';
import { BARE_N8N, useBench } from '../support/bench.ts';
import { createClockOfN8n } from '../support/clockOfN8n.ts';
import { type Front, startFront } from '../support/front.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { restarts } from '../support/restarts.ts';
import { major } from '../support/settings.ts';
import { watchCard } from '../support/watch.ts';

jest.setTimeout(900_000);

const EIGHT_DAYS = 8 * 24 * 60;

describe(`the trigger of n8n ${major} stays subscribed`, () => {
	const clock = createClockOfN8n(`deaf-${major}`);
	const environment: Record<string, string> = { ...BARE_N8N, ...clock.environment };
	let front: Front;
	beforeAll(async () => {
		front = await startFront();
		environment[major === 1 ? 'WEBHOOK_URL' : 'N8N_WEBHOOK_URL'] = `${front.url}/`;
	});
	const bench = useBench(major, environment);
	const { collector, createRecords, expectExactly, liveAgain, noneLeft, restart, subscriptions } =
		restarts(bench, clock);
	let gateway: Gateway;

	beforeAll(async () => {
		const { client, credentials, host, service } = bench();
		front.n8n = host.baseUrl;
		const { origin, pathname } = new URL(service.baseUrl);
		gateway = await startGateway(origin);
		const { id } = credentials.workspaceDataApi;
		const data = credentialData(service).workspaceDataApi;
		const name = credentialNames.workspaceDataApi;
		const baseUrl = gateway.url + pathname;
		await client.updateCredential(id, name, 'workspaceDataApi', { ...data, baseUrl });
	});
	beforeEach(() => {
		gateway.addresses = 'many';
		gateway.seen.splice(0);
	});
	afterAll(async () => {
		await gateway.close();
		await front.close();
	});

	it('K6 keeps the subscription that is published again with the same id while its deletion is under way', async () => {
		const { client } = bench();
		gateway.addresses = 'replace';
		const { card, saved } = await watchCard(bench(), 'Same id');
		// n8n waits nine seconds for the deletion; its second try, which has eight, is then under way, and stays
		// so until n8n has published.
		gateway.putOffDeletion(6);
		const deletion = gateway.hold('DELETE');
		await client.unpublish(saved.id);
		await deletion;
		await client.publish(saved);
		await expectExactly(collector(saved), await createRecords(card, 2));
		expect(gateway.seen).toEqual([
			{ method: 'POST', status: 201 },
			{ method: 'DELETE', status: 503 },
			{ method: 'DELETE' },
			{ method: 'POST', status: 201 },
		]);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it('K12 is renewed within ten minutes when the service paused it, and says so in the log', async () => {
		const { client, control, host } = bench();
		// Nothing but repeated deliveries shows that the service may have paused it.
		const options = { catchUp: true, overlap: 0.1, renewAfterSilence: 0 };
		const { card, saved, subscription } = await watchCard(bench(), 'Lost answers', options);
		front.losesAnswers = true;
		await control.setDeliveryTimeout({ ms: 300 });
		const ids = await createRecords(card, 1);
		await until('the service to pause it', async () =>
			(await subscriptions(card)).every(({ state }) => state === 'paused') ? true : undefined,
		);
		front.losesAnswers = false;
		await control.setDeliveryTimeout({ ms: 10_000 });
		ids.push(...(await createRecords(card, 2)));
		await until('the line in the log', async () =>
			(await host.log()).includes('or it came again') ? true : undefined,
		);
		clock.pass(host, 10);
		await liveAgain(card, [subscription.id]);
		ids.push(...(await createRecords(card, 1)));
		await expectExactly(collector(saved), ids);
		await client.unpublish(saved.id);
		await noneLeft(card);
	});

	it('K8 waits in the background for a service that needs longer than n8n’s start waits', async () => {
		const { client, control, host } = bench();
		const { card, saved, subscription } = await watchCard(bench(), 'Slow', { overlap: 0.1 });
		const first = gateway.hold('POST');
		const restarted = restart();
		const { hungUp, pass } = await first;
		await hungUp;
		// Made all the same; nobody has its secret.
		await pass();
		await restarted;
		await until('the old one to be kept', async () =>
			(await host.log()).includes("couldn't be renewed yet") ? true : undefined,
		);
		expect((await client.workflow(saved.id)).active).toBe(true);
		const [, orphan] = await subscriptions(card);

		const second = gateway.hold('POST');
		clock.pass(host, 1);
		const slow = await second;
		await control.setLatency({ ms: 11_000 });
		await slow.pass();
		await control.setLatency({ ms: 0 });
		await liveAgain(card, [subscription.id, String(orphan?.id)]);
		await expectExactly(collector(saved), await createRecords(card, 2));
		await client.unpublish(saved.id);
		const left = (await subscriptions(card)).map(({ id, state }) => ({ id, state }));
		expect(left).toEqual([{ id: orphan?.id, state: 'paused' }]);
	});

	it.each(['many', 'refuse'] as const)(
		"K5 deletes after eight days what couldn't be deleted; further ones for its address: %s",
		async (addresses) => {
			const { client, host } = bench();
			gateway.addresses = addresses;
			const { card, saved, subscription } = await watchCard(bench(), `Away: ${addresses}`);
			gateway.isDown = true;
			await client.unpublish(saved.id);
			gateway.isDown = false;
			expect(await subscriptions(card)).toMatchObject([{ id: subscription.id, state: 'active' }]);
			clock.pass(host, EIGHT_DAYS);
			await client.signIn();
			await client.publish(saved);
			const [only] = await until('one subscription', async () => {
				const all = await subscriptions(card);
				return all.length === 1 ? all : undefined;
			});
			expect(only?.id).not.toBe(subscription.id);
			await expectExactly(collector(saved), await createRecords(card, 2));
			await client.unpublish(saved.id);
			await noneLeft(card);
		},
	);
});
