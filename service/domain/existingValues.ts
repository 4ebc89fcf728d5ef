/** Changes of fields whose values are checked first, while others are served. */
import { checkValue } from '../foundation/fieldTypes.ts';
import { inSlices } from '../foundation/slices.ts';
import type { Field } from '../storage/fields.ts';
import type { Store } from '../storage/store.ts';
import { type Refusal, refusal } from './refusal.ts';

/** A change of a field's type or options while the values of its card are checked against it. */
interface PendingChange {
	before: Field;
	after: Field;
	/** Why the change is refused, once a value does not fit. */
	conflict?: Refusal;
}

/** Makes the checks over a store. */
export function createExistingValues({ records }: Pick<Store, 'records'>) {
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

	return {
		/**
		 * Makes a change of a field once all values of its card fit. They are checked in slices, so that others are
		 * served meanwhile; values that are written then are checked as they come (`noteValues`).
		 * @param make makes the change, in the same turn in which the last value was checked
		 * @throws Refusal field-type-conflict, option-in-use
		 */
		async change<T>(cardId: string, before: Field, after: Field, make: () => T): Promise<T> {
			if (pending.has(before.key)) {
				throw refusal(
					'field-type-conflict',
					`Field "${before.id}" of card "${cardId}" is being changed by another request.`,
				);
			}
			const change: PendingChange = { before, after };
			pending.set(before.key, change);
			let place = '';
			try {
				await inSlices(() => {
					const { values, last } = records.someValues(cardId, before.key, place);
					place = last;
					return values.every((value) => look(cardId, change, value)) && last !== '';
				});
				if (change.conflict) throw change.conflict;
				return make();
			} finally {
				pending.delete(before.key);
			}
		},
		/** Shows values that are being written to the changes of their fields that are under way. */
		noteValues(cardId: string, stored: Record<string, unknown>) {
			if (pending.size === 0) return;
			for (const change of pending.values()) {
				const value = stored[change.before.key];
				if (value !== undefined && value !== null) look(cardId, change, value);
			}
		},
	};
}
