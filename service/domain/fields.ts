import { isDeepStrictEqual } from 'node:util';
import {
	checkValue,
	type FieldOption,
	type FieldType,
	hasOptions,
} from '../foundation/fieldTypes.ts';
import type { Quotas } from '../foundation/quotas.ts';
import { newId } from '../foundation/secrets.ts';
import { inSlices } from '../foundation/slices.ts';
import type { Field } from '../storage/fields.ts';
import type { Store } from '../storage/store.ts';
import type { Cards } from './cards.ts';
import { type Refusal, refusal } from './refusal.ts';

/** An option as a client may send it: a name, or an object that has one. */
export type OptionInput = string | { id?: string; name: string } | { value: string; label: string };

/** The operations of clients on the fields of a card. */
export type Fields = ReturnType<typeof createFields>;

/** A change of a field's type or options while the values of its card are checked against it. */
interface PendingChange {
	before: Field;
	after: Field;
	/** Why the change is refused, once a value does not fit. */
	conflict?: Refusal;
}

const nameOf = (option: OptionInput) => {
	if (typeof option === 'string') return option;
	return 'name' in option ? option.name : option.label;
};

/** The option that an input means: the one whose id it carries, or else the one of its name. */
function findPresent(input: OptionInput, present: readonly FieldOption[]): FieldOption | undefined {
	const name = nameOf(input);
	const key = typeof input === 'string' ? undefined : 'name' in input ? input.id : input.value;
	return (
		present.find(({ id }) => id === key) ??
		present.find((option) => option.name === name) ??
		present.find((option) => option.name === key)
	);
}

/** Options as stored; one that is sent with its id, or whose name stays, keeps its id. */
function toOptions(
	type: FieldType,
	input: readonly OptionInput[],
	present: readonly FieldOption[],
): FieldOption[] {
	const names = input.map(nameOf);
	if (!hasOptions(type)) {
		if (names.length === 0) return [];
		throw refusal('validation-failed', `A field of type "${type}" has no options.`, [
			{ pointer: '/options', detail: `must be empty for type "${type}"` },
		]);
	}
	if (new Set(names).size !== names.length) {
		throw refusal('validation-failed', 'Each option must have a name of its own.', [
			{ pointer: '/options', detail: 'names an option twice' },
		]);
	}
	const taken = new Set<string>();
	return input.map((option) => {
		const known = findPresent(option, present)?.id;
		const id = known === undefined || taken.has(known) ? newId('opt') : known;
		taken.add(id);
		return { id, name: nameOf(option) };
	});
}

/** Gives the operations over a store. */
export function createFields(store: Store, cards: Cards, quotas: Pick<Quotas, 'fields'>) {
	const { fields, records, leftovers } = store;
	/** Changes whose check is under way, by the stored key of the field. */
	const pending = new Map<number, PendingChange>();

	/** Whether a value fits a change; where not, the change is refused. */
	const look = (cardId: string, change: PendingChange, value: unknown) => {
		const { before, after } = change;
		const checked = checkValue(after.type, after.options, value);
		if (checked.ok) return true;
		change.conflict =
			before.type === after.type
				? refusal(
						'option-in-use',
						`Field "${before.id}" of card "${cardId}" has records with an option that would be gone.`,
					)
				: refusal(
						'field-type-conflict',
						`Field "${before.id}" of card "${cardId}" has values that are not of type "${after.type}": ${checked.detail}.`,
					);
		return false;
	};

	/** Checks all values of a field in slices, so that others are served meanwhile. */
	const checkAll = async (cardId: string, change: PendingChange) => {
		let after = '';
		await inSlices(() => {
			const { values, last } = records.someValues(cardId, change.before.key, after);
			after = last;
			return values.every((value) => look(cardId, change, value)) && last !== '';
		});
		if (change.conflict) throw change.conflict;
	};

	const operations = {
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
				const options = toOptions(input.type, input.options ?? [], []);
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
					: toOptions(type, change.options, before.options);
			const { name = before.name } = change;
			const typeStays = type === before.type && isDeepStrictEqual(options, before.options);
			if (typeStays && name === before.name) return before;
			if (!typeStays) {
				if (pending.has(before.key)) {
					throw refusal(
						'field-type-conflict',
						`Field "${fieldId}" of card "${cardId}" is being changed by another request.`,
					);
				}
				const checked: PendingChange = { before, after: { ...before, type, options } };
				pending.set(before.key, checked);
				try {
					await checkAll(cardId, checked);
				} finally {
					pending.delete(before.key);
				}
			}
			return store.change(() => {
				// Read again: during the check it may have been renamed or deleted.
				const now = operations.get(workspaceId, cardId, fieldId);
				const { name: present } = now;
				const after = { ...now, name: change.name ?? present };
				return fields.update(cardId, typeStays ? after : { ...after, type, options });
			});
		},
		/** Shows values that are being written to the changes of their fields that are under way. */
		noteValues(cardId: string, stored: Record<string, unknown>) {
			if (pending.size === 0) return;
			for (const change of pending.values()) {
				const value = stored[change.before.key];
				if (value !== undefined && value !== null) look(cardId, change, value);
			}
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
