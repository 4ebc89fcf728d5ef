import { useFile } from './client.ts';
import { killServices, runService, startServiceProcess } from './commandLine.ts';

afterEach(killServices);
const file = useFile();

test.each([
	['SIGINT', 'SIGINT'],
	['SIGTERM', 'SIGTERM'],
	['the end of its parent', undefined],
] as const)('%s ends it with 0, also if it comes twice', async (_name, signal) => {
	const { child, ended } = await startServiceProcess(signal ? [] : ['--exit-with-parent']);
	if (signal) for (let n = 0; n < 2; n += 1) child.kill(signal);
	else child.stdin?.end();
	expect(await ended).toEqual({ code: 0, signal: null });
});

test('a port that is taken, or a file in use: a clear message and 1', async () => {
	const { addresses } = await startServiceProcess(['--file', file()]);
	const { port } = new URL(addresses.baseUrl);
	for (const [option, value, message] of [
		['--port', port, `Port ${port} is taken.`],
		['--auth-port', port, `Port ${port} is taken.`],
		['--file', file(), 'is in use by another process'],
	] as const) {
		const { code, stdout, stderr } = await runService(['--json', option, value]);
		expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
		expect(stderr).toContain(message);
	}
});
