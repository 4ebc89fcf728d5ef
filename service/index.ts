/** The reference service, to be started in this process: puts all parts together. */
import { addApi, apiRoot, createApp } from './app.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { IdentityProvider, originOf } from './auth/provider.ts';
import type { Control } from './control/calls/index.ts';
import { controlRoot } from './control/routes.ts';
import { addControl } from './control/testControl.ts';
import { provision } from './data/provision.ts';
import { openWorkspaceData } from './data/workspaceData.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { Mailer } from './delivery/mailer.ts';
import { Sender } from './delivery/sender.ts';
import { Clock } from './foundation/clock.ts';
import { Limiter, Rates } from './foundation/limiter.ts';
import { newSecret } from './foundation/secrets.ts';
import { runtimeSettingsSchema } from './foundation/settings.ts';
import type { App } from './http/context.ts';
import { Guard } from './http/guard.ts';
import type { ServiceAddresses, ServiceOptions } from './options.ts';
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
	const app = createApp(options);
	try {
		const parts = createParts(app, options);
		const access = provision(parts.data, given);
		const service = { ...parts, ...access };
		const control = options.control ? addControl(app, service, options) : undefined;
		const addresses = { baseUrl: '', authUrl: '', tokenUrl: '' };
		await addRoutes(app, options, { ...service, addresses: () => addresses });
		const origin = await listen(app, options, parts, addresses);
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
	const {
		port = 0,
		authPort = 0,
		host = '127.0.0.1',
		file = ':memory:',
		control = false,
	} = options;
	const { realm = 'workspace', bodyBytes = 256 * 1024, drainMs = 5_000 } = options;
	const { rate = { tier: 'enterprise' as const }, trustProxy = false } = options;
	const { settingsPassword = newSecret(), controlToken = newSecret() } = options;
	const { logLevel: level = 'warn', logTo: stream = process.stderr } = options;
	const { backoffMs, deliveryTimeoutMs, parallelDeliveries, tokenLifetimeSeconds } = options;
	const given = { backoffMs, deliveryTimeoutMs, parallelDeliveries, tokenLifetimeSeconds };
	return {
		...options,
		...{ port, authPort, host, file, control, realm, bodyBytes, drainMs, rate, trustProxy },
		...{ settingsPassword, controlToken, log: { level, stream } },
		settings: runtimeSettingsSchema.parse(given),
	};
}
type Resolved = ReturnType<typeof resolveOptions>;

/** Opens the data and makes what works on it; the app closes all of it at its end, in the reverse order. */
function createParts(app: App, options: Resolved) {
	const { settings, drainMs, rate, file, smtpUrl } = options;
	const report = (message: string) => app.log.error(message);
	const clock = new Clock();
	const data = openWorkspaceData(file, clock);
	app.addHook('onClose', async () => data.database.close());
	const mailer = new Mailer(data.mails, smtpUrl, report);
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
	const provider = new IdentityProvider({ ...options, data, limiter, clock, report });
	app.addHook('onClose', async () => await provider.close());
	const rates = new Rates(rate, limiter);
	const authenticate = createAuthenticate(data.identities, provider);
	const guard = new Guard({ identities: data.identities, authenticate, limiter, rates, clock });
	return { clock, data, mailer, sender, dispatcher, rates, provider, guard };
}
type Parts = ReturnType<typeof createParts>;

/** The addresses that are known once the service listens. */
interface Addresses {
	baseUrl: string;
	authUrl: string;
	tokenUrl: string;
}

/** Adds all routes. */
async function addRoutes(
	app: App,
	options: Resolved,
	service: Parts & { workspaceId: string; addresses(): Addresses },
) {
	const { guard, addresses } = service;
	await addApi(app, service, guard);
	await addSettingsPage(app, {
		...service,
		realm: options.realm,
		password: options.settingsPassword,
		publicUrl: options.publicUrl,
		mailServer: options.smtpUrl !== undefined,
	});
	addOpenApiRoutes(app, guard, apiRoot, addresses);
}

/** Listens, and starts the work in the background. @returns the origin, and `addresses` filled in */
async function listen(app: App, options: Resolved, parts: Parts, addresses: Addresses) {
	const { host, port, publicUrl } = options;
	Object.assign(addresses, await parts.provider.listen());
	const listening = new URL(await app.listen({ port, host }));
	const origin = publicUrl ?? originOf(host, Number(listening.port));
	addresses.baseUrl = origin + apiRoot;
	parts.dispatcher.wakeAll();
	parts.mailer.flush();
	return origin;
}
