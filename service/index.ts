/** The reference service, to be started in this process: puts all parts together. */
import { addApi, apiRoot, createApp } from './app.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { IdentityProvider, originOf } from './auth/provider.ts';
import type { Control } from './control/calls/index.ts';
import { ShiftedClock } from './control/context.ts';
import { controlRoot } from './control/routes.ts';
import { addControl } from './control/testControl.ts';
import { type Access, provision } from './data/provision.ts';
import { openWorkspaceData } from './data/workspaceData.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { Mailer } from './delivery/mailer.ts';
import { Sender } from './delivery/sender.ts';
import { Limiter, Rates } from './foundation/limiter.ts';
import { newSecret } from './foundation/secrets.ts';
import { defaultBodyBytes, runtimeSettingsSchema } from './foundation/settings.ts';
import type { App } from './http/context.ts';
import { Guard } from './http/guard.ts';
import type { ServiceAddresses, ServiceOptions } from './options.ts';
import { addHealthRoute } from './routes/health.ts';
import { addOpenApiRoutes } from './routes/openApi.ts';
import { addSettingsPage, settingsRoot } from './settingsPage/routes.ts';

export { type Control } from './control/calls/index.ts';
export { connectControl, type RemoteControl } from './control/controlClient.ts';
export { type Variants } from './control/variants.ts';
export { type ServiceAddresses, type ServiceOptions } from './options.ts';

/** A running service. */
export interface Service extends ServiceAddresses {
	/** Responds to what is under way, stops listening and delivering and closes the database. Safe to call again. */
	close(): Promise<void>;
}

/** A running service with a control for tests. */
export interface ControlledService extends Service {
	/** Control in this process. */
	control: Control;
}

/** How long what is under way may take to end if the options say nothing, in ms. */
const defaultDrainMs = 5_000;

/**
 * Starts the reference service: API, identity provider, deliveries, settings page, and control if the options ask for it.
 * @throws Error if the file cannot be opened, or a port cannot be had (code EADDRINUSE); ZodError if an option is out of
 * its bounds
 */
export async function startService(
	options: ServiceOptions & { control: true },
): Promise<ControlledService>;
export async function startService(options?: ServiceOptions): Promise<Service>;
export async function startService(
	given: ServiceOptions = {},
): Promise<Service & { control?: Control }> {
	const options = resolveOptions(given);
	const report = (message: string) => app.log.error(message);
	let guard: Guard | undefined;
	const app = createApp({ ...options, report }, () => {
		if (!guard) throw new Error('there is no guard before the service listens');
		return guard;
	});
	try {
		const parts = createParts(app, options, report);
		const access = provision(parts.data, given);
		const { data, provider } = parts;
		const authenticate = createAuthenticate(data.identities, provider);
		guard = new Guard({ ...parts, identities: data.identities, authenticate });
		const { control, tell } = await addRoutes(app, options, { ...parts, ...access, guard });
		const { origin, ...addresses } = await listen(app, options, parts);
		tell(addresses);
		return {
			baseUrl: addresses.baseUrl,
			authUrl: addresses.authUrl,
			realm: options.realm,
			...access,
			controlUrl: control ? origin + controlRoot : null,
			controlToken: control ? options.controlToken : null,
			...(control && { control }),
			settingsUrl: origin + settingsRoot,
			settingsPassword: options.settingsPassword,
			close: async () => void (await app.close()),
		};
	} catch (error) {
		await app.close();
		throw error;
	}
}

/** The options with their defaults. */
function resolveOptions(options: ServiceOptions) {
	const { backoffMs, deliveryTimeoutMs, parallelDeliveries, tokenLifetimeSeconds } = options;
	return {
		...options,
		rate: options.rate ?? { tier: 'enterprise' as const },
		settings: runtimeSettingsSchema.parse({
			backoffMs,
			deliveryTimeoutMs,
			parallelDeliveries,
			tokenLifetimeSeconds,
		}),
		host: options.host ?? '127.0.0.1',
		realm: options.realm ?? 'workspace',
		bodyBytes: options.bodyBytes ?? defaultBodyBytes,
		drainMs: options.drainMs ?? defaultDrainMs,
		trustProxy: options.trustProxy ?? false,
		settingsPassword: options.settingsPassword ?? newSecret(),
		controlToken: options.controlToken ?? newSecret(),
		log: { level: options.logLevel ?? ('warn' as const), to: options.logTo ?? process.stderr },
	};
}
type Resolved = ReturnType<typeof resolveOptions>;

/** Opens the data and makes what works on it; the app closes all of it at its end, in the reverse order. */
function createParts(app: App, options: Resolved, report: (message: string) => void) {
	const { settings, drainMs, rate } = options;
	const clock = new ShiftedClock();
	const data = openWorkspaceData(options.file ?? ':memory:', clock);
	app.addHook('onClose', async () => data.database.close());
	const mailer = new Mailer(data.mails, options.smtpUrl, report);
	app.addHook('onClose', async () => mailer.close());
	const sender = new Sender();
	app.addHook('onClose', async () => sender.close());
	const dispatcher = new Dispatcher({ data, clock, settings, mailer, sender, report });
	data.changes.published = (id) => dispatcher.wake(id);
	// Deliveries end while requests do: both have the same time.
	let ended: Promise<void> | undefined;
	const stopDelivering = () => (ended ??= dispatcher.close(drainMs));
	app.addHook('preClose', async () => void stopDelivering());
	app.addHook('onClose', async () => await stopDelivering());
	const limiter = new Limiter(clock);
	const provider = new IdentityProvider({
		...options,
		port: options.authPort ?? 0,
		publicUrl: options.publicAuthUrl,
		...{ data, limiter, clock, report },
		log: app.log,
	});
	app.addHook('onClose', async () => await provider.close());
	const rates = new Rates(rate, limiter);
	return { clock, data, mailer, sender, dispatcher, limiter, rates, provider };
}
type Parts = ReturnType<typeof createParts>;

/** Adds all routes. @returns control if the options ask for it; and what is to be told the addresses once they are known */
async function addRoutes(app: App, options: Resolved, parts: Parts & Access & { guard: Guard }) {
	const { data, guard, clock } = parts;
	const { settings, rate, variants, controlToken: token } = options;
	let addresses = { baseUrl: '', authUrl: '', tokenUrl: '' };
	const control = options.control
		? addControl(app, { ...parts, settings }, { clock, settings, rate, variants, token })
		: undefined;
	await addApi(app, parts, guard);
	await addSettingsPage(app, {
		...parts,
		realm: options.realm,
		password: options.settingsPassword,
		cookieKey: data.keyOf('cookieKey'),
		publicUrl: options.publicUrl,
		mailServer: options.smtpUrl !== undefined,
		addresses: () => addresses,
	});
	addOpenApiRoutes(app, guard, apiRoot, () => addresses);
	addHealthRoute(app, data);
	return { control, tell: (known: typeof addresses) => (addresses = known) };
}

/** Listens, and starts the work in the background. */
async function listen(app: App, options: Resolved, { provider, dispatcher, mailer }: Parts) {
	const { host } = options;
	const { authUrl, tokenUrl } = await provider.listen();
	const { port } = new URL(await app.listen({ port: options.port ?? 0, host }));
	const origin = options.publicUrl ?? originOf(host, Number(port));
	dispatcher.wakeAll();
	void mailer.flush();
	return { origin, baseUrl: origin + apiRoot, authUrl, tokenUrl };
}
