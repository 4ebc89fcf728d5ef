import formbody from '@fastify/formbody';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod/v4';
import { hashSecret, secretMatches } from '../foundation/secrets.ts';
import type { Control } from '../control/control.ts';
import type { Guard } from '../http/guard.ts';
import { problem } from '../http/problem.ts';
import { type Notice, renderPage, renderSignIn, style } from './page.ts';
import { createSessions, type Session } from './sessions.ts';
import { roles } from '../storage/identities.ts';
import type { Store } from '../storage/store.ts';
import type { App } from '../http/app.ts';

/** Path of the settings page. */
export const settingsRoot = '/settings';

/** What the settings page works on. */
export interface SettingsContext {
	store: Store;
	workspaceId: string;
	password: string;
	guard: Guard;
	/** The page does what control does, where both can do it. */
	control: Pick<Control, 'resumeSubscription' | 'subscriptions'>;
	mailServer: boolean;
}

const cookieName = 'workspace_settings';
const shownDeliveries = 50;
const maximumFormBytes = 64 * 1024;

const nameForm = z.object({ name: z.string().trim().min(1).max(200) });
const accountForm = nameForm.extend({ role: z.enum(roles) });

function readCookie(request: FastifyRequest): string | undefined {
	const pairs = (request.headers.cookie ?? '').split(/; */);
	return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
}

/** Refuses forms that another site sends; browsers say where a form comes from. */
function checkOrigin({ headers }: FastifyRequest) {
	const { origin, host } = headers;
	const site = headers['sec-fetch-site'];
	const foreign = origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
	if (foreign || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
		throw problem('cross-site-request', 'This form was sent from another site.');
	}
}

/**
 * Serves the settings page: plain HTML and forms, no script.
 * @see service interface, part 2 "Service account", part 3
 */
export async function addSettingsRoutes(app: App, context: SettingsContext) {
	const { store, workspaceId, guard, control } = context;
	const { identities } = store;
	const sessions = createSessions(context.password);

	const signedIn = (request: FastifyRequest): Session => {
		const session = sessions.find(readCookie(request));
		if (!session) throw problem('authentication-required', 'Sign in to the settings page first.');
		const given = (request.body as { form_token?: unknown } | undefined)?.form_token;
		if (typeof given !== 'string' || !secretMatches(given, hashSecret(session.formToken))) {
			throw problem('cross-site-request', 'The form is not from this session. Reload the page.');
		}
		return session;
	};

	const back = (reply: FastifyReply) => reply.redirect(settingsRoot, 303);

	const page = (session: Session, method: string) => {
		const { notice } = session;
		// A HEAD request shows nothing, and secrets are shown only once.
		if (method === 'GET') session.notice = undefined;
		const workspace = identities.workspace(workspaceId);
		return renderPage({
			workspace: { id: workspaceId, name: workspace?.name ?? workspaceId },
			notice,
			formToken: session.formToken,
			keys: identities.keys(workspaceId),
			accounts: identities.accounts(workspaceId),
			subscriptions: control.subscriptions({ workspaceId }).map((subscription) => ({
				...subscription,
				failures: store.deliveries.next(subscription.id, 1)[0]?.failures ?? 0,
			})),
			deliveries: store.deliveries.log({ workspaceId }, shownDeliveries),
			mails: store.mails.list(workspaceId, shownDeliveries),
			mailServer: context.mailServer,
		});
	};

	await app.register(async (settings) => {
		await settings.register(formbody);
		settings.addHook('onRequest', guard.onPublicRequest);
		settings.addHook('onRequest', async (request, reply) => {
			void reply.headers({
				'content-security-policy':
					"default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
				'x-content-type-options': 'nosniff',
				'referrer-policy': 'same-origin',
				'cache-control': 'no-store',
			});
			if (request.method === 'POST') checkOrigin(request);
		});
		const hide = { schema: { hide: true }, bodyLimit: maximumFormBytes };

		/** A form that changes something; what `run` returns is shown on the page that follows. */
		const form = (
			path: string,
			run: (params: Record<string, string>, body: unknown) => Notice | undefined,
		) =>
			settings.post(`${settingsRoot}${path}`, hide, (request, reply) => {
				const session = signedIn(request);
				session.notice = run(request.params as Record<string, string>, request.body);
				return back(reply);
			});

		const read = <S extends z.ZodType>(schema: S, body: unknown): z.output<S> => {
			const result = schema.safeParse(body);
			if (result.success) return result.data;
			throw problem('validation-failed', 'The form is not filled in properly.');
		};

		settings.get(settingsRoot, hide, (request, reply) => {
			const session = sessions.find(readCookie(request));
			return reply
				.type('text/html; charset=utf-8')
				.send(session ? page(session, request.method) : renderSignIn(false));
		});
		settings.get(`${settingsRoot}/style.css`, hide, (_request, reply) =>
			reply.type('text/css; charset=utf-8').send(style),
		);
		settings.post(`${settingsRoot}/sign-in`, hide, (request, reply) => {
			const { password } = (request.body ?? {}) as { password?: unknown };
			const cookie = typeof password === 'string' ? sessions.signIn(password) : undefined;
			if (cookie === undefined) {
				return reply.code(401).type('text/html; charset=utf-8').send(renderSignIn(true));
			}
			void reply.header(
				'set-cookie',
				`${cookieName}=${cookie}; Path=${settingsRoot}; HttpOnly; SameSite=Strict`,
			);
			return back(reply);
		});
		settings.post(`${settingsRoot}/sign-out`, hide, (request, reply) => {
			signedIn(request);
			sessions.signOut(readCookie(request));
			return back(reply);
		});

		form('/keys', (_params, body) => {
			const { name } = read(nameForm, body);
			const { apiKey } = identities.createKey(workspaceId, name);
			return { text: `The API key "${name}" was created.`, secrets: [['API key', apiKey]] };
		});
		form('/keys/:id/revoke', ({ id = '' }) => {
			const mine = identities.keys(workspaceId).some((key) => key.id === id);
			if (!mine || !identities.revokeKey(id)) return undefined;
			return { text: 'The API key was revoked.', secrets: [] };
		});
		form('/accounts', (_params, body) => {
			const { name, role } = read(accountForm, body);
			const { clientId, clientSecret } = identities.createAccount(workspaceId, name, role);
			return {
				text: `The service account "${name}" was created.`,
				secrets: [
					['Client id', clientId],
					['Client secret', clientSecret],
				],
			};
		});
		form('/accounts/:id/revoke', ({ id = '' }) => {
			const mine = identities.account(id)?.workspaceId === workspaceId;
			if (!mine || !identities.revokeAccount(id)) return undefined;
			return { text: 'The service account was revoked. Its tokens are dead.', secrets: [] };
		});
		form('/subscriptions/:id/resume', ({ id = '' }) => {
			const mine = store.subscriptions.find(id)?.workspaceId === workspaceId;
			if (!mine || !control.resumeSubscription({ id }).resumed) return undefined;
			return { text: `The subscription ${id} is active again.`, secrets: [] };
		});
	});
}
