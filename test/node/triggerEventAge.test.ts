/** Max Event Age: events that are too old start nothing, whatever the clocks say. */
import { request as httpRequest } from 'node:http';
import { signed, useDeliveries } from '../support/deliveries';
import { triggerNode, watchWarnings } from '../support/trigger';
import { startWebServer } from '../support/webServer';
import type { TestWorkspace } from '../support/workspace';

let workspace: TestWorkspace;
let warnings: ReturnType<typeof watchWarnings>;
const { activated, eventBody } = useDeliveries((made) => ({ workspace, warnings } = made));

describe('when the local clock was wrong at the start and is put right', () => {
	const skewed = async (minutes: number) => {
		const now = Date.now.bind(Date);
		jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
		const trigger = await activated({ options: { maxEventAge: 5 } });
		jest.restoreAllMocks();
		warnings = watchWarnings();
		return trigger;
	};

	it.each([-20, 20])('by %d minutes, takes fresh events', async (minutes) => {
		const trigger = await skewed(minutes);
		expect((await trigger.deliver(signed(trigger, eventBody()))).items).toHaveLength(1);
	});

	it.each([-20, 20])('by %d minutes, ignores old ones and says so', async (minutes) => {
		const trigger = await skewed(minutes);
		// Learns the time from the first event that seems to come from another time.
		await trigger.deliver(signed(trigger, eventBody()));
		const timestamp = new Date(Date.now() - 6 * 60_000).toISOString();
		const old = await trigger.deliver(signed(trigger, eventBody({ timestamp })));
		expect(old.items).toBeUndefined();
		expect(warnings.lines).toEqual([expect.stringMatching(/it is 6 minutes old/)]);
	});

	it('takes events whose age nobody can tell', async () => {
		const away = await skewed(-20);
		workspace.service.control.fail({ path: '/records$', status: 503 });
		expect((await away.deliver(signed(away, eventBody()))).items).toHaveLength(1);
	});
});

it("takes an event as recent if the service doesn't state its time and has another clock", async () => {
	const { port } = new URL(String(workspace.apiKey.workspaceDataApi?.baseUrl));
	const silent = await startWebServer((request, response) => {
		response.sendDate = false;
		const { method, url, headers } = request;
		const forwarded = httpRequest({ port, method, path: url, headers }, (answer) => {
			delete answer.headers.date;
			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		});
		request.pipe(forwarded);
	});
	const credential = { ...workspace.apiKey.workspaceDataApi, baseUrl: `${silent.url}/api/v1` };
	const parameters = { events: ['record.created'], options: { maxEventAge: 5 } };
	const trigger = triggerNode({ workspaceDataApi: credential }, parameters);
	await trigger.activate();
	trigger.reload();
	const timestamp = new Date(Date.now() - 2 * 3_600_000).toISOString();
	const { items } = await trigger.deliver(signed(trigger, eventBody({ timestamp })));
	expect(items).toHaveLength(1);
	await trigger.deactivate();
	await silent.close();
});

it('asks the service for its time once a minute, however many old events come', async () => {
	const trigger = await activated({ options: { maxEventAge: 5 } });
	const now = Date.now();
	const timestamp = new Date(now - 3_600_000).toISOString();
	workspace.service.control.resetRequests();
	const asked = async (seconds: number) => {
		jest.spyOn(Date, 'now').mockReturnValue(now + seconds * 1_000);
		for (let n = 0; n < 3; n += 1) {
			const old = await trigger.deliver(signed(trigger, eventBody({ timestamp })));
			expect(old.items).toBeUndefined();
		}
		jest.restoreAllMocks();
		return workspace.requests().filter((line) => line.includes('/records')).length;
	};
	// Publishing has told the time, too.
	expect([await asked(1), await asked(59), await asked(62)]).toEqual([0, 0, 1]);
	expect([await asked(120), await asked(124)]).toEqual([1, 2]);
});
