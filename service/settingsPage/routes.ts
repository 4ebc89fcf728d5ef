/** Serves the settings and the records: plain HTML and forms, which work without script. */
import { readFileSync } from 'node:fs';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FifoMap } from 'toad-cache';
import { problem } from '../foundation/problem.ts';
import { hashSecret, newSecret, secretMatches } from '../foundation/secrets.ts';
import {
	cardPath,
	type Session,
	type SettingsContext,
	settingsRoot,
	type Visit,
} from './context.ts';
import { forms } from './forms.ts';
import { cardPage, cardsPage, settingsPage } from './pages.ts';
import { recordPage, saveRecord } from './recordForm.ts';
import { assets, html, render, renderSignIn } from './render.ts';

export { settingsRoot } from './context.ts';

// A form has the values of a record, percent-encoded.
const hide = { schema: { hide: true }, bodyLimit: 1024 * 1024 };

/**
 * Adds the pages.
 * @see service interface, part 2 "Service account", part 3
 */
export async function addSettingsPage(app: FastifyInstance, context: SettingsContext) {
	// A credential of n8n can name this as its Web URL; the page itself needs the cookie of its path.
	app.get('/cards/:cid', hide, (request, reply) =>
		reply.redirect(cardPath(request.params as { cid: string }), 303),
	);
	await app.register(async (pages) => {
		await addPlugins(pages, context);
		new Pages(pages, context).add();
	});
}

/** The cookie with the ID of a session. */
const cookieName = 'workspace_settings';

const sessionIdOf = ({ headers }: FastifyRequest) =>
	new RegExp(`(?:^|; )${cookieName}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1] ?? '';

/** Life of a session, in ms. */
const sessionMs = 8 * 60 * 60 * 1000;

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

/** Forms and headers of all pages. */
async function addPlugins(pages: FastifyInstance, context: SettingsContext): Promise<void> {
	const { guard, publicUrl } = context;
	await pages.register(formbody);
	pages.addHook('onRequest', async (request, reply) => {
		await guard.onPublicRequest(request, reply);
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
		pages.get(`${settingsRoot}/${name}`, hide, (_request, reply) =>
			reply.type(type).header('cache-control', 'private, max-age=3600').send(text),
		);
	}
}

/** Where to continue after signing in: a page of ours, never another site. */
function pathAfterSignIn(given: unknown): string {
	const isOurs = typeof given === 'string' && /^\/settings(?:[/?][\w/?=&%.~-]*)?$/.test(given);
	return isOurs ? given : settingsRoot;
}

/** The routes of the pages. */
class Pages {
	readonly #app: FastifyInstance;
	readonly #context: SettingsContext;
	/** By the ID in the cookie; in memory, so a restart signs everybody out. */
	readonly #sessions = new FifoMap<Session>(1_000, sessionMs);

	constructor(app: FastifyInstance, context: SettingsContext) {
		this.#app = app;
		this.#context = context;
	}

	add(): void {
		this.#addSignIn();
		this.#page('', settingsPage);
		this.#page('/records', cardsPage);
		this.#page('/records/:cid', cardPage);
		for (const path of ['/records/:cid/add', '/records/:cid/:rid']) {
			this.#page(path, (visit) => recordPage(visit));
			this.#form(path, saveRecord);
		}
		for (const { path, ask, run, next } of forms) {
			if (ask) {
				this.#page(path, (visit) => {
					const question = ask(visit);
					const { url: action } = visit.request;
					const back = next?.(visit) ?? settingsRoot;
					return question && render('confirm', 'settings', visit, { ...question, action, back });
				});
			}
			this.#form(path, (visit) => {
				const notice = ask && !ask(visit) ? undefined : run(visit);
				if (notice) visit.session.notices.push(notice);
				return visit.reply.redirect(next?.(visit) ?? settingsRoot, 303);
			});
		}
	}

	/** Adds a page for somebody signed in; others are asked for the password. */
	#page(path: string, make: (visit: Visit) => string | undefined): void {
		this.#app.get(`${settingsRoot}${path}`, hide, (request, reply) => {
			const visit = this.#visit(request, reply);
			const next = pathAfterSignIn(request.url);
			if (!visit) return html(reply, renderSignIn({ failed: false, next }));
			const text = make(visit);
			return text === undefined ? reply.redirect(settingsRoot, 303) : html(reply, text);
		});
	}

	/** Adds a form for somebody signed in. */
	#form(path: string, run: (visit: Visit) => FastifyReply): void {
		this.#app.post(`${settingsRoot}${path}`, hide, (request, reply) => {
			const visit = this.#visit(request, reply);
			if (visit) return run(visit);
			throw problem('authentication-required', 'Sign in to the settings page first.');
		});
	}

	#visit(request: FastifyRequest, reply: FastifyReply): Visit | undefined {
		const session = this.#sessions.get(sessionIdOf(request));
		const ids = request.params as Visit['ids'];
		return session && { ...this.#context, session, request, reply, ids };
	}

	#addSignIn(): void {
		const { guard, settingsPassword } = this.#context;
		const passwordHash = hashSecret(settingsPassword);
		const options = { ...hide, onRequest: guard.onSignIn };
		this.#app.post(`${settingsRoot}/sign-in`, options, (request, reply) => {
			const { password, next } = (request.body ?? {}) as { password?: unknown; next?: unknown };
			const path = pathAfterSignIn(next);
			if (typeof password !== 'string' || !secretMatches(password, passwordHash)) {
				return html(reply.code(401), renderSignIn({ failed: true, next: path }));
			}
			const id = newSecret();
			this.#sessions.set(id, { notices: [] });
			return this.#setCookie(reply, id).redirect(path, 303);
		});
		this.#form('/sign-out', ({ request, reply }) => {
			this.#sessions.delete(sessionIdOf(request));
			return this.#setCookie(reply, '; Max-Age=0').redirect(settingsRoot, 303);
		});
	}

	#setCookie(reply: FastifyReply, value: string): FastifyReply {
		const secure = this.#context.publicUrl?.startsWith('https:') ? '; Secure' : '';
		const attributes = `; Path=${settingsRoot}; HttpOnly; SameSite=Strict${secure}`;
		return reply.header('set-cookie', `${cookieName}=${value}${attributes}`);
	}
}
