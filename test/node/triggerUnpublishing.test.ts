/** The trigger is unpublished: its subscriptions end, and nothing else. */
import { hurry } from '../support/quickTime';
import { current, keptBy, lifecycleSuite, until, untilTicked, pass } from '../support/lifecycle';
import { startWebServer } from '../support/webServer';
import { startWorkspace } from '../support/workspace';

const suite = lifecycleSuite();

describe('unpublishing', () => {
	it.each([
		[404, undefined],
		[410, { type: 'https://service.example/problems/webhook-not-found' }],
	])('counts a subscription that is gone as deleted: %d', async (status, json) => {
		const trigger = await suite.published();
		if (json) suite.workspace.fail('DELETE', '/webhooks/', { status, json });
		else await suite.workspace.send('DELETE', `/webhooks/${current(trigger).id}`);
		expect(await trigger.deactivate()).toBe(true);
		expect(keptBy(trigger).previous).toMatchObject([{ fate: 'deleted' }]);
		expect(suite.warnings).toEqual([]);
	});

	it("remembers what couldn't be deleted, and deletes it when published again", async () => {
		const trigger = await suite.published();
		const { id } = current(trigger);
		suite.workspace.fail('DELETE', '/webhooks/', { status: 500, times: 3 });
		expect(await trigger.deactivate()).toBe(false);
		expect(suite.warnings).toEqual([expect.stringContaining(id)]);
		expect(keptBy(trigger).previous).toMatchObject([{ id }]);
		await trigger.activate();
		expect(suite.live(trigger).map((one) => one.id)).toEqual([current(trigger).id]);
		expect(keptBy(trigger).previous).toMatchObject([{ id, fate: 'deleted' }]);
		expect(suite.warnings[1]).toContain(`Subscription ${id} is deleted now`);
	});

	it('gives up on a deletion that hangs', async () => {
		// The deletion continues in the background: at another service, it does not meet other tests.
		const apart = await startWorkspace();
		const trigger = await suite.published({}, apart.apiKey);
		const { control } = apart.service;
		control.fail({ method: 'DELETE', path: '/webhooks/', mode: 'hang', times: 100 });
		hurry();
		const ended = trigger.deactivate();
		// Nine seconds later.
		const now = Date.now.bind(Date);
		const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 9_000);
		expect(await ended).toBe(false);
		later.mockRestore();
		expect(keptBy(trigger).previous).toHaveLength(1);
		control.clearFailures();
		// A try that began before may hang for another 8 s; each call waits up to 9 s for it.
		if (!(await trigger.deactivate())) expect(await trigger.deactivate()).toBe(true);
		expect(control.subscriptions()).toEqual([]);
		await apart.close();
	});

	it.each([
		["a gateway's page with status 404", { status: 404, body: 'html' }],
		["a gateway's JSON", { status: 404, body: 'json', json: { message: 'no Route matched' } }],
		['the workspace', { status: 404, json: { type: 'https://x/problems/workspace-not-found' } }],
		['nothing', { status: 410, body: 'empty' }],
		['a web page with status 200', { status: 200, body: 'html' }],
		['a refusal with status 200', { status: 200, body: 'json', json: { deleted: false } }],
	] as const)("doesn't take %s for a deletion: the log names it", async (_name, answer) => {
		const trigger = await suite.published();
		const { id } = current(trigger);
		suite.workspace.fail('DELETE', '/webhooks/', { ...answer });
		expect(await trigger.deactivate()).toBe(false);
		expect(keptBy(trigger).previous).toMatchObject([{ id }]);
		expect(suite.warnings.filter((line) => line.includes(id))).toEqual([
			expect.stringContaining("couldn't be deleted yet"),
		]);
		await trigger.activate();
		expect(suite.live(trigger).map((one) => one.id)).toEqual([current(trigger).id]);
	});

	it("deletes all of 12 under a limit that n8n doesn't wait for", async () => {
		const limited = await startWorkspace();
		const triggers = Array.from({ length: 12 }, () => suite.watchAll({}, limited.apiKey));
		for (const trigger of triggers) await trigger.activate();
		const left = () => limited.service.control.subscriptions().length;
		expect(left()).toBe(12);
		limited.service.control.setRate({ rate: { limit: 5, windowSeconds: 3 } });
		hurry();
		await Promise.all(triggers.map(async (trigger) => await trigger.deactivate()));
		await until('the last deletion', () => left() === 0);
		// The last responses are still on their way.
		await Promise.all(triggers.map(async (trigger) => await trigger.idle()));
		await limited.close();
	});

	it('deletes in the workspace in which it subscribed, whatever the credential names now', async () => {
		const credential = { ...suite.workspace.apiKey.workspaceDataApi };
		const trigger = await suite.published({}, { workspaceDataApi: credential });
		credential.workspaceId = 'wsp_other';
		expect(await trigger.deactivate()).toBe(true);
		expect(suite.live(trigger)).toEqual([]);
	});

	it('sends no credential to a service that it no longer belongs to, and names the subscription left there; a day later it is given up', async () => {
		const other = await startWorkspace();
		const credential = { ...suite.workspace.apiKey.workspaceDataApi };
		const trigger = await suite.published({}, { workspaceDataApi: credential });
		const { id } = current(trigger);
		const { baseUrl } = credential;
		Object.assign(credential, other.apiKey.workspaceDataApi);
		suite.workspace.service.control.resetRequests();
		other.service.control.resetRequests();
		expect(await trigger.deactivate()).toBe(false);
		expect(suite.workspace.requests()).toEqual([]);
		expect(other.requests()).toEqual([]);
		expect(suite.warnings.filter((line) => line.includes(id))).toEqual([
			expect.stringContaining(`at ${String(baseUrl)}`),
		]);
		expect(keptBy(trigger).previous).toMatchObject([{ id }]);

		await trigger.activate();
		await trigger.start();
		pass(25);
		await untilTicked(trigger, 'the line in the log', () =>
			suite.warnings.find((line) => line.includes(`Subscription ${id} still exists`)),
		);
		expect(suite.workspace.requests()).toEqual([]);
		await trigger.deactivate();
		await other.close();
	});

	it("doesn't wait for an auth server that doesn't respond", async () => {
		const silent = await startWebServer(() => undefined);
		const account = suite.workspace.serviceAccount.workspaceDataServiceAccountApi;
		const credential = { ...account };
		const trigger = await suite.published({}, { workspaceDataServiceAccountApi: credential });
		const { id } = current(trigger);
		hurry();
		credential.authUrl = silent.url;
		const ended = trigger.deactivate();
		// Nine seconds later.
		const now = Date.now.bind(Date);
		const later = jest.spyOn(Date, 'now').mockImplementation(() => now() + 9_000);
		expect(await ended).toBe(false);
		expect(keptBy(trigger)).toMatchObject({ previous: [{ id }] });
		later.mockRestore();
		await silent.close();
		await until('the end of the deletion, which went on', () =>
			suite.warnings.some((line) => line.includes(id)),
		);

		Object.assign(credential, account);
		expect(await trigger.deactivate()).toBe(true);
		expect(suite.live(trigger)).toEqual([]);
	});

	it('leaves nothing behind when a renewal falls due meanwhile', async () => {
		let questions = 0;
		const receive = async () => {
			questions += 1;
			if (questions === 1) {
				trigger.tick();
				await until('the renewal', () => suite.live(trigger).length === 2);
			}
			return { status: 404, items: undefined };
		};
		const own = { ownAddress: { receive } };
		const trigger = await suite.running({}, suite.workspace.apiKey, own);
		pass(26.5);
		suite.refuseNext({ mode: 'slowBody', byteMs: 10 });
		await trigger.deactivate();
		await until('its end', () => suite.live(trigger).length === 0);
		await trigger.idle();
		expect(keptBy(trigger)).not.toHaveProperty('current');
	});
});
