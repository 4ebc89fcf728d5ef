import { isDeepStrictEqual } from 'node:util';
import { type FieldOption, type FieldType, hasOptions } from '../foundation/fieldTypes.ts';
import type { Quotas } from '../foundation/quotas.ts';
import type { Field } from '../storage/fields.ts';
import type { Store } from '../storage/store.ts';
import type { Cards } from './cards.ts';
import { createExistingValues } from './existingValues.ts';
import { checkTotal, type OptionInput, toOptions } from './fieldOptions.ts';
import { refusal } from './refusal.ts';

/** The operations of clients on the fields of a card. */
export type Fields = ReturnType<typeof createFields>;

/** Gives the operations over a store. */
export function createFields(
	store: Store,
	cards: Cards,
	quotas: Pick<Quotas, 'fields' | 'options'>,
) {
	const { fields, leftovers } = store;
	const checks = createExistingValues(store);

	/** Refuses options of a field for which its card has no room. @returns them */
	const checkRoom = (cardId: string, options: FieldOption[], key?: number) => {
		const others = () => fields.of(cardId).list.filter((field) => field.key !== key);
		if (options.length > 0) checkTotal(cardId, options, others(), quotas.options);
		return options;
	};

	const operations = {
		/** Shows values that are being written to the changes of their fields that are under way. */
		noteValues: checks.noteValues,
		list(workspaceId: string, cardId: string) {
			cards.get(workspaceId, cardId);
			return fields.of(cardId).list;
		},
		/** @throws Refusal card-not-found, field-not-found */
		get(workspaceId: string, cardId: string, fieldId: string): Field {
			cards.get(workspaceId, cardId);
			const field = fields.of(cardId).byId.get(fieldId);
			if (field) return field;
			throw refusal('field-not-found', `Field "${fieldId}" does not exist in card "${cardId}".`);
		},
		create(
			workspaceId: string,
			cardId: string,
			input: { name: string; type: FieldType; options?: readonly OptionInput[] },
		) {
			return store.change(() => {
				cards.get(workspaceId, cardId);
				if (fields.of(cardId).list.length >= quotas.fields) {
					throw refusal(
						'quota-exceeded',
						`Card "${cardId}" already has ${quotas.fields} fields, the most it may have.`,
					);
				}
				const options = checkRoom(cardId, toOptions(input.type, input.options ?? [], []));
				return fields.create(cardId, input.name, input.type, options);
			});
		},
		/**
		 * Changes a field. Where type or options change, all values of the card are checked first, in
		 * slices; values that are written meanwhile are checked as they come (`noteValues`).
		 * @throws Refusal field-type-conflict, option-in-use
		 */
		async update(
			workspaceId: string,
			cardId: string,
			fieldId: string,
			change: { name?: string; type?: FieldType; options?: readonly OptionInput[] },
		): Promise<Field> {
			const before = operations.get(workspaceId, cardId, fieldId);
			const type = change.type ?? before.type;
			const options =
				change.options === undefined
					? hasOptions(type)
						? before.options
						: []
					: checkRoom(cardId, toOptions(type, change.options, before.options), before.key);
			const { name = before.name } = change;
			const typeStays = type === before.type && isDeepStrictEqual(options, before.options);
			if (typeStays && name === before.name) return before;
			const make = () =>
				store.change(() => {
					// Read again: during the check it may have been renamed or deleted.
					const now = operations.get(workspaceId, cardId, fieldId);
					const after = { ...now, name: change.name ?? now.name };
					return fields.update(cardId, typeStays ? after : { ...after, type, options });
				});
			if (typeStays) return make();
			return await checks.change(cardId, before, { ...before, type, options }, make);
		},
		/** Deletes a field. Its values are hidden at once, and cleared away in slices. */
		remove(workspaceId: string, cardId: string, fieldId: string) {
			const removed = store.change(() => {
				const field = operations.get(workspaceId, cardId, fieldId);
				fields.remove(cardId, field);
				leftovers.add('field', cardId, field.key);
				return field;
			});
			store.listeners.leftOver();
			return removed;
		},
	};
	return operations;
}
