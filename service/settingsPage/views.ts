/** The pages for somebody signed in, filled with data. */
import type { FastifyReply } from 'fastify';
import type { SettingsContext } from './context.ts';
import { type PageData, renderRecords, renderSettings } from './page.ts';
import type { Session } from './sessions.ts';

const shownDeliveries = 50;
const shownRecords = 50;

/** The part that all pages have. */
export function pageData({ store, workspaceId }: SettingsContext, reply: FastifyReply): PageData {
	return {
		workspace: {
			id: workspaceId,
			name: store.identities.workspace(workspaceId)?.name ?? workspaceId,
		},
		formToken: reply.generateCsrf(),
	};
}

/** The settings. */
export function settingsView(
	context: SettingsContext,
	current: Session,
	method: string,
	reply: FastifyReply,
): string {
	const { store, data, workspaceId } = context;
	const { identities } = store;
	// A HEAD request shows nothing, and secrets are shown only once.
	const notices = method === 'GET' ? current.notices.splice(0) : [];
	const { baseUrl, authUrl } = context.addresses();
	const secrets = notices.flatMap((notice) => notice.secrets);
	const cardNames = new Map(data.cards.list(workspaceId).map(({ id, name }) => [id, name]));
	const nameOf = (cardId: string | null) =>
		cardId === null ? 'all cards' : (cardNames.get(cardId) ?? cardId);
	return renderSettings({
		...pageData(context, reply),
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
			cardName: nameOf(subscription.cardId),
			failures: store.deliveries.next(subscription.id, 1)[0]?.failures ?? 0,
		})),
		deliveries: store.deliveries.log({ workspaceId }, shownDeliveries),
		mails: store.mails.list(workspaceId, shownDeliveries),
		mailServer: context.mailServer,
	});
}

/** All cards. */
export function cardsView(context: SettingsContext, reply: FastifyReply): string {
	return renderRecords({
		...pageData(context, reply),
		cards: context.data.cards.list(context.workspaceId),
	});
}

/** One card: its records, newest first, and its fields. */
export async function cardView(
	context: SettingsContext,
	reply: FastifyReply,
	cardId: string,
	query: { search?: unknown; before?: unknown },
): Promise<string> {
	const { data, workspaceId } = context;
	const card = data.cards.get(workspaceId, cardId);
	const text = typeof query.search === 'string' ? query.search.trim() : '';
	const before = typeof query.before === 'string' ? query.before : undefined;
	const limit = shownRecords;
	const [total, page] = await Promise.all([
		data.records.count(workspaceId, cardId),
		data.records.search(workspaceId, cardId, { text, before, limit }),
	]);
	return renderRecords({
		...pageData(context, reply),
		cards: [],
		card,
		fields: data.fields.list(workspaceId, cardId),
		records: page.records,
		total,
		search: text,
		isFirst: before === undefined,
		next: page.next,
	});
}
