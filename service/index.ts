/** The reference service, to be started in this process: puts all parts together. */
import { addApi, createApp } from './app.ts';
import { originOf } from './auth/provider.ts';
import { addControl, type Control, controlRoot } from './control/control.ts';
import { resolveOptions, type ServiceAddresses, type ServiceOptions } from './parts/options.ts';
import { createParts } from './parts/parts.ts';
import { addOpenApiRoutes, apiRoot } from './routes/openApi.ts';
import { addSettingsPage, settingsRoot } from './settingsPage/routes.ts';

export { type Control } from './control/control.ts';
export { connectControl, type RemoteControl } from './control/controlClient.ts';
export { type ServiceAddresses, type ServiceOptions } from './parts/options.ts';

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
	const { host, port, realm, controlToken, settingsPassword } = options;
	const app = createApp(options);
	try {
		const parts = createParts(app, options);
		const { addresses } = parts;
		const access = parts.store.identities.provide(given);
		const service = { ...options, ...parts, workspaceId: access.workspaceId };
		const control = options.control ? addControl(app, service) : undefined;
		await addApi(app, parts.store, parts.guard);
		await addSettingsPage(app, service);
		addOpenApiRoutes(app, service);
		Object.assign(addresses, await parts.provider.listen());
		const origin = originOf(host, await app.listen({ port, host }));
		addresses.baseUrl = origin + apiRoot;
		parts.dispatcher.wakeAll();
		parts.mailer.flush();
		return {
			...access,
			baseUrl: addresses.baseUrl,
			authUrl: addresses.authUrl,
			realm,
			controlUrl: control ? origin + controlRoot : null,
			controlToken: control ? controlToken : null,
			...(control && { control }),
			settingsUrl: origin + settingsRoot,
			settingsPassword,
			close: async () => void (await app.close()),
		};
	} catch (error) {
		await app.close();
		throw error;
	}
}
