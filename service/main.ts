/** `npm run service`: starts the reference service from the command line; see README.md. */
import { parseArgs } from 'node:util';
import { startService } from './index.ts';
import { tiers } from './http/rateLimit.ts';
import {
	maximumParallelDeliveries,
	maximumTimerMs,
	maximumTokenLifetime,
} from './foundation/settings.ts';

const usage = `Usage: npm run service -- [options]
  --port N             port of the API (0: any free one)
  --auth-port N        port of the identity provider (0: any free one)
  --host ADDRESS       address to listen on (127.0.0.1)
  --file PATH          SQLite file; without it everything is kept in memory
  --json               write the addresses as one line of JSON
  --control            serve control (faults, variants, logs) for tests
  --control-token T    its token
  --workspace-id ID    --realm NAME  --api-key KEY  --client-id ID  --client-secret SECRET
  --settings-password PASSWORD       --owner-email ADDRESS
  --parallel-deliveries N  deliveries of one subscription at a time (1; more gives the order up)
  --backoff-ms N       time before the first retry of a delivery
  --delivery-timeout-ms N
  --token-lifetime N   life of access tokens in seconds
  --tier NAME          rate limit: ${Object.keys(tiers).join(', ')}
  --smtp URL           mail server
  --exit-with-parent   stop when stdin is closed
`;

/** Ends with a message for the person at the terminal. */
function fail(message: string): never {
	process.stderr.write(`${message}\n`);
	process.exit(1);
}

function readArguments() {
	try {
		return parseArgs({
			options: {
				port: { type: 'string' },
				'auth-port': { type: 'string' },
				host: { type: 'string' },
				file: { type: 'string' },
				json: { type: 'boolean' },
				control: { type: 'boolean' },
				'control-token': { type: 'string' },
				'workspace-id': { type: 'string' },
				realm: { type: 'string' },
				'api-key': { type: 'string' },
				'client-id': { type: 'string' },
				'client-secret': { type: 'string' },
				'settings-password': { type: 'string' },
				'owner-email': { type: 'string' },
				'backoff-ms': { type: 'string' },
				'delivery-timeout-ms': { type: 'string' },
				'parallel-deliveries': { type: 'string' },
				'token-lifetime': { type: 'string' },
				tier: { type: 'string' },
				smtp: { type: 'string' },
				'exit-with-parent': { type: 'boolean' },
				help: { type: 'boolean' },
			},
		}).values;
	} catch (error) {
		return fail(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
	}
}

const given = readArguments();
if (given.help === true) {
	process.stdout.write(usage);
	process.exit(0);
}

type TextOption = {
	[Name in keyof typeof given]-?: NonNullable<(typeof given)[Name]> extends string ? Name : never;
}[keyof typeof given];

/** Reads a whole number within bounds; nothing where the option is missing. */
function whole(
	name:
		| 'port'
		| 'auth-port'
		| 'backoff-ms'
		| 'delivery-timeout-ms'
		| 'parallel-deliveries'
		| 'token-lifetime',
	least: number,
	most: number,
): number | undefined {
	const digits = given[name];
	if (digits === undefined) return undefined;
	const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
	if (value >= least && value <= most) return value;
	return fail(`--${name} must be a whole number from ${least} to ${most}, not "${digits}".`);
}

/** Reads an option that must not be empty, as some are ignored then and others let everybody in. */
function text(name: TextOption, what = 'must not be empty', allowed = /./s): string | undefined {
	const value = given[name];
	if (value === undefined || allowed.test(value)) return value;
	return fail(`--${name} ${what}.`);
}

/** Reads an option that has to fit into an Authorization header. */
const bearer = (name: TextOption) =>
	text(name, 'must be of visible ASCII characters, without spaces', /^[\x21-\x7e]+$/);

function readTier(): keyof typeof tiers | undefined {
	const { tier } = given;
	if (tier === undefined || Object.hasOwn(tiers, tier)) return tier as keyof typeof tiers;
	return fail(`--tier must be one of ${Object.keys(tiers).join(', ')}, not "${tier}".`);
}

/** Only what was given, so that the defaults stay in one place. */
function present<T extends object>(values: T): Partial<T> {
	return Object.fromEntries(
		Object.entries(values).filter(([, value]) => value !== undefined),
	) as Partial<T>;
}

function explain(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { code, port } = error as NodeJS.ErrnoException & { port?: number };
	if (code === 'EADDRINUSE') {
		return `Port ${port} is taken. Stop what uses it, or choose another with --port or --auth-port (0 takes a free one).`;
	}
	if (code === 'EACCES') return `Port ${port} needs more rights. Choose one above 1023.`;
	if (code === 'ERR_SQLITE_ERROR' && error.message.includes('locked')) {
		return `The file ${given.file} is in use by another process.`;
	}
	if (code === 'ERR_SQLITE_ERROR') return `Cannot open the file ${given.file}: ${error.message}`;
	return `The service cannot start: ${error.message}`;
}

const tier = readTier();
const service = await startService(
	present({
		port: whole('port', 0, 65_535),
		authPort: whole('auth-port', 0, 65_535),
		host: text('host'),
		file: text('file'),
		control: given.control,
		controlToken: bearer('control-token'),
		workspaceId: text('workspace-id'),
		realm: text('realm'),
		apiKey: bearer('api-key'),
		clientId: text('client-id'),
		clientSecret: text('client-secret'),
		settingsPassword: text('settings-password'),
		ownerEmail: text('owner-email'),
		backoffMs: whole('backoff-ms', 0, maximumTimerMs),
		deliveryTimeoutMs: whole('delivery-timeout-ms', 1, maximumTimerMs),
		parallelDeliveries: whole('parallel-deliveries', 1, maximumParallelDeliveries),
		tokenLifetimeSeconds: whole('token-lifetime', 1, maximumTokenLifetime),
		rate: tier && { tier },
		smtpUrl: text('smtp', 'must be an smtp:// or smtps:// address', /^smtps?:\/\/[^/?#]/i),
	}),
).catch((error: unknown) => fail(explain(error)));

let stopping = false;
async function stop() {
	if (stopping) return;
	stopping = true;
	await service.close();
	process.exit(0);
}
process.on('SIGINT', () => void stop());
process.on('SIGTERM', () => void stop());
if (given['exit-with-parent'] === true) {
	process.stdin.resume();
	process.stdin.on('end', () => void stop());
	process.stdin.on('error', () => void stop());
	process.stdin.on('close', () => void stop());
}

// Last, as whoever reads the addresses may stop the service at once.
const addresses: Record<string, unknown> = { ...service };
delete addresses.control;
delete addresses.close;
if (given.json === true) {
	process.stdout.write(`${JSON.stringify(addresses)}\n`);
} else {
	const lines = Object.entries(addresses)
		.filter(([, value]) => value !== null)
		.map(([name, value]) => `${name.padEnd(17)}${String(value)}`);
	process.stdout.write(`${lines.join('\n')}\n`);
}
