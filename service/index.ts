import rateLimit from '@fastify/rate-limit';
import type { ServiceAddresses } from './addresses.ts';
import { apiRoot, createApp } from './app.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { createIdentityProvider, originOf } from './auth/provider.ts';
import { type Control, createRig } from './control/rig.ts';
import { controlRoot } from './control/routes.ts';
import { createMailer } from './delivery/mailer.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { createWorkspaceData } from './domain/workspaceData.ts';
import { machineClock } from './foundation/clock.ts';
import { defaultQuotas } from './foundation/quotas.ts';
import { newSecret } from './foundation/secrets.ts';
import { defaultSettings, runtimeSettingsSchema } from './foundation/settings.ts';
import { createCursors } from './http/cursor.ts';
import { createGuard } from './http/guard.ts';
import { addressWindows, createRateLimiter } from './http/rateLimit.ts';
import type { ServiceOptions } from './options.ts';
import { addOpenApiRoutes } from './routes/openApi.ts';
import { addSettingsPage, settingsRoot } from './settingsPage/routes.ts';
import { openStore, type Store } from './storage/store.ts';
import { createUpkeep } from './storage/upkeep.ts';

export { type ServiceAddresses } from './addresses.ts';
export { connectControl, type RemoteControl } from './control/controlClient.ts';
export { type Control } from './control/rig.ts';
export { type Variants } from './control/variants.ts';
export { type ServiceOptions } from './options.ts';

/** A running service. */
export interface Service extends ServiceAddresses {
	/** Stops listening and delivering and closes the database. Safe to call again. */
	close(): Promise<void>;
}

/** A running service that tests can turn. */
export interface ControlledService extends Service {
	/** Control in this process. */
	control: Control;
}

/** Makes what the options ask for exist: workspace, API key, service account; ends earlier default ones. */
function provision({ database, identities }: Store, options: ServiceOptions) {
	return database.transaction(() => {
		const known =
			options.workspaceId === undefined
				? identities.defaultWorkspace()
				: identities.workspace(options.workspaceId);
		const { id: workspaceId } =
			known ??
			identities.createWorkspace(
				'Demo workspace',
				options.ownerEmail ?? 'owner@example.com',
				options.workspaceId,
			);

		const restored =
			options.apiKey !== undefined && identities.restoreKey(workspaceId, options.apiKey);
		const apiKey =
			restored && options.apiKey !== undefined
				? options.apiKey
				: identities.createKey(workspaceId, 'Default key', options.apiKey).apiKey;
		const keyId = identities.findKey(apiKey)?.id ?? '';
		const earlierKey = database.meta('defaultKey');
		if (earlierKey !== undefined && earlierKey !== keyId) identities.revokeKey(earlierKey);
		database.setMeta('defaultKey', keyId);

		const account =
			options.clientId === undefined ? undefined : identities.account(options.clientId);
		const clientSecret = options.clientSecret ?? newSecret();
		const clientId =
			account?.clientId ??
			identities.createAccount(
				workspaceId,
				'Default account',
				'editor',
				options.clientId,
				clientSecret,
			).clientId;
		if (account) identities.restoreAccount(workspaceId, clientId, clientSecret);
		const earlierAccount = database.meta('defaultAccount');
		if (earlierAccount !== undefined && earlierAccount !== clientId) {
			identities.revokeAccount(earlierAccount);
		}
		database.setMeta('defaultAccount', clientId);
		return { workspaceId, apiKey, clientId, clientSecret };
	});
}

