/** Serves the settings and the view of records: plain HTML and forms, which work without script. */
import csrf from '@fastify/csrf-protection';
import formbody from '@fastify/formbody';
import session from '@fastify/secure-session';
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { readFileSync } from 'node:fs';
import type { App } from '../http/context.ts';
import { problem } from '../http/problem.ts';
import { type SettingsContext, settingsRoot } from './context.ts';
import { accountForms, type Forms, keyForms, subscriptionForms } from './forms.ts';
import { assets, renderQuestion, renderSignIn } from './page.ts';
import { createSessions, type Session, sessionMs, type Sessions } from './sessions.ts';
import { cardsView, cardView, pageData, settingsView } from './views.ts';

export { settingsRoot } from './context.ts';

declare module '@fastify/secure-session' {
	interface SessionData {
		id: string;
	}
}

const maximumFormBytes = 64 * 1024;
const hide = { schema: { hide: true }, bodyLimit: maximumFormBytes };

const html = (reply: FastifyReply, text: string) =>
	reply.type('text/html; charset=utf-8').send(text);

/** Refuses forms that another site sends; browsers say where a form comes from. */
function checkOrigin({ headers, protocol, host }: FastifyRequest, publicUrl: string | undefined) {
	const { origin } = headers;
	const site = headers['sec-fetch-site'];
	const own = [`${protocol}://${host}`, ...(publicUrl === undefined ? [] : [publicUrl])];
	const isOwn = origin === undefined || own.some((one) => new URL(one).origin === origin);
	if (!isOwn || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
		throw problem('cross-site-request', 'This form was sent from another site.');
	}
}

/** Cookies, forms and headers of all pages. */
async function addPlugins(settings: FastifyInstance, context: SettingsContext) {
	const { guard, publicUrl } = context;
	await settings.register(formbody);
	await settings.register(session, {
		key: Buffer.from(context.cookieKey, 'base64url'),
		cookieName: 'workspace_settings',
		expiry: sessionMs / 1000,
		cookie: {
			path: settingsRoot,
			httpOnly: true,
			sameSite: 'strict',
			secure: publicUrl?.startsWith('https:') === true,
		},
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
		if (request.method === 'POST') checkOrigin(request, publicUrl);
	});
	for (const [name, { type, path }] of Object.entries(assets)) {
		const text = readFileSync(path, 'utf8');
		settings.get(`${settingsRoot}/${name}`, hide, (_request, reply) =>
			reply.type(type).header('cache-control', 'private, max-age=3600').send(text),
		);
	}
}

/** Where to go after signing in: a page of ours, never another site. */
function pathAfterSignIn(given: unknown): string {
	const isOurs = typeof given === 'string' && /^\/settings(?:[/?][\w/?=&%.~-]*)?$/.test(given);
	return isOurs ? given : settingsRoot;
}

/** Signing in and out. */
function addSignIn(
	settings: FastifyInstance,
	{ guard }: SettingsContext,
	sessions: Sessions,
	checkForm: SettingsHooks,
) {
	settings.post(
		`${settingsRoot}/sign-in`,
		{ ...hide, onRequest: guard.onSignIn },
		(request, reply) => {
			const { password, next } = (request.body ?? {}) as { password?: unknown; next?: unknown };
			const id = typeof password === 'string' ? sessions.signIn(password) : undefined;
			const path = pathAfterSignIn(next);
			if (id === undefined) {
				return html(reply.code(401), renderSignIn({ failed: true, next: path }));
			}
			request.session.regenerate();
			request.session.set('id', id);
			// Made now, so that later pages need not set the cookie again.
			reply.generateCsrf();
			return reply.redirect(path, 303);
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
}

type SettingsHooks = preHandlerHookHandler[];
type MakePage = (
	current: Session,
	request: FastifyRequest,
	reply: FastifyReply,
) => string | undefined | Promise<string | undefined>;

/** Adds a page for somebody signed in; others are asked for the password. */
function addPage(
	settings: FastifyInstance,
	sessionOf: (request: FastifyRequest) => Session | undefined,
	path: string,
	make: MakePage,
) {
	settings.get(`${settingsRoot}${path}`, hide, async (request, reply) => {
		const current = sessionOf(request);
		const next = pathAfterSignIn(request.url);
		if (!current) return await html(reply, renderSignIn({ failed: false, next }));
		const text = await make(current, request, reply);
		if (text === undefined) return await reply.redirect(settingsRoot, 303);
		return await html(reply, text);
	});
}

/** Adds forms, and the pages that ask before them. */
function addForms(
	settings: FastifyInstance,
	context: SettingsContext,
	{ actions, questions }: Forms,
	sessionOf: (request: FastifyRequest) => Session | undefined,
	checkForm: SettingsHooks,
) {
	const idOf = ({ params }: FastifyRequest) => (params as { id?: string }).id ?? '';
	for (const [path, run] of Object.entries(actions)) {
		settings.post(
			`${settingsRoot}${path}`,
			{ ...hide, preHandler: checkForm },
			(request, reply) => {
				const notice = run(idOf(request), request.body);
				if (notice) sessionOf(request)?.notices.push(notice);
				return reply.redirect(settingsRoot, 303);
			},
		);
	}
	for (const [path, ask] of Object.entries(questions)) {
		addPage(settings, sessionOf, path, (_current, request, reply) => {
			const asked = ask(idOf(request));
			const { url: action } = request;
			return asked && renderQuestion({ ...pageData(context, reply), ...asked, action });
		});
	}
}

/**
 * Adds the pages.
 * @see service interface, part 2 "Service account", part 3
 */
export async function addSettingsPage(app: App, context: SettingsContext) {
	const sessions = createSessions(context.password, context.clock);
	const sessionOf = (request: FastifyRequest) => sessions.find(request.session.get('id'));
	// A credential of n8n can name this as its web address; the page itself needs the cookie of its path.
	app.get('/cards/:cid', hide, (request, reply) => {
		const { cid } = request.params as { cid: string };
		return reply.redirect(`${settingsRoot}/records/${encodeURIComponent(cid)}`, 303);
	});
	await app.register(async (settings) => {
		await addPlugins(settings, context);
		/** Only for somebody signed in whose form is ours. */
		const checkForm = [
			async (request: FastifyRequest) => {
				if (sessionOf(request)) return;
				throw problem('authentication-required', 'Sign in to the settings page first.');
			},
			settings.csrfProtection,
		] as SettingsHooks;
		addSignIn(settings, context, sessions, checkForm);
		const page = (path: string, make: MakePage) => addPage(settings, sessionOf, path, make);
		page('', (current, { method }, reply) => settingsView(context, current, method, reply));
		page('/records', (_current, _request, reply) => cardsView(context, reply));
		page('/records/:cid', async (_current, { params, query }, reply) => {
			const { cid } = params as { cid: string };
			return await cardView(context, reply, cid, query as Record<string, unknown>);
		});
		for (const forms of [keyForms, accountForms, subscriptionForms]) {
			addForms(settings, context, forms(context), sessionOf, checkForm);
		}
	});
}
