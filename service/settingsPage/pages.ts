/** The pages for somebody signed in: the settings, the cards, and the records of a card. */
import type { Visit } from './context.ts';
import { render } from './render.ts';

const shownDeliveries = 50;
const shownRecords = 50;

/** The settings. */
export function settingsPage(visit: Visit): string {
	const { data, workspaceId, realm, smtpUrl, session } = visit;
	const { identities, subscriptions, deliveries, mails } = data;
	const { baseUrl, authUrl } = visit.addresses;
	const secrets = session.notices.flatMap((notice) => notice.secrets);
	const cardNames = new Map(data.cards.list(workspaceId).map(({ id, name }) => [id, name]));
	return render('settings', 'settings', visit, {
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
			failures: deliveries.next(subscription.id, 1)[0]?.failures ?? 0,
		})),
		deliveries: deliveries.log({ workspaceId }, shownDeliveries),
		mails: mails.list(workspaceId, shownDeliveries),
		mailServer: smtpUrl !== undefined,
	});
}

/** All cards. */
export function cardsPage(visit: Visit): string {
	return render('cards', 'records', visit, { cards: visit.data.cards.list(visit.workspaceId) });
}

/** One card: its records, newest first, and its fields. */
export function cardPage(visit: Visit): string {
	const { data, workspaceId, request } = visit;
	const { cid } = visit.ids;
	const query = request.query as { search?: unknown; before?: unknown };
	const text = typeof query.search === 'string' ? query.search.trim() : '';
	const before = typeof query.before === 'string' ? query.before : undefined;
	return render('card', 'records', visit, {
		...data.records.search(workspaceId, cid, { text, before, limit: shownRecords }),
		card: data.cards.get(workspaceId, cid),
		fields: data.fields.list(workspaceId, cid),
		total: data.records.count(cid),
		search: text,
		isFirst: before === undefined,
	});
}
