/** Renders the pages from their templates. Every value is escaped. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import { roles } from '../foundation/settings.ts';
import type { Visit } from './context.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const viewNames = [
	...(['layout', 'header', 'notices', 'signIn', 'settings', 'confirm'] as const),
	...(['cards', 'card', 'record'] as const),
];

// Without options it escapes every value, and keeps the templates.
const eta = new Eta();
for (const name of viewNames) {
	eta.loadTemplate(`@${name}`, readFileSync(join(folder, 'views', `${name}.eta`), 'utf8'));
}

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

const escape = (text: string) =>
	text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const format = new Intl.DateTimeFormat('en-GB', {
	dateStyle: 'medium',
	timeStyle: 'short',
	timeZone: 'UTC',
});

/** A time that people can read; the exact one when they point at it. */
function time(iso: string): string {
	const exact = escape(iso);
	return `<time datetime="${exact}" title="${exact}">${escape(format.format(new Date(iso)))} UTC</time>`;
}

/** A value of a record in one cell. */
function show(value: unknown): string {
	if (value === undefined || value === null) return '';
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return text.length > maximumShown ? `${text.slice(0, maximumShown)}…` : text;
}

/** The form that asks for the password. */
export function renderSignIn(data: { failed: boolean; next: string }): string {
	return eta.render('@signIn', data);
}

/**
 * A page for somebody signed in, with the notices that they have not seen.
 * @param page which entry of the header it is under
 */
export function render(
	view: (typeof viewNames)[number],
	page: 'settings' | 'records',
	{ context, session, request }: Visit,
	data: object,
): string {
	const { workspaceId } = context;
	const { name } = context.data.identities.workspace(workspaceId) ?? { name: workspaceId };
	return eta.render(`@${view}`, {
		...{ page, time, show, roles },
		workspace: { id: workspaceId, name },
		// A HEAD request shows nothing, and secrets are shown only once.
		notices: request.method === 'GET' ? session.notices.splice(0) : [],
		...data,
	});
}
