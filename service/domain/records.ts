import type { FieldOption, FieldType } from '../foundation/fieldTypes.ts';
import { checkValue, hasOptions } from '../foundation/fieldTypes.ts';
import { newId } from '../foundation/secrets.ts';
import type { DomainEvent } from '../foundation/events.ts';
import { problem } from '../http/problem.ts';
import { differences, toShown, toStored, withoutNulls } from './recordData.ts';
import type { Card } from '../storage/cards.ts';
import type { Field } from '../storage/fields.ts';
import type { StoredRecord } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';
import type { Variants } from '../control/variants.ts';

/** A record as the API shows it. */
export interface ApiRecord {
	id: string;
	data: Record<string, unknown>;
	created_at: string;
}

/** An option as a client may send it: a name, or an object that has one. */
export type OptionInput = string | { id?: string; name: string } | { value: string; label: string };

/** What clients can do with cards, fields and records; each call is one transaction with its events. */
export type WorkspaceData = ReturnType<typeof createWorkspaceData>;

const nameOf = (option: OptionInput) => {
	if (typeof option === 'string') return option;
	return 'name' in option ? option.name : option.label;
};

/** Options as stored; those whose name stays keep their id. */
function toOptions(
	type: FieldType,
	input: readonly OptionInput[],
	present: readonly FieldOption[],
): FieldOption[] {
	const names = input.map(nameOf);
	if (!hasOptions(type)) {
		if (names.length === 0) return [];
		throw problem('validation-failed', `A field of type "${type}" has no options.`, {
			errors: [{ pointer: '/options', detail: `must be empty for type "${type}"` }],
		});
	}
	if (new Set(names).size !== names.length) {
		throw problem('validation-failed', 'Each option must have a name of its own.', {
			errors: [{ pointer: '/options', detail: 'names an option twice' }],
		});
	}
	return names.map((name) => ({
		id: present.find((option) => option.name === name)?.id ?? newId('opt'),
		name,
	}));
}

