/** The command line of the service: its options, and what it tells the person at the terminal. */
import { Command, InvalidArgumentError, Option, type OutputConfiguration } from 'commander';
import { type Tier, tierNames } from './foundation/limiter.ts';
import { maximumTimerMs } from './foundation/settings.ts';
import { logLevels, type ServiceAddresses, type ServiceOptions } from './parts/options.ts';

/** Reads a whole number within bounds. */
const whole = (least: number, most: number) => (digits: string) => {
	const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
	if (value >= least && value <= most) return value;
	throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
};

/** Reads text of a form. Empty text is refused: some of it is ignored then, and some lets everybody in. */
const textLike = (what: string, allowed: RegExp) => (value: string) => {
	if (allowed.test(value)) return value;
	throw new InvalidArgumentError(what);
};

const port = whole(0, 65_535);
const ms = whole(0, maximumTimerMs);
const text = textLike('It must not be empty.', /./s);
const bearer = textLike(
	'It must be of visible ASCII characters, without spaces.',
	/^[\x21-\x7e]+$/,
);
const smtp = textLike('It must be an smtp:// or smtps:// address.', /^smtps?:\/\/[^/?#]/i);

/** An option that can also be given in the environment, where no other user of the machine reads it. */
function secret(flags: string, what: string, read: (value: string) => string): Option {
	const option = new Option(flags, what).argParser(read);
	const name = option.attributeName().replace(/[A-Z]/g, (letter) => `_${letter}`);
	return option.env(`WORKSPACE_DATA_${name.toUpperCase()}`);
}

/** All options. It throws if commander would end the process. */
const createCommand = () =>
	new Command('npm run service --')
		.description('Starts the reference service. Secrets can also come from the environment.')
		.option('--port <number>', 'port of the API (0: any free one)', port)
		.option('--auth-port <number>', 'port of the identity provider (0: any free one)', port)
		.option('--host <address>', 'address to listen on (127.0.0.1)', text)
		.option('--file <path>', 'SQLite file; without it everything is kept in memory', text)
		.option('--json', 'write the addresses as one line of JSON')
		.option('--control', 'serve control (faults, logs) for tests')
		.addOption(secret('--control-token <token>', 'its token', bearer))
		.option('--workspace-id <id>', 'workspace to serve', text)
		.option('--realm <name>', 'realm of the identity provider', text)
		.addOption(secret('--api-key <key>', 'an API key that is to be valid', bearer))
		.option('--client-id <id>', 'a service account that is to be active', text)
		.addOption(secret('--client-secret <secret>', 'its secret', text))
		.addOption(secret('--settings-password <password>', 'for the settings page', text))
		.option('--owner-email <address>', 'who is told about paused subscriptions', text)
		.option('--backoff-ms <number>', 'time before the first retry', ms)
		.option('--delivery-timeout-ms <number>', 'time for a response', whole(1, maximumTimerMs))
		.option('--token-lifetime <seconds>', 'life of access tokens', whole(1, maximumTimerMs))
		.addOption(new Option('--tier <name>', 'rate limit').choices(tierNames))
		.option('--smtp <url>', 'mail server', smtp)
		.option('--drain-ms <number>', 'time for what is under way when it stops (5000)', ms)
		.addOption(new Option('--log-level <name>', 'least severe lines (warn)').choices(logLevels))
		.option('--exit-with-parent', 'stop when stdin is closed')
		.allowExcessArguments(false)
		.exitOverride();

/** The options above, as commander returns them. */
type Given = Omit<ServiceOptions, 'rate'> & {
	json?: boolean;
	exitWithParent?: boolean;
	tokenLifetime?: number;
	tier?: Tier;
	smtp?: string;
};

/**
 * Reads the arguments, and the secrets of the environment; arguments take precedence.
 * @param output where help and messages are written to, the terminal unless told otherwise
 * @returns how to start the service, and whether its addresses are wanted as JSON
 * @throws CommanderError with the exit code, after the help or the error message was written
 */
export function readCommandLine(args: readonly string[], output: OutputConfiguration = {}) {
	const command = createCommand().configureOutput(output).parse(args, { from: 'user' });
	const { json = false, exitWithParent = false, ...options } = command.opts<Given>();
	const { tokenLifetime: tokenLifetimeSeconds, tier, smtp: smtpUrl, ...others } = options;
	const rate = tier && { tier };
	const wanted: ServiceOptions = { ...others, tokenLifetimeSeconds, rate, smtpUrl };
	return { options: wanted, json, exitWithParent };
}

/** Why the service did not start, and what to do about it. */
export function explain(error: unknown, file: string | undefined): string {
	if (!(error instanceof Error)) return String(error);
	const { code, port: taken } = error as NodeJS.ErrnoException & { port?: number };
	if (code === 'EADDRINUSE') {
		return `Port ${taken} is taken. Stop what uses it, or choose another with --port or --auth-port (0 takes a free one).`;
	}
	if (['ENOENT', 'EISDIR', 'EACCES'].includes(code ?? '')) return `Cannot open the file ${file}.`;
	if (code === 'ERR_SQLITE_ERROR') {
		return error.message.includes('locked')
			? `The file ${file} is in use by another process.`
			: `Cannot open the file ${file}: ${error.message}`;
	}
	return `The service cannot start: ${error.message}`;
}

/** The addresses and secrets of a service as they are written to stdout. */
export function tell(service: ServiceAddresses, json: boolean): string {
	// What else a service has is for code.
	const told = Object.entries(service).filter(
		([, value]) => value === null || typeof value === 'string',
	);
	if (json) return `${JSON.stringify(Object.fromEntries(told))}\n`;
	return told
		.filter(([, value]) => value !== null)
		.map(([name, value]) => `${name.padEnd(17)}${value}\n`)
		.join('');
}

/** Calls `stop` when the process is asked to end, by a signal or with its parent. */
export function whenAskedToStop(exitWithParent: boolean, stop: () => void): void {
	for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
	if (!exitWithParent) return;
	for (const event of ['end', 'error', 'close']) process.stdin.on(event, stop);
	// An end is seen only if what comes before it is read.
	process.stdin.resume();
}
