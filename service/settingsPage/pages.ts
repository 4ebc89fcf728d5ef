/** The pages for somebody signed in, and how they are rendered: every value is escaped. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { roles } from '../data/identities.ts';
import type { Parts } from '../parts/parts.ts';

/** Path of the settings page. */
export const settingsRoot = '/settings';

/** This folder. */
export const folder = fileURLToPath(new URL('.', import.meta.url));

// By itself it escapes every value.
const eta = new Eta({ views: join(folder, 'views'), cache: true });

/** Longest value that a table shows, in characters. */
const maximumShown = 200;

/** Something to be shown once, after a form was sent. */
export interface Notice {
	text: string;
	/** Names and values that are shown nowhere else. */
	secrets?: Array<[name: string, value: string]>;
}

/** A request of somebody signed in, and what it works on. */
export interface Visit extends Parts {
	/** Shown on the next page they see, and then forgotten. */
	notices: Notice[];
	request: FastifyRequest;
	reply: FastifyReply;
	/** The IDs in the path. */
	ids: Record<'id' | 'cid' | 'rid', string>;
}

/** The settings. */
export function settingsPage(visit: Visit): FastifyReply {
	const { store, workspaceId, realm, smtpUrl, addresses, mailer } = visit;
	const { identities, subscriptions, deliveries, cards } = store;
	const { baseUrl, authUrl } = addresses;
	const secrets = visit.notices.flatMap((notice) => notice.secrets ?? []);
	const cardNames = new Map(cards.list(workspaceId).map(({ id, name }) => [id, name]));
	return render('settings', visit, {
		credential: [
			['Base URL', baseUrl],
			['Workspace ID', workspaceId],
			['Auth URL', authUrl],
			['Realm', realm],
			['Web URL', `${new URL(baseUrl).origin}/cards/{card}`],
			...secrets,
		],
		hasSecret: secrets.length > 0,
		keys: identities.keys(workspaceId),
		accounts: identities.accounts(workspaceId),
		subscriptions: subscriptions.list(workspaceId).map((subscription) => ({
			...subscription,
			cardName: cardNames.get(subscription.cardId ?? '') ?? 'all cards',
			failures: deliveries.next(subscription.id)?.failures ?? 0,
		})),
		deliveries: deliveries.log({ workspaceId }, 50),
		mails: mailer.list(workspaceId),
		mailServer: smtpUrl !== undefined,
	});
}

/** All cards. */
export const cardsPage = (visit: Visit): FastifyReply =>
	render('cards', visit, { cards: visit.store.cards.list(visit.workspaceId) });

/** One card: its records, newest first, and its fields. */
export function cardPage(visit: Visit): FastifyReply {
	const { store, workspaceId, request } = visit;
	const { cid } = visit.ids;
	const { search, before } = request.query as { search?: unknown; before?: unknown };
	const text = typeof search === 'string' ? search.trim() : '';
	const from = typeof before === 'string' ? before : undefined;
	return render('card', visit, {
		...store.records.search(workspaceId, cid, text, from),
		card: store.cards.get(workspaceId, cid),
		fields: store.fields.list(workspaceId, cid),
		total: store.records.count(cid),
		search: text,
		isFirst: from === undefined,
	});
}

/** Sends a page for somebody signed in, with the notices that they have not seen. */
export function render(view: string, visit: Visit, shown: object): FastifyReply {
	const { store, workspaceId, notices, request, reply } = visit;
	return renderPlain(view, reply, {
		time,
		show,
		roles,
		page: request.url.startsWith(`${settingsRoot}/records`) ? 'records' : 'settings',
		workspace: store.identities.workspace(workspaceId),
		// A HEAD request shows nothing, and secrets are shown only once.
		notices: request.method === 'GET' ? notices.splice(0) : [],
		...shown,
	});
}

/** Sends a page for anybody. */
export const renderPlain = (view: string, reply: FastifyReply, shown: object): FastifyReply =>
	reply.type('text/html; charset=utf-8').send(eta.render(view, shown));

/** The page of a card. */
export const cardPath = (cid: string) => `${settingsRoot}/records/${encodeURIComponent(cid)}`;

const format = new Intl.DateTimeFormat('en-GB', {
	dateStyle: 'medium',
	timeStyle: 'short',
	timeZone: 'UTC',
});

/** A time that people can read; the exact one when they point at it. */
const time = (iso: string) =>
	`<time datetime="${iso}" title="${iso}">${format.format(new Date(iso))} UTC</time>`;

/** A value of a record in one cell. */
function show(value: unknown): string {
	if (value === undefined) return '';
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return text.length > maximumShown ? `${text.slice(0, maximumShown)}…` : text;
}
