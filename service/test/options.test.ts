/** The command line without a process: what its options ask for. */
import { readCommandLine } from '../commandLine.ts';

const environment = { ...process.env };
afterEach(() => void (process.env = { ...environment }));

/** What is written for arguments that do not start the service, and the exit code. */
function refused(...args: string[]) {
	let out = '';
	let err = '';
	const output = {
		writeOut: (text: string) => void (out += text),
		writeErr: (text: string) => void (err += text),
	};
	try {
		readCommandLine(args, output);
	} catch (error) {
		return { code: (error as { exitCode?: number }).exitCode, out, err };
	}
	throw new Error(`accepted: ${args.join(' ')}`);
}

test.each([
	['--port 0 --auth-port 65535', { port: 0, authPort: 65_535 }],
	[
		'--file a.sqlite --control --control-token t',
		{ file: 'a.sqlite', control: true, controlToken: 't' },
	],
	['--backoff-ms 2147483647 --drain-ms 0', { backoffMs: 2_147_483_647, drainMs: 0 }],
	['--workspace-id w --token-lifetime 7', { workspaceId: 'w', tokenLifetimeSeconds: 7 }],
	['--api-key k --client-id c --realm r', { apiKey: 'k', clientId: 'c', realm: 'r' }],
	['--tier free', { rate: { tier: 'free' } }],
	['--smtp SMTPS://u:p@mail.example.com', { smtpUrl: 'SMTPS://u:p@mail.example.com' }],
])('%s', (line, wanted) => {
	expect(readCommandLine(line.split(' ')).options).toEqual(wanted);
});

const number = 'It must be a whole number from 0 to 65535.';
const visible = 'It must be of visible ASCII characters, without spaces.';
test.each([
	...['--port 65536', '--port -1', '--port 1e3', '--port='].map((line) => [line, number]),
	['--delivery-timeout-ms 0', 'It must be a whole number from 1 to 2147483647.'],
	['--host=', 'It must not be empty.'],
	['--api-key=a\tb', visible],
	['--control-token=', visible],
	['--smtp smtp:///mail', 'It must be an smtp:// or smtps:// address.'],
	['--log-level loud', 'Allowed choices are'],
	['--json please', 'too many arguments'],
])('%s is refused', (line = '', message) => {
	expect(refused(...line.split(' '))).toEqual({
		code: 1,
		out: '',
		err: expect.stringContaining(String(message)),
	});
});

test('--help lists the options and ends well', () => {
	const { code, out, err } = refused('--help');
	expect({ code, err }).toEqual({ code: 0, err: '' });
	expect(out).toContain('--settings-password <password>');
	expect(out).toContain('WORKSPACE_DATA_SETTINGS_PASSWORD');
});

test('secrets of the environment are taken and checked, and an argument goes before them', () => {
	process.env.WORKSPACE_DATA_API_KEY = 'b';
	process.env.WORKSPACE_DATA_CLIENT_SECRET = 'd';
	const { options } = readCommandLine(['--api-key', 'argument']);
	expect(options).toEqual({ apiKey: 'argument', clientSecret: 'd' });
	process.env.WORKSPACE_DATA_SETTINGS_PASSWORD = '';
	expect(refused()).toMatchObject({ code: 1, err: expect.stringContaining('not be empty') });
});
