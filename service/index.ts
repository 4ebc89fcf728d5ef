/** The reference service, to be started in this process: puts all parts together. */
import type { FastifyInstance } from 'fastify';
import { addApi, createApp } from './app.ts';
import { IdentityProvider, originOf } from './auth/provider.ts';
import type { Control } from './control/calls/index.ts';
import { controlRoot } from './control/routes.ts';
import { addControl } from './control/testControl.ts';
import { provision } from './data/provision.ts';
import { WorkspaceData } from './data/workspaceData.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { Mailer } from './delivery/mailer.ts';
import { Sender } from './delivery/sender.ts';
import { Clock } from './foundation/clock.ts';
import { Limiter } from './foundation/limiter.ts';
import { Guard } from './http/guard.ts';
import {
	type ResolvedOptions,
	resolveOptions,
	type ServiceAddresses,
	type ServiceOptions,
} from './options.ts';
import { addOpenApiRoutes, apiRoot } from './routes/openApi.ts';
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
		const service = { ...options, ...parts, ...access };
		const control = options.control ? addControl(app, service) : undefined;
		const addresses = { baseUrl: '', authUrl: '', tokenUrl: '' };
		await addApi(app, parts.data, parts.guard);
		await addSettingsPage(app, { ...service, addresses });
		addOpenApiRoutes(app, parts.guard, addresses);
		Object.assign(addresses, await parts.provider.listen());
		const origin = await listen(app, options);
		addresses.baseUrl = origin + apiRoot;
		parts.dispatcher.wakeAll();
		parts.mailer.flush();
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

/** Opens the data and makes what works on it; the app closes all of it at its end, in the reverse order. */
function createParts(app: FastifyInstance, options: ResolvedOptions) {
	const { settings, drainMs, rate, file, smtpUrl } = options;
	const report = (message: string) => app.log.error(message);
	const clock = new Clock();
	const data = new WorkspaceData(file, clock);
	app.addHook('onClose', async () => data.database.close());
	const mailer = new Mailer(data.mails, smtpUrl, report);
	app.addHook('onClose', async () => mailer.close());
	const sender = new Sender();
	app.addHook('onClose', async () => sender.close());
	const dispatcher = new Dispatcher({ data, settings, mailer, sender });
	data.changes.published = (id) => dispatcher.wake(id);
	// Deliveries end while requests do: both have the same time.
	let ended: Promise<void> | undefined;
	const stopDelivering = () => (ended ??= dispatcher.close(drainMs));
	app.addHook('preClose', async () => void stopDelivering());
	app.addHook('onClose', async () => await stopDelivering());
	const limiter = new Limiter(rate, clock);
	const provider = new IdentityProvider({ ...options, data, limiter, report });
	app.addHook('onClose', async () => await provider.app.close());
	const guard = new Guard({ identities: data.identities, provider, limiter });
	return { clock, data, mailer, sender, dispatcher, limiter, provider, guard };
}

/** Listens. @returns the origin by which others reach the service */
async function listen(app: FastifyInstance, { host, port, publicUrl }: ResolvedOptions) {
	const listening = new URL(await app.listen({ port, host }));
	return publicUrl ?? originOf(host, Number(listening.port));
}
