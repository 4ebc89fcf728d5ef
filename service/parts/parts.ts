/** The parts that everything else works on. */
import type { FastifyInstance } from 'fastify';
import { Guard } from '../auth/guard.ts';
import { IdentityProvider } from '../auth/provider.ts';
import { openStore } from '../data/store.ts';
import { Dispatcher } from '../delivery/dispatcher.ts';
import { Mailer } from '../delivery/mailer.ts';
import { Clock } from '../foundation/clock.ts';
import { Limiter } from '../foundation/limiter.ts';
import type { ResolvedOptions } from './options.ts';

/** The parts, how they were started, and the workspace that the start gave. */
export type Parts = ResolvedOptions & ReturnType<typeof createParts> & { workspaceId: string };

/** Opens the data and makes what works on it; the app closes all of it at its end, in the reverse order. */
export function createParts(app: FastifyInstance, options: ResolvedOptions) {
	const { settings, drainMs, allowance, file, smtpUrl } = options;
	const report = (message: string) => app.log.error(message);
	const clock = new Clock();
	const store = openStore(file, clock);
	app.addHook('onClose', async () => store.database.close());
	const mailer = new Mailer(store.database, smtpUrl, report);
	app.addHook('onClose', async () => mailer.close());
	const dispatcher = new Dispatcher(store, settings, mailer);
	store.subscriptions.queued = (id) => dispatcher.wake(id);
	app.addHook('preClose', async () => await dispatcher.close(drainMs));
	const limiter = new Limiter(allowance, clock);
	const provider = new IdentityProvider({ ...options, identities: store.identities, report });
	app.addHook('onClose', async () => await provider.app.close());
	const guard = new Guard(store.identities, provider, limiter);
	/** Where the service listens; known once it does. */
	const addresses = { baseUrl: '', authUrl: '', tokenUrl: '' };
	return { store, dispatcher, limiter, provider, guard, mailer, addresses };
}
