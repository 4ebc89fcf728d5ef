import type { Resource } from '../operation';
import { createCard } from './create.operation';
import { createCardFromItems } from './createFromItems.operation';
import { deleteCard } from './delete.operation';
import { getCardOperation } from './get.operation';
import { getManyCards } from './getAll.operation';
import { updateCard } from './update.operation';

/** Cards: the tables of a workspace. */
export const card: Resource = {
	value: 'card',
	name: 'Card',
	operations: [
		getManyCards,
		createCard,
		createCardFromItems,
		deleteCard,
		getCardOperation,
		updateCard,
	],
};
