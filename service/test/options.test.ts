/** The command line without a process: what its options ask for. */
import { readCommandLine } from '../commandLine.ts';

const environment = { ...process.env };
afterEach(() => void (process.env = { ...environment }));

test.each([
	['--port 0 --auth-port 65535', { port: 0, authPort: 65_535 }],
	['--file a.sqlite --control', { file: 'a.sqlite', control: true }],
	['--workspace-id w --token-lifetime 7', { workspaceId: 'w', tokenLifetimeSeconds: 7 }],
	['--api-key k --client-id c --realm r', { apiKey: 'k', clientId: 'c', realm: 'r' }],
	['--tier free', { rate: { tier: 'free' } }],
	['--smtp SMTPS://u:p@mail.example.com', { smtpUrl: 'SMTPS://u:p@mail.example.com' }],
])('%s', (line, wanted) => {
	expect(readCommandLine(line.split(' ')).options).toEqual(wanted);
});

test.each([
	['--port 65536', 'It must be a whole number from 0 to 65535.'],
	['--host=', 'It must not be empty.'],
	['--api-key=a\tb', 'It must be of visible ASCII characters, without spaces.'],
	['--smtp smtp:///mail', 'It must be an smtp:// or smtps:// address.'],
	['--json please', 'too many arguments'],
])('%s is refused', (line, message) => {
	const written: string[] = [];
	const write = (text: string) => void written.push(text);
	const read = () => readCommandLine(line.split(' '), { writeOut: write, writeErr: write });
	expect(read).toThrow();
	expect(written.join('')).toContain(message);
});

test('secrets of the environment are taken and checked, and an argument goes before them', () => {
	process.env.WORKSPACE_DATA_API_KEY = 'b';
	process.env.WORKSPACE_DATA_CLIENT_SECRET = 'd';
	const { options } = readCommandLine(['--api-key', 'argument']);
	expect(options).toEqual({ apiKey: 'argument', clientSecret: 'd' });
});
