import type { Turn } from '../foundation/heavyWork.ts';
import type { DomainEvent } from '../foundation/events.ts';
import type { Quotas } from '../foundation/quotas.ts';
import type { Card } from '../storage/cards.ts';
import type { Store } from '../storage/store.ts';
import { refusal } from './refusal.ts';

/** The operations of clients on cards; each change is one transaction with its events. */
export type Cards = ReturnType<typeof createCards>;

const cardEvent = (
	event: DomainEvent['event'],
	workspaceId: string,
	{ id, name, description }: Card,
): DomainEvent => ({
	event,
	workspaceId,
	cardId: id,
	details: { card: { id, name, description } },
});

/** The texts of a card, which count for its workspace. */
type CardTexts = Pick<Card, 'name' | 'description'>;

const bytesOf = ({ name, description }: CardTexts) =>
	Buffer.byteLength(name) + Buffer.byteLength(description);

/** Gives the operations over a store. */
export function createCards(store: Store, quotas: Pick<Quotas, 'cards' | 'cardBytes'>) {
	const { cards, fields, subscriptions, leftovers } = store;

	/** Refuses another card, or longer texts of one, for which the workspace has no room. */
	const checkRoom = (workspaceId: string, before: CardTexts | undefined, after: CardTexts) => {
		const added = bytesOf(after) - (before ? bytesOf(before) : 0);
		const { count, bytes } = cards.sizeOf(workspaceId);
		const refuse = (what: string) =>
			refusal('quota-exceeded', `Workspace "${workspaceId}" ${what}, the most it may have.`);
		if (!before && count >= quotas.cards) throw refuse(`already has ${quotas.cards} cards`);
		if (added > 0 && bytes + added > quotas.cardBytes) {
			throw refuse(
				`would have more than ${quotas.cardBytes} bytes of names and descriptions of cards`,
			);
		}
	};

	return {
		list: (workspaceId: string) => cards.list(workspaceId),
		/** The same, read in pieces; each after the first waits for its turn. */
		async listInTurns(workspaceId: string, turn: Turn) {
			let { cards: found, next } = cards.some(workspaceId);
			while (next !== null) {
				await turn();
				const piece = cards.some(workspaceId, next);
				found = found.concat(piece.cards);
				({ next } = piece);
			}
			return found;
		},
		/** @throws Refusal card-not-found */
		get(workspaceId: string, cardId: string): Card {
			const card = cards.find(workspaceId, cardId);
			if (card) return card;
			throw refusal(
				'card-not-found',
				`Card "${cardId}" does not exist in workspace "${workspaceId}".`,
			);
		},
		/** @throws Refusal quota-exceeded */
		create(workspaceId: string, input: { name: string; description?: string }) {
			return store.change((publish) => {
				const { name, description = '' } = input;
				checkRoom(workspaceId, undefined, { name, description });
				const card = cards.create(workspaceId, name, description);
				publish(cardEvent('card.created', workspaceId, card));
				return card;
			});
		},
		/** @throws Refusal card-not-found, quota-exceeded */
		update(workspaceId: string, cardId: string, change: { name?: string; description?: string }) {
			return store.change((publish) => {
				const before = this.get(workspaceId, cardId);
				const { name = before.name, description = before.description } = change;
				if (name === before.name && description === before.description) return before;
				checkRoom(workspaceId, before, { name, description });
				const card = cards.update(before, { name, description });
				publish(cardEvent('card.updated', workspaceId, card));
				return card;
			});
		},
		/**
		 * Deletes a card with all that belongs to it; its records have no events. It is gone at once, its
		 * rows are cleared away in slices.
		 */
		remove(workspaceId: string, cardId: string) {
			const card = store.change(() => {
				const found = this.get(workspaceId, cardId);
				cards.hide(cardId);
				fields.removeAll(cardId);
				for (const id of subscriptions.idsOfCard(cardId)) store.removeSubscription(id);
				leftovers.add('card', cardId);
				return found;
			});
			store.listeners.leftOver();
			return card;
		},
		/** Announces a collaborator; the interface has the event but no endpoint for it. */
		addCollaborator(workspaceId: string, cardId: string, email: string, role: string) {
			store.change((publish) => {
				this.get(workspaceId, cardId);
				publish({
					event: 'collaborator.added',
					workspaceId,
					cardId,
					details: { collaborator: { email, role } },
				});
			});
		},
	};
}
