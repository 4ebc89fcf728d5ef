/** The command line without a process: what its options ask for, and what the terminal is told. */
import { explain, readCommandLine } from '../commandLine.ts';

const environment = { ...process.env };
afterEach(() => void (process.env = { ...environment }));

/** The options that arguments ask for. */
const options = (...args: string[]) => readCommandLine(args).options;

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

describe('options', () => {
	test('without any, everything has its default', () => {
		expect(readCommandLine([])).toEqual({
			options: {},
			json: false,
			exitWithParent: false,
		});
	});

	test('those about the process are no options of the service', () => {
		expect(readCommandLine(['--json', '--exit-with-parent'])).toEqual({
			options: {},
			json: true,
			exitWithParent: true,
		});
	});

	test.each([
		['--port 0', { port: 0 }],
		['--port 65535 --auth-port 65535', { port: 65_535, authPort: 65_535 }],
		['--host ::1', { host: '::1' }],
		['--public-url https://data.example.com', { publicUrl: 'https://data.example.com' }],
		[
			'--public-auth-url HTTP://id.example.com:8080',
			{ publicAuthUrl: 'HTTP://id.example.com:8080' },
		],
		['--file data.sqlite --control', { file: 'data.sqlite', control: true }],
		['--control-token ~t!', { controlToken: '~t!' }],
		['--workspace-id w --realm r', { workspaceId: 'w', realm: 'r' }],
		['--api-key k --client-id c', { apiKey: 'k', clientId: 'c' }],
		['--client-secret s --settings-password p', { clientSecret: 's', settingsPassword: 'p' }],
		['--owner-email o@example.com', { ownerEmail: 'o@example.com' }],
		['--backoff-ms 0', { backoffMs: 0 }],
		['--backoff-ms 2147483647 --drain-ms 0', { backoffMs: 2_147_483_647, drainMs: 0 }],
		['--delivery-timeout-ms 1', { deliveryTimeoutMs: 1 }],
		['--token-lifetime 7', { tokenLifetimeSeconds: 7 }],
		['--tier free', { rate: { tier: 'free' } }],
		['--smtp smtp://mail.example.com:25', { smtpUrl: 'smtp://mail.example.com:25' }],
		['--smtp SMTPS://u:p@mail.example.com', { smtpUrl: 'SMTPS://u:p@mail.example.com' }],
		['--trust-proxy', { trustProxy: true }],
		['--log-level error', { logLevel: 'error' }],
	])('%s', (line, wanted) => {
		expect(options(...line.split(' '))).toEqual(wanted);
	});

	test('a secret may contain spaces and lines', () => {
		expect(options('--client-secret', ' \n ')).toMatchObject({ clientSecret: ' \n ' });
		expect(options('--client-secret', '\n')).toMatchObject({ clientSecret: '\n' });
	});
});

describe('options that would start the wrong service are refused', () => {
	test.each([
		['--port 65536', 'It must be a whole number from 0 to 65535.'],
		['--port -1', 'It must be a whole number from 0 to 65535.'],
		['--port 8080x', 'It must be a whole number from 0 to 65535.'],
		['--port x8080', 'It must be a whole number from 0 to 65535.'],
		['--port 1e3', 'It must be a whole number from 0 to 65535.'],
		['--port 80.5', 'It must be a whole number from 0 to 65535.'],
		['--port=', 'It must be a whole number from 0 to 65535.'],
		['--delivery-timeout-ms 0', 'It must be a whole number from 1 to 2147483647.'],
		['--host=', 'It must not be empty.'],
		['--api-key=a\tb', 'It must be of visible ASCII characters, without spaces.'],
		['--api-key=é', 'It must be of visible ASCII characters, without spaces.'],
		['--control-token=', 'It must be of visible ASCII characters, without spaces.'],
		['--public-url ftp://data.example.com', 'It must be an http:// or https:// address.'],
		['--public-url x-http://data.example.com', 'It must be an http:// or https:// address.'],
		['--public-url https://', 'It must be an http:// or https:// address.'],
		['--public-url https://data.example.com/api', 'It must be an http:// or https:// address.'],
		['--public-auth-url https://id.example.com?a', 'It must be an http:// or https:// address.'],
		['--smtp smtp://', 'It must be an smtp:// or smtps:// address.'],
		['--smtp x-smtp://mail', 'It must be an smtp:// or smtps:// address.'],
		['--smtp smtp:///mail', 'It must be an smtp:// or smtps:// address.'],
		['--log-level loud', 'Allowed choices are'],
		['--tier gold', 'Allowed choices are free, standard, business, enterprise.'],
		['--client-id=', 'It must not be empty.'],
		['--backoff-ms 3000000000', 'It must be a whole number from 0 to 2147483647.'],
		['--json please', 'too many arguments'],
	])('%s', (line, message) => {
		expect(refused(...line.split(' '))).toEqual({
			code: 1,
			out: '',
			err: expect.stringContaining(message),
		});
	});

	test('--help lists the options and ends well', () => {
		const { code, out, err } = refused('--help');
		expect({ code, err }).toEqual({ code: 0, err: '' });
		expect(out).toContain('--settings-password <password>');
		expect(out).toContain('WORKSPACE_DATA_SETTINGS_PASSWORD');
	});
});

describe('secrets of the environment', () => {
	test('are taken, and an argument goes before them', () => {
		process.env.WORKSPACE_DATA_API_KEY = 'b';
		process.env.WORKSPACE_DATA_CLIENT_SECRET = 'd';
		expect(options('--api-key', 'argument')).toEqual({ apiKey: 'argument', clientSecret: 'd' });
	});

	test('are checked, too', () => {
		process.env.WORKSPACE_DATA_SETTINGS_PASSWORD = '';
		expect(refused()).toMatchObject({ code: 1, err: expect.stringContaining('not be empty') });
	});
});

test.each([
	[{ code: 'EACCES', port: 80 }, 'Port 80 needs more rights. Choose one above 1023.'],
	[{ code: 'EACCES' }, 'Cannot open the file data.sqlite.'],
])('a start that fails for want of rights says what for: %j', (reason, message) => {
	expect(explain(Object.assign(new Error('denied'), reason), 'data.sqlite')).toBe(message);
});