/** A key that belongs to the file, made at its first start. */
function keyOf({ database }: Store, name: string): string {
	const known = database.meta(name);
	if (known !== undefined) return known;
	const made = newSecret();
	database.setMeta(name, made);
	return made;
}

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
	options: ServiceOptions = {},
): Promise<Service & { control?: Control }> {
	const host = options.host ?? '127.0.0.1';
	const realm = options.realm ?? 'workspace';
	const report =
		options.report ?? ((message: string) => void process.stderr.write(`service: ${message}\n`));
	const quotas = { ...defaultQuotas, ...options.quotas };
	const settings = runtimeSettingsSchema.parse({
		backoffMs: options.backoffMs ?? defaultSettings.backoffMs,
		deliveryTimeoutMs: options.deliveryTimeoutMs ?? defaultSettings.deliveryTimeoutMs,
		parallelDeliveries: options.parallelDeliveries ?? defaultSettings.parallelDeliveries,
		tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? defaultSettings.tokenLifetimeSeconds,
	});
	const rate = options.rate ?? { tier: 'enterprise' as const };
	const rig = options.control === true ? createRig({ settings, rate, options }) : undefined;

	const clock = rig?.clock ?? machineClock;
	const store = openStore(options.file ?? ':memory:', clock, quotas);
	/** The parts to stop if something later fails, and at the end; last started, first stopped. */
	const stops: Array<() => Promise<void> | void> = [() => store.close()];
	const stopAll = async () => {
		for (const stop of stops.splice(0).reverse()) await stop();
	};

	try {
		const identity = provision(store, options);
		const { workspaceId } = identity;
		const limiter = createRateLimiter(rate, clock);
		const windows = addressWindows(clock);
		const data = createWorkspaceData(store, quotas);

		const upkeep = createUpkeep(store, clock, quotas, report);
		store.listeners.leftOver = () => upkeep.start();
		stops.push(() => upkeep.close());
		const mailer = createMailer(store.mails, options.smtpUrl, report);
		stops.push(() => mailer.close());
		const dispatcher = createDispatcher(store, clock, settings, quotas, mailer, report);
		store.listeners.published = (id) => dispatcher.wake(id);
		stops.push(() => dispatcher.close());

		const provider = await createIdentityProvider({
			host,
			port: options.authPort ?? 0,
			publicUrl: options.publicAuthUrl,
			realm,
			store,
			settings,
			quotas,
			windows,
			report,
		});
		stops.push(() => provider.close());
		const cursors = createCursors(keyOf(store, 'cursorKey'));
		const { app, guard } = await createApp({
			context: { data, cursors },
			guard: (counting) => {
				const countWrong = counting.createRateLimit({
					max: () => Math.min(quotas.wrongCredentialsPerMinute, limiter.standard),
					timeWindow: 60_000,
					keyGenerator: ({ ip }) => ip,
				});
				return createGuard({
					authenticate: createAuthenticate(store.identities, provider),
					identities: store.identities,
					limiter,
					clock,
					async countWrong(request) {
						const state = await countWrong(request);
						if (state.isAllowed) throw new Error('a wrong credential was not counted');
						const { max: limit, remaining, ttl, isExceeded } = state;
						return { allowed: !isExceeded, limit, remaining, resetsInMs: ttl };
					},
				});
			},
			plugins: [
				async (added) => {
					await added.register(rateLimit, { global: false, store: windows });
				},
				...(rig
					? [rig.plugin({ store, data, cursors, limiter, dispatcher, provider, workspaceId })]
					: []),
			],
			report,
		});
		stops.push(() => app.close());
		const settingsPassword = options.settingsPassword ?? newSecret();
		let addresses = { baseUrl: '', authUrl: '', tokenUrl: '' };
		await addSettingsPage(app, {
			store,
			data,
			cursors,
			clock,
			workspaceId,
			realm,
			password: settingsPassword,
			cookieKey: keyOf(store, 'cookieKey'),
			guard,
			quotas,
			mailServer: options.smtpUrl !== undefined,
			addresses: () => addresses,
		});
		addOpenApiRoutes(app, guard, apiRoot, () => addresses);

		const { authUrl, tokenUrl } = await provider.listen();
		const { port } = new URL(await app.listen({ port: options.port ?? 0, host }));
		const origin = options.publicUrl ?? originOf(host, Number(port));
		addresses = { baseUrl: origin + apiRoot, authUrl, tokenUrl };
		upkeep.start();
		dispatcher.wakeAll();
		void mailer.flush();

		let closing: Promise<void> | undefined;
		return {
			baseUrl: addresses.baseUrl,
			authUrl,
			realm,
			...identity,
			controlUrl: rig ? origin + controlRoot : null,
			controlToken: rig?.token ?? null,
			settingsUrl: origin + settingsRoot,
			settingsPassword,
			...(rig && { control: rig.control }),
			close: () => (closing ??= stopAll()),
		};
	} catch (error) {
		await stopAll();
		throw error;
	}
}
