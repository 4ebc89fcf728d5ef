/** `npm run service`: starts the reference service from the command line; see README.md. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { readFileSync } from 'node:fs';
import { collectWhenIdle, keepCollectionsShort } from './foundation/memory.ts';
import {
	maximumParallelDeliveries,
	maximumTimerMs,
	maximumTokenLifetime,
} from './foundation/settings.ts';
import { type Tier, tierNames } from './foundation/tiers.ts';
import { logLevels } from './foundation/logLevels.ts';
import type { ServiceOptions } from './options.ts';

/** Ends with a message for the person at the terminal. */
function fail(message: string): never {
	process.stderr.write(`${message}\n`);
	process.exit(1);
}

/** Largest body and page: an answer must fit into one string. */
const maximumBytes = 256 * 1024 * 1024;

/** Reads a whole number within bounds. */
const whole = (least: number, most: number) => (digits: string) => {
	const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
	if (value >= least && value <= most) return value;
	throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
};

/** Reads a text that must not be empty, as some are ignored then and others let everybody in. */
const text =
	(what = 'It must not be empty.', allowed = /./s) =>
	(value: string) => {
		if (allowed.test(value)) return value;
		throw new InvalidArgumentError(what);
	};

/** Reads a text that must fit into an Authorization header. */
const bearer = text('It must be of visible ASCII characters, without spaces.', /^[\x21-\x7e]+$/);
const address = text('It must be an http:// or https:// address.', /^https?:\/\/[^/?#]+$/i);

/** An option that can also be given in the environment, where no other user of the machine reads it. */
const secret = (
	flags: string,
	description: string,
	variable: string,
	read: (value: string) => string,
) => new Option(flags, description).env(`WORKSPACE_DATA_${variable}`).argParser(read);

const command = new Command('npm run service --')
	.description(
		'Starts the reference service. Secrets can also come from the environment or from a file.',
	)
	.option('--port <number>', 'port of the API (0: any free one)', whole(0, 65_535))
	.option(
		'--auth-port <number>',
		'port of the identity provider (0: any free one)',
		whole(0, 65_535),
	)
	.option('--host <address>', 'address to listen on (127.0.0.1)', text())
	.option('--public-url <url>', 'what clients reach the API by, without a path', address)
	.option('--public-auth-url <url>', 'what clients reach the identity provider by', address)
	.option('--file <path>', 'SQLite file; without it everything is kept in memory', text())
	.option('--json', 'write the addresses as one line of JSON')
	.option('--control', 'serve control (faults, variants, logs) for tests')
	.addOption(secret('--control-token <token>', 'its token', 'CONTROL_TOKEN', bearer))
	.option('--workspace-id <id>', 'workspace to serve', text())
	.option('--realm <name>', 'realm of the identity provider', text())
	.addOption(secret('--api-key <key>', 'an API key that is to be valid', 'API_KEY', bearer))
	.option('--client-id <id>', 'a service account that is to be active', text())
	.addOption(secret('--client-secret <secret>', 'its secret', 'CLIENT_SECRET', text()))
	.addOption(
		secret('--settings-password <password>', 'for the settings page', 'SETTINGS_PASSWORD', text()),
	)
	.option('--secrets-file <path>', 'JSON with apiKey, clientSecret, settingsPassword, controlToken')
	.option('--owner-email <address>', 'who hears about paused subscriptions', text())
	.option(
		'--parallel-deliveries <number>',
		'deliveries of one subscription at a time (1; more gives the order up)',
		whole(1, maximumParallelDeliveries),
	)
	.option('--backoff-ms <number>', 'time before the first retry', whole(0, maximumTimerMs))
	.option('--delivery-timeout-ms <number>', 'time for an answer', whole(1, maximumTimerMs))
	.option('--token-lifetime <seconds>', 'life of access tokens', whole(1, maximumTokenLifetime))
	.addOption(new Option('--tier <name>', 'rate limit').choices(tierNames))
	.option(
		'--smtp <url>',
		'mail server',
		text('It must be an smtp:// or smtps:// address.', /^smtps?:\/\/[^/?#]/i),
	)
	.option('--body-bytes <number>', 'largest body, and record (262144)', whole(1_000, maximumBytes))
	.option(
		'--page-bytes <number>',
		'most of a page of records (2097152)',
		whole(1_000, maximumBytes),
	)
	.option(
		'--bytes-per-second <number>',
		'bodies and answers of one key (33554432)',
		whole(1_000, Number.MAX_SAFE_INTEGER),
	)
	.option('--trust-proxy', "believe a proxy's X-Forwarded-* headers")
	.option(
		'--drain-ms <number>',
		'time for what is under way when it stops (5000)',
		whole(0, maximumTimerMs),
	)
	.addOption(
		new Option('--log-level <name>', 'least severe lines on stderr (warn)').choices(logLevels),
	)
	.option('--exit-with-parent', 'stop when stdin is closed')
	.allowExcessArguments(false)
	.parse();

/** The options above, as commander returns them. */
type Given = Omit<ServiceOptions, 'rate' | 'quotas'> & {
	json?: boolean;
	exitWithParent?: boolean;
	tokenLifetime?: number;
	tier?: Tier;
	smtp?: string;
	secretsFile?: string;
	bodyBytes?: number;
	pageBytes?: number;
	bytesPerSecond?: number;
};
const given = command.opts<Given>();

/** Secrets of a file, which its owner alone can read. Other options take precedence. */
function readSecrets(): Partial<ServiceOptions> {
	const { secretsFile } = given;
	if (secretsFile === undefined) return {};
	const known = ['apiKey', 'clientSecret', 'settingsPassword', 'controlToken'];
	try {
		const content = JSON.parse(readFileSync(secretsFile, 'utf8')) as Record<string, unknown>;
		const wrong = Object.entries(content).find(
			([name, value]) => !known.includes(name) || typeof value !== 'string' || value === '',
		);
		if (wrong) return fail(`--secrets-file: "${wrong[0]}" is unknown or not a text.`);
		return content;
	} catch {
		return fail(`--secrets-file: ${secretsFile} cannot be read as JSON.`);
	}
}

function explain(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { code, port } = error as NodeJS.ErrnoException & { port?: number };
	if (code === 'EADDRINUSE') {
		return `Port ${port} is taken. Stop what uses it, or choose another with --port or --auth-port (0 takes a free one).`;
	}
	if (code === 'EACCES') return `Port ${port} needs more rights. Choose one above 1023.`;
	if (code === 'ENOENT' || code === 'EISDIR') return `Cannot open the file ${given.file}.`;
	if (code === 'ERR_SQLITE_ERROR' && error.message.includes('locked')) {
		return `The file ${given.file} is in use by another process.`;
	}
	if (code === 'ERR_SQLITE_ERROR') return `Cannot open the file ${given.file}: ${error.message}`;
	return `The service cannot start: ${error.message}`;
}

const { json, exitWithParent, tokenLifetime, tier, smtp, ...others } = given;
const { bodyBytes, pageBytes, bytesPerSecond, ...options } = others;
const quotas = {
	...(bodyBytes !== undefined && { bodyBytes, recordBytes: bodyBytes }),
	...(pageBytes !== undefined && { pageBytes }),
	...(bytesPerSecond !== undefined && { bytesPerSecond }),
};
const secrets = readSecrets();
keepCollectionsShort();
// Only now, as it takes most of the start: a wrong option is told at once.
const { startService } = await import('./index.ts');
const service = await startService({
	...secrets,
	...options,
	quotas,
	...(tokenLifetime !== undefined && { tokenLifetimeSeconds: tokenLifetime }),
	...(tier !== undefined && { rate: { tier } }),
	...(smtp !== undefined && { smtpUrl: smtp }),
}).catch((error: unknown) => fail(explain(error)));

collectWhenIdle();

let stopping = false;
async function stop() {
	if (stopping) return;
	stopping = true;
	await service.close();
	process.exit(0);
}
process.on('SIGINT', () => void stop());
process.on('SIGTERM', () => void stop());
if (exitWithParent === true) {
	process.stdin.resume();
	process.stdin.on('end', () => void stop());
	process.stdin.on('error', () => void stop());
	process.stdin.on('close', () => void stop());
}

// Last, as whoever reads the addresses may stop the service at once.
const addresses: Record<string, unknown> = { ...service };
delete addresses.control;
delete addresses.close;
if (json === true) {
	process.stdout.write(`${JSON.stringify(addresses)}\n`);
} else {
	const lines = Object.entries(addresses)
		.filter(([, value]) => value !== null)
		.map(([name, value]) => `${name.padEnd(17)}${String(value)}`);
	process.stdout.write(`${lines.join('\n')}\n`);
}
