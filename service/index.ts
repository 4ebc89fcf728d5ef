import type { ServiceAddresses } from './addresses.ts';
import { createAnswers } from './control/shapes.ts';
import { apiRoot, createApp } from './app.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { startIdentityProvider } from './auth/provider.ts';
import { newSecret } from './foundation/secrets.ts';
import { createTokenFaults } from './control/tokenFaults.ts';
import { createClock } from './foundation/clock.ts';
import { type Control, createControl } from './control/control.ts';
import { createFaults } from './control/faults.ts';
import { createRequestLog } from './control/requestLog.ts';
import { createCursors } from './http/cursor.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { createMailer } from './delivery/mailer.ts';
import { createGuard } from './http/guard.ts';
import { addOpenApiRoutes } from './routes/openApi.ts';
import type { ServiceOptions } from './options.ts';
import { createRateLimiter } from './http/rateLimit.ts';
import { addControlRoutes, controlRoot } from './control/routes.ts';
import { addSettingsRoutes, settingsRoot } from './settingsPage/routes.ts';
import { defaultSettings, runtimeSettingsSchema } from './foundation/settings.ts';
import { openStore, type Store } from './storage/store.ts';
import { defaultVariants, variantsSchema } from './control/variants.ts';
import { createWorkspaceData } from './domain/records.ts';

export { type ServiceAddresses } from './addresses.ts';
export { type Control } from './control/control.ts';
export { connectControl, type RemoteControl } from './control/controlClient.ts';
export { type ServiceOptions } from './options.ts';
export { type Variants } from './control/variants.ts';

/** A running service. */
export interface Service extends ServiceAddresses {
	/** Control in this process. */
	control: Control;
	/** Stops listening and delivering and closes the database. Safe to call again. */
	close(): Promise<void>;
}

/** Makes what the options ask for exist: workspace, API key, service account. */
function provision(store: Store, options: ServiceOptions) {
	const { identities } = store;
	return store.database.transaction(() => {
		const known =
			options.workspaceId === undefined
				? identities.firstWorkspace()
				: identities.workspace(options.workspaceId);
		const { id: workspaceId } =
			known ??
			identities.createWorkspace(
				'Demo workspace',
				options.ownerEmail ?? 'owner@example.com',
				options.workspaceId,
			);

		const kept = options.apiKey !== undefined && identities.restoreKey(workspaceId, options.apiKey);
		const apiKey =
			kept && options.apiKey !== undefined
				? options.apiKey
				: identities.createKey(workspaceId, 'Default key', options.apiKey).apiKey;

		const account =
			options.clientId === undefined ? undefined : identities.account(options.clientId);
		if (account) {
			const clientSecret = options.clientSecret ?? newSecret();
			identities.restoreAccount(workspaceId, account.clientId, clientSecret);
			return { workspaceId, apiKey, clientId: account.clientId, clientSecret };
		}
		const made = identities.createAccount(
			workspaceId,
			'Default account',
			'editor',
			options.clientId,
			options.clientSecret,
		);
		return { workspaceId, apiKey, ...made };
	});
}

/** The key that cursors are protected with; kept with the data. */
function cursorKey({ database: { sql } }: Store): string {
	sql.prepare(`INSERT OR IGNORE INTO meta VALUES ('cursorKey', ?)`).run(newSecret());
	const row = sql.prepare(`SELECT value FROM meta WHERE name = 'cursorKey'`).get();
	return String(row?.value);
}

/**
 * Starts the reference service: API, identity provider, deliveries, settings page, and control.
 * @throws Error where the file cannot be opened, or a port cannot be had (code EADDRINUSE); ZodError
 * where an option is out of its bounds
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const host = options.host ?? '127.0.0.1';
	const realm = options.realm ?? 'workspace';
	const report =
		options.report ?? ((message: string) => void process.stderr.write(`service: ${message}\n`));
	const initialSettings = runtimeSettingsSchema.parse({
		...defaultSettings,
		backoffMs: options.backoffMs ?? defaultSettings.backoffMs,
		deliveryTimeoutMs: options.deliveryTimeoutMs ?? defaultSettings.deliveryTimeoutMs,
		parallelDeliveries: options.parallelDeliveries ?? defaultSettings.parallelDeliveries,
		tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? defaultSettings.tokenLifetimeSeconds,
	});
	const settings = { ...initialSettings };
	const initialVariants = {
		...defaultVariants,
		...variantsSchema.partial().parse(options.variants ?? {}),
	};
	const variants = { ...initialVariants };
	const initialRate = options.rate ?? { tier: 'enterprise' as const };

	const clock = createClock();
	const store = openStore(options.file ?? ':memory:', clock);
	/** What to stop if something later fails, and at the end; last started, first stopped. */
	const stops: Array<() => Promise<void> | void> = [() => store.close()];
	const stopAll = async () => {
		for (const stop of stops.splice(0).reverse()) await stop();
	};

	try {
		const identity = provision(store, options);
		const { workspaceId } = identity;
		const requests = createRequestLog();
		const faults = createFaults();
		const tokenFaults = createTokenFaults();
		const limiter = createRateLimiter(initialRate, clock);

		const provider = await startIdentityProvider({
			host,
			port: options.authPort ?? 0,
			realm,
			store,
			settings,
			variants,
			faults: tokenFaults,
			requests,
			report,
		});
		stops.push(() => provider.close());

		const mailer = createMailer(store.mails, options.smtpUrl, report);
		stops.push(() => mailer.close());
		const dispatcher = createDispatcher(store, clock, settings, mailer, report);
		store.onPublished((id) => dispatcher.wake(id));
		stops.push(() => dispatcher.close());

		const data = createWorkspaceData(store, variants);
		const control = createControl({
			store,
			data,
			variants,
			initialVariants,
			settings,
			initialSettings,
			limiter,
			initialRate,
			faults,
			tokenFaults,
			requests,
			clock,
			dispatcher,
			workspaceId,
		});
		const guard = createGuard({
			authenticate: createAuthenticate(store.identities, provider),
			identities: store.identities,
			limiter,
			clock,
			settings,
			faults,
			requests,
		});
		const app = await createApp(
			{
				store,
				data,
				answers: createAnswers(variants),
				cursors: createCursors(cursorKey(store)),
				variants,
				settings,
			},
			guard,
			report,
		);

		const controlToken = options.control === true ? (options.controlToken ?? newSecret()) : null;
		if (controlToken !== null) addControlRoutes(app, control, controlToken);
		const settingsPassword = options.settingsPassword ?? newSecret();
		await addSettingsRoutes(app, {
			store,
			workspaceId,
			password: settingsPassword,
			guard,
			control,
			mailServer: options.smtpUrl !== undefined,
		});
		let origin = '';
		addOpenApiRoutes(app, guard, apiRoot, () => ({
			baseUrl: origin + apiRoot,
			tokenUrl: provider.tokenUrl,
		}));

		stops.push(() => app.close());
		origin = new URL(await app.listen({ port: options.port ?? 0, host })).origin;
		dispatcher.wakeAll();
		void mailer.flush();

		let closing: Promise<void> | undefined;
		return {
			baseUrl: origin + apiRoot,
			authUrl: provider.authUrl,
			realm,
			...identity,
			controlUrl: controlToken === null ? null : origin + controlRoot,
			controlToken,
			settingsUrl: origin + settingsRoot,
			settingsPassword,
			control,
			close: () => (closing ??= stopAll()),
		};
	} catch (error) {
		await stopAll();
		throw error;
	}
}
