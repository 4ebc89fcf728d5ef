/** Serves the settings and the records: plain HTML and forms, which work without script. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FifoMap } from 'toad-cache';
import { problem } from '../foundation/problem.ts';
import { hashSecret, newSecret, secretMatches } from '../foundation/secrets.ts';
import type { Parts } from '../parts/parts.ts';
import { forms } from './forms.ts';
import * as pages from './pages.ts';
import { recordPage, saveRecord } from './recordForm.ts';

export const { settingsRoot } = pages;

// A form has the values of a record, percent-encoded.
const hide = { schema: { hide: true }, bodyLimit: 1024 * 1024 };

/** Adds the pages. @see service interface, part 2 "Service account", part 3 */
export async function addSettingsPage(app: FastifyInstance, context: Parts) {
	// A credential of n8n can name this as its Web URL; the page itself needs the cookie of its path.
	app.get('/cards/:cid', hide, (request, reply) =>
		reply.redirect(pages.cardPath((request.params as { cid: string }).cid), 303),
	);
	await app.register(async (own) => {
		await own.register(formbody);
		own.addHook('onRequest', async (request, reply) => protect(request, reply, context.guard));
		addAssets(own);
		new SettingsRoutes(own, context).add();
	});
}

/** The cookie with the ID of a session. */
const cookieName = 'workspace_settings';

/** Life of a session, in ms. */
const sessionMs = 8 * 60 * 60 * 1000;

/** Bounds what a page may do, and refuses forms that another site sends; browsers say where a form comes from. */
async function protect(
	request: FastifyRequest,
	reply: FastifyReply,
	guard: Parts['guard'],
): Promise<void> {
	await guard.onPublicRequest(request, reply);
	void reply.headers({
		'content-security-policy':
			"default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		'x-content-type-options': 'nosniff',
		'referrer-policy': 'same-origin',
		'cache-control': 'no-store',
	});
	const own = `${request.protocol}://${request.host}`;
	const { origin = own, 'sec-fetch-site': site = 'none' } = request.headers;
	if (request.method !== 'POST') return;
	if (origin === own && (site === 'same-origin' || site === 'none')) return;
	throw problem('cross-site-request', 'This form was sent from another site.');
}

/** Serves the files that the pages load. */
function addAssets(app: FastifyInstance): void {
	const pico = createRequire(import.meta.url).resolve('@picocss/pico/css/pico.classless.min.css');
	for (const [name, type, path] of [
		['pico.css', 'css', pico],
		['style.css', 'css', join(pages.folder, 'style.css')],
		['copy.js', 'javascript', join(pages.folder, 'copy.js')],
	] as const) {
		const text = readFileSync(path, 'utf8');
		app.get(`${settingsRoot}/${name}`, hide, (_request, reply) =>
			reply
				.type(`text/${type}; charset=utf-8`)
				.header('cache-control', 'private, max-age=3600')
				.send(text),
		);
	}
}

/** Where to continue after signing in: a page of ours, never another site. */
function pathAfterSignIn(given: unknown): string {
	const isOurs = typeof given === 'string' && /^\/settings(?:[/?][\w/?=&%.~-]*)?$/.test(given);
	return isOurs ? given : settingsRoot;
}

/** The routes of the pages and forms, and who is signed in. */
class SettingsRoutes {
	readonly #app: FastifyInstance;
	readonly #context: Parts;
	/** Notices for whoever is signed in, by the ID in the cookie; in memory, so a restart signs everybody out. */
	readonly #sessions = new FifoMap<pages.Notice[]>(1_000, sessionMs);

	constructor(app: FastifyInstance, context: Parts) {
		this.#app = app;
		this.#context = context;
	}

	add(): void {
		this.#addSignIn();
		this.#page('', pages.settingsPage);
		this.#page('/records', pages.cardsPage);
		this.#page('/records/:cid', pages.cardPage);
		for (const path of ['/records/:cid/add', '/records/:cid/:rid']) {
			this.#page(path, (visit) => recordPage(visit));
			this.#form(path, saveRecord);
		}
		for (const { path, ask, run, next = () => settingsRoot } of forms) {
			if (ask) {
				this.#page(path, (visit) => {
					const question = ask(visit);
					if (!question) return visit.reply.redirect(next(visit), 303);
					const { url: action } = visit.request;
					return pages.render('confirm', visit, { ...question, action, back: next(visit) });
				});
			}
			this.#form(path, (visit) => {
				const notice = ask && !ask(visit) ? undefined : run(visit);
				if (notice) visit.notices.push(notice);
				return visit.reply.redirect(next(visit), 303);
			});
		}
	}

	/** Adds a page for somebody signed in; others are asked for the password. */
	#page(path: string, show: (visit: pages.Visit) => FastifyReply): void {
		this.#app.get(`${settingsRoot}${path}`, hide, (request, reply) => {
			const visit = this.#visit(request, reply);
			if (visit) return show(visit);
			const next = pathAfterSignIn(request.url);
			return pages.renderPlain('signIn', reply, { failed: false, next });
		});
	}

	/** Adds a form for somebody signed in. */
	#form(path: string, run: (visit: pages.Visit) => FastifyReply): void {
		this.#app.post(`${settingsRoot}${path}`, hide, (request, reply) => {
			const visit = this.#visit(request, reply);
			if (visit) return run(visit);
			throw problem('authentication-required', 'Sign in to the settings page first.');
		});
	}

	#visit(request: FastifyRequest, reply: FastifyReply): pages.Visit | undefined {
		const notices = this.#sessions.get(sessionIdOf(request));
		const ids = request.params as pages.Visit['ids'];
		return notices && { ...this.#context, notices, request, reply, ids };
	}

	#addSignIn(): void {
		const { guard, settingsPassword } = this.#context;
		const passwordHash = hashSecret(settingsPassword);
		const options = { ...hide, onRequest: guard.onSignIn };
		this.#app.post(`${settingsRoot}/sign-in`, options, (request, reply) => {
			const { password, next } = (request.body ?? {}) as { password?: unknown; next?: unknown };
			const path = pathAfterSignIn(next);
			if (typeof password !== 'string' || !secretMatches(password, passwordHash)) {
				return pages.renderPlain('signIn', reply.code(401), { failed: true, next: path });
			}
			const id = newSecret();
			this.#sessions.set(id, []);
			return setCookie(reply, id).redirect(path, 303);
		});
		this.#form('/sign-out', ({ request, reply }) => {
			this.#sessions.delete(sessionIdOf(request));
			return setCookie(reply, '; Max-Age=0').redirect(settingsRoot, 303);
		});
	}
}

const sessionIdOf = ({ headers }: FastifyRequest) =>
	new RegExp(`(?:^|; )${cookieName}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1] ?? '';

const setCookie = (reply: FastifyReply, value: string) =>
	reply.header(
		'set-cookie',
		`${cookieName}=${value}; Path=${settingsRoot}; HttpOnly; SameSite=Strict`,
	);
