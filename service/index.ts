/** The reference service, to be started in this process: puts all parts together. */
import { addApi, apiRoot, createApp } from './app.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createIdentityProvider, originOf } from './auth/provider.ts';
import type { Control } from './control/calls/index.ts';
import { controlRoot } from './control/routes.ts';
import { createTestControl, type TestControl } from './control/testControl.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { createMailer } from './delivery/mailer.ts';
import { createSender } from './delivery/sender.ts';
import { createWorkspaceData } from './domain/workspaceData.ts';
import { machineClock } from './foundation/clock.ts';
import { createHeavyWork } from './foundation/heavyWork.ts';
import { defaultQuotas } from './foundation/quotas.ts';
import { newSecret } from './foundation/secrets.ts';
import { defaultSettings, runtimeSettingsSchema } from './foundation/settings.ts';
import type { App } from './http/context.ts';
import { createCursors } from './http/cursor.ts';
import { createGuard, type Guard } from './http/guard.ts';
import { createLimiter, createRates } from './foundation/limiter.ts';
import { createReport } from './listener/log.ts';
import type { ServiceAddresses, ServiceOptions } from './options.ts';
import { type Access, keyOf, provision } from './domain/provision.ts';
import { addHealthRoute } from './routes/health.ts';
import { addOpenApiRoutes } from './routes/openApi.ts';
import { addSettingsPage, settingsRoot } from './settingsPage/routes.ts';
import { openStore } from './storage/store.ts';
import { createUpkeep } from './storage/upkeep.ts';

export { type Control } from './control/calls/index.ts';
export { connectControl, type RemoteControl } from './control/controlClient.ts';
export { type Variants } from './control/variants.ts';
export { type ServiceAddresses, type ServiceOptions } from './options.ts';

/** A running service. */
export interface Service extends ServiceAddresses {
	/** Answers what is under way, stops listening and delivering and closes the database. Safe to call again. */
	close(): Promise<void>;
}

/** A running service with a control for tests. */
export interface ControlledService extends Service {
	/** Control in this process. */
	control: Control;
}

/** How long what is under way may take to end where the options say nothing, in ms. */
const defaultDrainMs = 5_000;

/** The options with their defaults. */
function resolveOptions(options: ServiceOptions) {
	const rate = options.rate ?? { tier: 'enterprise' as const };
	const settings = runtimeSettingsSchema.parse({
		backoffMs: options.backoffMs ?? defaultSettings.backoffMs,
		deliveryTimeoutMs: options.deliveryTimeoutMs ?? defaultSettings.deliveryTimeoutMs,
		parallelDeliveries: options.parallelDeliveries ?? defaultSettings.parallelDeliveries,
		tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? defaultSettings.tokenLifetimeSeconds,
	});
	return {
		...options,
		rate,
		settings,
		host: options.host ?? '127.0.0.1',
		realm: options.realm ?? 'workspace',
		quotas: { ...defaultQuotas, ...options.quotas },
		drainMs: options.drainMs ?? defaultDrainMs,
		trustProxy: options.trustProxy ?? false,
		settingsPassword: options.settingsPassword ?? newSecret(),
		heavyWork: createHeavyWork(),
		log: { level: options.logLevel ?? 'warn', to: options.logTo ?? process.stderr },
		testControl:
			options.control === true ? createTestControl({ settings, rate, options }) : undefined,
	};
}
type Resolved = ReturnType<typeof resolveOptions>;

