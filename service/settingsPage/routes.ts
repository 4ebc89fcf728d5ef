import csrf from '@fastify/csrf-protection';
import formbody from '@fastify/formbody';
import session from '@fastify/secure-session';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readFileSync } from 'node:fs';
import { z } from 'zod/v4';
import type { WorkspaceData } from '../domain/workspaceData.ts';
import { type Clock, machineClock } from '../foundation/clock.ts';
import type { Quotas } from '../foundation/quotas.ts';
import type { App } from '../http/context.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Guard } from '../http/guard.ts';
import { problem } from '../http/problem.ts';
import { roles } from '../storage/identities.ts';
import type { Store } from '../storage/store.ts';
import {
	assets,
	type PageData,
	type Question,
	renderQuestion,
	renderRecords,
	renderSettings,
	renderSignIn,
} from './page.ts';
import { createSessions, type Notice, type Session, sessionMs } from './sessions.ts';

/** Path of the settings page. */
export const settingsRoot = '/settings';

/** The parts that the settings page works on. */
export interface SettingsContext {
	store: Store;
	data: WorkspaceData;
	cursors: Cursors;
	workspaceId: string;
	realm: string;
	password: string;
	/** The key that encrypts the cookie; kept with the data. */
	cookieKey: string;
	guard: Guard;
	quotas: Pick<Quotas, 'signInsPerMinute'>;
	mailServer: boolean;
	clock?: Clock;
	/** Where the service listens; asked for at the first page. */
	addresses(): { baseUrl: string; authUrl: string };
}

declare module '@fastify/secure-session' {
	interface SessionData {
		id: string;
	}
}

const shownDeliveries = 50;
const shownRecords = 50;
const maximumFormBytes = 64 * 1024;

const nameForm = z.object({ name: z.string().trim().min(1).max(200) });
const accountForm = nameForm.extend({ role: z.enum(roles) });

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
 * Serves the settings and the view of records: plain HTML and forms, which work without script.
 * @see service interface, part 2 "Service account", part 3
 */
