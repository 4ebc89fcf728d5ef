import { loopbackHint } from '../../../nodes/WorkspaceData/trigger/subscription/loopbackHint';

const service = 'https://data.example.com/api/v1';

test.each([
	'http://localhost:5678/webhook/x',
	'http://127.0.0.1:5678/webhook/x',
	'http://127.1.2.3/webhook/x',
	'http://[::1]:5678/webhook/x',
	'http://0.0.0.0:5678/webhook/x',
])('says that the service cannot reach %s', (targetUrl) => {
	expect(loopbackHint(targetUrl, service)).toMatch(
		/which only this machine can reach\. .*WEBHOOK_URL.* data\.example\.com can reach\. .*Schedule Trigger and Get Many with Since Last Run$/,
	);
});

test.each([
	['https://n8n.example.com/webhook/x', service],
	['http://localhost.example.com/webhook/x', service],
	['http://localhost:5678/webhook/x', 'http://127.0.0.1:3000/api/v1'],
])('says nothing about %s for %s', (targetUrl, baseUrl) => {
	expect(loopbackHint(targetUrl, baseUrl)).toBeUndefined();
});