/** Opens the store and makes what works on it; the app closes all of it at its end, in the reverse order. */
function createParts(app: App, options: Resolved, report: (message: string) => void) {
	const { settings, quotas, drainMs, testControl } = options;
	const clock = testControl?.clock ?? machineClock;
	const store = openStore(options.file ?? ':memory:', clock, quotas);
	app.addHook('onClose', async () => store.close());
	const upkeep = createUpkeep(store, clock, quotas, report);
	store.listeners.leftOver = () => upkeep.start();
	app.addHook('onClose', async () => await upkeep.close());
	const mailer = createMailer(store.mails, options.smtpUrl, report);
	app.addHook('onClose', async () => mailer.close());
	const sender = createSender(quotas);
	app.addHook('onClose', async () => sender.close());
	const dispatcher = createDispatcher({ store, clock, settings, quotas, mailer, sender, report });
	store.listeners.published = (id) => dispatcher.wake(id);
	// Deliveries end while requests do: both have the same time.
	let ended: Promise<void> | undefined;
	const stopDelivering = () => (ended ??= dispatcher.close(drainMs));
	app.addHook('preClose', async () => void stopDelivering());
	app.addHook('onClose', async () => await stopDelivering());

	const limiter = createLimiter(clock);
	const provider = createIdentityProvider({
		...options,
		port: options.authPort ?? 0,
		publicUrl: options.publicAuthUrl,
		store,
		limiter,
		clock,
		log: app.log,
		report,
	});
	app.addHook('onClose', async () => await provider.close());
	return {
		clock,
		store,
		upkeep,
		mailer,
		sender,
		dispatcher,
		limiter,
		rates: createRates(options.rate, limiter),
		provider,
		data: createWorkspaceData(store, quotas),
		cursors: createCursors(keyOf(store, 'cursorKey')),
	};
}
type Parts = ReturnType<typeof createParts>;

/** Adds all routes. @returns to be told the addresses once they are known */
async function addRoutes(
	app: App,
	options: Resolved,
	parts: Parts,
	{ workspaceId }: Access,
	guard: Guard,
) {
	const { store, data, cursors } = parts;
	let addresses = { baseUrl: '', authUrl: '', tokenUrl: '' };
	if (options.testControl)
		options.testControl.addTo(app, { ...parts, workspaceId, settings: options.settings });
	await addApi(app, { data, cursors }, guard);
	await addSettingsPage(app, {
		...parts,
		workspaceId,
		realm: options.realm,
		password: options.settingsPassword,
		cookieKey: keyOf(store, 'cookieKey'),
		guard,
		publicUrl: options.publicUrl,
		mailServer: options.smtpUrl !== undefined,
		addresses: () => addresses,
	});
	addOpenApiRoutes(app, guard, apiRoot, () => addresses);
	addHealthRoute(app, store);
	return (known: typeof addresses) => (addresses = known);
}

/** Listens, and starts the work in the background. */
async function listen(app: App, options: Resolved, parts: Parts) {
	const { host } = options;
	const { authUrl, tokenUrl } = await parts.provider.listen();
	const { port } = new URL(await app.listen({ port: options.port ?? 0, host }));
	const origin = options.publicUrl ?? originOf(host, Number(port));
	parts.upkeep.start();
	parts.dispatcher.wakeAll();
	void parts.mailer.flush();
	return { origin, baseUrl: origin + apiRoot, authUrl, tokenUrl };
}

/** The control, as a running service shows it. */
const shown = (testControl: TestControl | undefined, origin: string) => ({
	controlUrl: testControl ? origin + controlRoot : null,
	controlToken: testControl?.token ?? null,
	...(testControl && { control: testControl.control }),
});

/**
 * Starts the reference service: API, identity provider, deliveries, settings page, and control where the
 * options ask for it.
 * @throws Error where the file cannot be opened, or a port cannot be had (code EADDRINUSE); ZodError
 * where an option is out of its bounds
 */
export async function startService(
	options: ServiceOptions & { control: true },
): Promise<ControlledService>;
export async function startService(options?: ServiceOptions): Promise<Service>;
export async function startService(
	given: ServiceOptions = {},
): Promise<Service & { control?: Control }> {
	const options = resolveOptions(given);
	let guard: Guard | undefined;
	const guardOf = () => {
		if (!guard) throw new Error('there is no guard before the service listens');
		return guard;
	};
	const report = createReport(
		(message) => app.log.error(message),
		() => performance.now(),
	);
	const app = createApp(options, guardOf, report);
	try {
		const parts = createParts(app, options, report);
		const access = provision(parts.store, given);
		const { identities } = parts.store;
		const authenticate = createAuthenticate(identities, parts.provider);
		guard = createGuard({ ...parts, identities, authenticate, quotas: options.quotas });
		const tell = await addRoutes(app, options, parts, access, guard);
		const { origin, ...addresses } = await listen(app, options, parts);
		tell(addresses);
		return {
			baseUrl: addresses.baseUrl,
			authUrl: addresses.authUrl,
			realm: options.realm,
			...access,
			...shown(options.testControl, origin),
			settingsUrl: origin + settingsRoot,
			settingsPassword: options.settingsPassword,
			close: async () => void (await app.close()),
		};
	} catch (error) {
		await app.close();
		throw error;
	}
}