export async function addSettingsPage(app: App, context: SettingsContext) {
	const { store, data, workspaceId, guard } = context;
	const { identities } = store;
	const sessions = createSessions(context.password, context.clock ?? machineClock);

	const sessionOf = (request: FastifyRequest) => sessions.find(request.session.get('id'));

	const pageData = (reply: FastifyReply): PageData => ({
		workspace: {
			id: workspaceId,
			name: identities.workspace(workspaceId)?.name ?? workspaceId,
		},
		formToken: reply.generateCsrf(),
	});

	const settingsPage = (current: Session, method: string, reply: FastifyReply) => {
		// A HEAD request shows nothing, and secrets are shown only once.
		const notices = method === 'GET' ? current.notices.splice(0) : [];
		const { baseUrl, authUrl } = context.addresses();
		const secrets = notices.flatMap((notice) => notice.secrets);
		const cardNames = new Map(data.cards.list(workspaceId).map(({ id, name }) => [id, name]));
		return renderSettings({
			...pageData(reply),
			notices,
			credential: [
				['Base URL', baseUrl],
				['Workspace ID', workspaceId],
				['Auth URL', authUrl],
				['Realm', context.realm],
				...secrets,
			],
			hasSecret: secrets.length > 0,
			keys: identities.keys(workspaceId),
			accounts: identities.accounts(workspaceId),
			subscriptions: data.subscriptions.list(workspaceId).map((subscription) => ({
				...subscription,
				cardName:
					subscription.cardId === null
						? 'all cards'
						: (cardNames.get(subscription.cardId) ?? subscription.cardId),
				failures: store.deliveries.next(subscription.id, 1)[0]?.failures ?? 0,
			})),
			deliveries: store.deliveries.log({ workspaceId }, shownDeliveries),
			mails: store.mails.list(workspaceId, shownDeliveries),
			mailServer: context.mailServer,
		});
	};

	const recordsPage = (reply: FastifyReply, cardId?: string, cursor?: string) => {
		const base = { ...pageData(reply), cards: data.cards.list(workspaceId), cursor };
		if (cardId === undefined) {
			return renderRecords({ ...base, fields: [], records: [], nextCursor: null });
		}
		const card = data.cards.get(workspaceId, cardId);
		const after = cursor === undefined ? '' : context.cursors.decode(cardId, cursor);
		const page = data.records.page(workspaceId, cardId, after, shownRecords);
		const last = page.records.at(-1);
		return renderRecords({
			...base,
			card,
			fields: data.fields.list(workspaceId, cardId),
			records: page.records,
			nextCursor: page.more && last ? context.cursors.encode(cardId, last.id) : null,
		});
	};

	await app.register(async (settings) => {
		await settings.register(formbody);
		await settings.register(session, {
			key: Buffer.from(context.cookieKey, 'base64url'),
			cookieName: 'workspace_settings',
			expiry: sessionMs / 1000,
			cookie: { path: settingsRoot, httpOnly: true, sameSite: 'strict' },
		});
		await settings.register(csrf, {
			sessionPlugin: '@fastify/secure-session',
			getToken: ({ body }) => (body as { form_token?: string } | undefined)?.form_token,
		});
		settings.addHook('onRequest', guard.onPublicRequest);
		settings.addHook('onRequest', async (request, reply) => {
			void reply.headers({
				'content-security-policy':
					"default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
				'x-content-type-options': 'nosniff',
				'referrer-policy': 'same-origin',
				'cache-control': 'no-store',
			});
			if (request.method === 'POST') checkOrigin(request);
		});
		const hide = { schema: { hide: true }, bodyLimit: maximumFormBytes };
		const html = (reply: FastifyReply, text: string) =>
			reply.type('text/html; charset=utf-8').send(text);

		/** Only for somebody signed in whose form is ours. */
		const checkForm = [
			async (request: FastifyRequest) => {
				if (sessionOf(request)) return;
				throw problem('authentication-required', 'Sign in to the settings page first.');
			},
			settings.csrfProtection,
		];

		/** A page for somebody signed in; the others are asked for the password. */
		const page = (
			path: string,
			make: (current: Session, request: FastifyRequest, reply: FastifyReply) => string | undefined,
		) =>
			settings.get(`${settingsRoot}${path}`, hide, (request, reply) => {
				const current = sessionOf(request);
				if (!current) return html(reply, renderSignIn(false));
				const text = make(current, request, reply);
				return text === undefined ? reply.redirect(settingsRoot, 303) : html(reply, text);
			});

		/** A form that changes something; what `run` returns is shown on the page that follows. */
		const form = (
			path: string,
			run: (params: Record<string, string>, body: unknown) => Notice | undefined,
		) =>
			settings.post(
				`${settingsRoot}${path}`,
				{ ...hide, preHandler: checkForm },
				(request, reply) => {
					const notice = run(request.params as Record<string, string>, request.body);
					if (notice) sessionOf(request)?.notices.push(notice);
					return reply.redirect(settingsRoot, 303);
				},
			);

		/** A page that asks before a form of the same path does something. */
		const question = (
			path: string,
			ask: (id: string) => Omit<Question, keyof PageData | 'action'> | undefined,
		) =>
			page(path, (_current, request, reply) => {
				const { id = '' } = request.params as { id?: string };
				const asked = ask(id);
				return asked && renderQuestion({ ...pageData(reply), ...asked, action: request.url });
			});

		const read = <S extends z.ZodType>(schema: S, body: unknown): z.output<S> => {
			const result = schema.safeParse(body);
			if (result.success) return result.data;
			throw problem('validation-failed', 'The form is not filled in properly.');
		};

		for (const [name, { type, path }] of Object.entries(assets)) {
			const text = readFileSync(path, 'utf8');
			settings.get(`${settingsRoot}/${name}`, hide, (_request, reply) =>
				reply.type(type).header('cache-control', 'private, max-age=3600').send(text),
			);
		}
		settings.post(
			`${settingsRoot}/sign-in`,
			{
				...hide,
				config: {
					rateLimit: {
						max: context.quotas.signInsPerMinute,
						timeWindow: 60_000,
						keyGenerator: ({ ip }: FastifyRequest) => `sign-in:${ip}`,
						errorResponseBuilder: () =>
							problem('rate-limit-exceeded', 'Too many attempts to sign in. See Retry-After.'),
					},
				},
			},
			(request, reply) => {
				const { password } = (request.body ?? {}) as { password?: unknown };
				const id = typeof password === 'string' ? sessions.signIn(password) : undefined;
				if (id === undefined) return html(reply.code(401), renderSignIn(true));
				request.session.regenerate();
				request.session.set('id', id);
				// Made now, so that later pages need not set the cookie again.
				reply.generateCsrf();
				return reply.redirect(settingsRoot, 303);
			},
		);
		settings.post(
			`${settingsRoot}/sign-out`,
			{ ...hide, preHandler: checkForm },
			(request, reply) => {
				sessions.signOut(request.session.get('id') ?? '');
				request.session.delete();
				return reply.redirect(settingsRoot, 303);
			},
		);

		page('', (current, { method }, reply) => settingsPage(current, method, reply));
		page('/records', (_current, _request, reply) => recordsPage(reply));
		page('/records/:cid', (_current, { params, query }, reply) =>
			recordsPage(reply, (params as { cid: string }).cid, (query as { cursor?: string }).cursor),
		);

		const keyOf = (id: string) =>
			identities.keys(workspaceId).find((key) => key.id === id && key.revokedAt === null);
		const accountOf = (id: string) =>
			identities
				.accounts(workspaceId)
				.find(({ clientId, revokedAt }) => clientId === id && revokedAt === null);
		const subscriptionOf = (id: string) =>
			data.subscriptions.list(workspaceId).find((subscription) => subscription.id === id);

		form('/keys', (_params, body) => {
			const { name } = read(nameForm, body);
			const { apiKey } = identities.createKey(workspaceId, name);
			return { text: `The API key "${name}" was created.`, secrets: [['API Key', apiKey]] };
		});
		question('/keys/:id/revoke', (id) => {
			const key = keyOf(id);
			return (
				key && {
					question: `Revoke the API key “${key.name}”?`,
					consequence:
						'Every workflow that uses it fails until it has another one. This cannot be undone.',
					button: 'Revoke key',
				}
			);
		});
		form('/keys/:id/revoke', ({ id = '' }) => {
			if (!keyOf(id) || !identities.revokeKey(id)) return undefined;
			return { text: 'The API key was revoked.', secrets: [] };
		});
		form('/accounts', (_params, body) => {
			const { name, role } = read(accountForm, body);
			const { clientId, clientSecret } = identities.createAccount(workspaceId, name, role);
			return {
				text: `The service account "${name}" was created.`,
				secrets: [
					['Client ID', clientId],
					['Client Secret', clientSecret],
				],
			};
		});
		question('/accounts/:id/revoke', (id) => {
			const account = accountOf(id);
			return (
				account && {
					question: `Revoke the service account “${account.name}”?`,
					consequence:
						'Its tokens stop working at once, and every workflow that uses it fails. This cannot be undone.',
					button: 'Revoke account',
				}
			);
		});
		form('/accounts/:id/revoke', ({ id = '' }) => {
			if (!accountOf(id) || !identities.revokeAccount(id)) return undefined;
			return { text: 'The service account was revoked. Its tokens no longer work.', secrets: [] };
		});
		form('/subscriptions/:id/resume', ({ id = '' }) => {
			if (!subscriptionOf(id) || !data.subscriptions.resume(id)) return undefined;
			return { text: `The subscription ${id} is active again.`, secrets: [] };
		});
		question('/subscriptions/:id/delete', (id) => {
			const subscription = subscriptionOf(id);
			return (
				subscription && {
					question: `Delete the subscription ${id}?`,
					consequence: `${subscription.targetUrl} gets no further events, and ${subscription.pending} waiting deliveries are dropped.`,
					button: 'Delete subscription',
				}
			);
		});
		form('/subscriptions/:id/delete', ({ id = '' }) => {
			if (!subscriptionOf(id)) return undefined;
			data.subscriptions.remove(workspaceId, id);
			return { text: `The subscription ${id} was deleted.`, secrets: [] };
		});
	});
}