/** Gives the operations over a store. */
export function createWorkspaceData(store: Store, variants: Variants) {
	const { cards, fields, records } = store;

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

	const show = (cardId: string, record: StoredRecord): ApiRecord => ({
		id: record.id,
		data: toShown(record.data, fields.of(cardId), variants.clearedFields),
		created_at: record.created_at,
	});

	const getRecord = (workspaceId: string, cardId: string, id: string) => {
		cards.get(workspaceId, cardId);
		const record = records.find(cardId, id);
		if (!record) {
			throw problem('record-not-found', `Record "${id}" does not exist in card "${cardId}".`);
		}
		return record;
	};

	/** Refuses a change of type or options that would leave records with values that do not fit. */
	const checkValuesFit = (cardId: string, before: Field, after: Field) => {
		for (const value of records.values(cardId, before.key)) {
			const checked = checkValue(after.type, after.options, value);
			if (checked.ok) continue;
			throw before.type === after.type
				? problem(
						'option-in-use',
						`Field "${before.id}" of card "${cardId}" has records with an option that would be gone.`,
					)
				: problem(
						'field-type-conflict',
						`Field "${before.id}" of card "${cardId}" has values that are not of type "${after.type}": ${checked.detail}.`,
					);
		}
	};

	return {
		listCards: (workspaceId: string) => cards.list(workspaceId),
		getCard: (workspaceId: string, cardId: string) => cards.get(workspaceId, cardId),
		createCard(workspaceId: string, input: { name: string; description?: string }) {
			return store.change((publish) => {
				const card = cards.create(workspaceId, input.name, input.description ?? '');
				publish(cardEvent('card.created', workspaceId, card));
				return card;
			});
		},
		updateCard(
			workspaceId: string,
			cardId: string,
			change: { name?: string; description?: string },
		) {
			return store.change((publish) => {
				const before = cards.get(workspaceId, cardId);
				const { name = before.name, description = before.description } = change;
				if (name === before.name && description === before.description) return before;
				const card = cards.update(before, { name, description });
				publish(cardEvent('card.updated', workspaceId, card));
				return card;
			});
		},
		/** Deletes a card with all that belongs to it; there are no events for its records. */
		deleteCard(workspaceId: string, cardId: string) {
			return store.change(() => {
				const card = cards.get(workspaceId, cardId);
				cards.remove(cardId);
				fields.forgetAll();
				store.subscriptions.forget();
				return card;
			});
		},

		listFields(workspaceId: string, cardId: string) {
			cards.get(workspaceId, cardId);
			return fields.of(cardId).list;
		},
		createField(
			workspaceId: string,
			cardId: string,
			input: { name: string; type: FieldType; options?: readonly OptionInput[] },
		) {
			return store.change(() => {
				cards.get(workspaceId, cardId);
				const options = toOptions(input.type, input.options ?? [], []);
				return fields.create(cardId, input.name, input.type, options);
			});
		},
		updateField(
			workspaceId: string,
			cardId: string,
			fieldId: string,
			change: { name?: string; type?: FieldType; options?: readonly OptionInput[] },
		) {
			return store.change(() => {
				cards.get(workspaceId, cardId);
				const before = fields.get(cardId, fieldId);
				const type = change.type ?? before.type;
				const kept = hasOptions(type) ? before.options.map(({ name }) => name) : [];
				const options = toOptions(type, change.options ?? kept, before.options);
				const after = { ...before, name: change.name ?? before.name, type, options };
				if (change.type !== undefined || change.options !== undefined) {
					checkValuesFit(cardId, before, after);
				}
				return fields.update(cardId, after);
			});
		},
		deleteField(workspaceId: string, cardId: string, fieldId: string) {
			return store.change(() => {
				cards.get(workspaceId, cardId);
				const field = fields.get(cardId, fieldId);
				fields.remove(cardId, field);
				return field;
			});
		},

		/** At most `limit` records after an id ('' for the first), oldest first; fewer where they are large. */
		pageOfRecords(workspaceId: string, cardId: string, after: string, limit: number) {
			cards.get(workspaceId, cardId);
			const { records: page, more } = records.page(cardId, after, limit);
			return { records: page.map((record) => show(cardId, record)), more };
		},
		createRecord(workspaceId: string, cardId: string, data: object) {
			return store.change((publish) => {
				cards.get(workspaceId, cardId);
				const stored = withoutNulls(toStored(cardId, fields.of(cardId), data));
				const record = show(cardId, records.create(cardId, stored));
				publish({
					event: 'record.created',
					workspaceId,
					cardId,
					details: { record_id: record.id, data: record.data },
				});
				return record;
			});
		},
		/** Sets the given fields, null clears one; without a difference there is no event. */
		updateRecord(workspaceId: string, cardId: string, recordId: string, data: object) {
			return store.change((publish) => {
				const before = getRecord(workspaceId, cardId, recordId);
				const listing = fields.of(cardId);
				const changed = differences(before.data, toStored(cardId, listing, data));
				if (Object.keys(changed).length === 0) return show(cardId, before);
				const after = withoutNulls({ ...before.data, ...changed });
				records.update(cardId, recordId, after);
				const record = show(cardId, { ...before, data: after });
				const eventData =
					variants.updatedEventData === 'full' ? record.data : toShown(changed, listing, 'absent');
				publish({
					event: 'record.updated',
					workspaceId,
					cardId,
					details: { record_id: recordId, data: eventData },
				});
				return record;
			});
		},
		deleteRecord(workspaceId: string, cardId: string, recordId: string) {
			return store.change((publish) => {
				const record = show(cardId, getRecord(workspaceId, cardId, recordId));
				records.remove(cardId, recordId);
				publish({
					event: 'record.deleted',
					workspaceId,
					cardId,
					details: { record_id: recordId, data: record.data },
				});
				return record;
			});
		},

		/** Announces a collaborator; the interface has the event but no endpoint for it. */
		addCollaborator(workspaceId: string, cardId: string, email: string, role: string) {
			store.change((publish) => {
				cards.get(workspaceId, cardId);
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
