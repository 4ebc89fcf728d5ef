/** Renders the pages from their templates. Every value is escaped. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { FastifyReply } from 'fastify';
import { roles } from '../foundation/settings.ts';
import type { Visit } from './context.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

// By itself it escapes every value.
const eta = new Eta({ views: join(folder, 'views'), cache: true });

/** Files that the pages load, by the name they are served under. */
export const assets = {
	'pico.css': {
		type: 'text/css; charset=utf-8',
		path: createRequire(import.meta.url).resolve('@picocss/pico/css/pico.classless.min.css'),
	},
	'style.css': { type: 'text/css; charset=utf-8', path: join(folder, 'style.css') },
	'copy.js': { type: 'text/javascript; charset=utf-8', path: join(folder, 'copy.js') },
};

/** Longest value that a table shows, in characters. */
const maximumShown = 200;

const format = new Intl.DateTimeFormat('en-GB', {
	dateStyle: 'medium',
	timeStyle: 'short',
	timeZone: 'UTC',
});

/** A time that people can read; the exact one when they point at it. */
function time(iso: string): string {
	return `<time datetime="${iso}" title="${iso}">${format.format(new Date(iso))} UTC</time>`;
}

/** A value of a record in one cell. */
function show(value: unknown): string {
	if (value === undefined || value === null) return '';
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return text.length > maximumShown ? `${text.slice(0, maximumShown)}…` : text;
}

/** Sends a page. */
export const html = (reply: FastifyReply, text: string) =>
	reply.type('text/html; charset=utf-8').send(text);

/** The form that asks for the password. */
export function renderSignIn(data: { failed: boolean; next: string }): string {
	return eta.render('signIn', data);
}

/**
 * A page for somebody signed in, with the notices that they have not seen.
 * @param page which entry of the header it is under
 */
export function render(
	view: string,
	page: 'settings' | 'records',
	{ data, workspaceId, session, request }: Visit,
	shown: object,
): string {
	return eta.render(view, {
		...{ page, time, show, roles },
		workspace: data.identities.workspace(workspaceId),
		// A HEAD request shows nothing, and secrets are shown only once.
		notices: request.method === 'GET' ? session.notices.splice(0) : [],
		...shown,
	});
}
