/** The fields of cards, read once for all items of a run. */
import { indexFields, type FieldIndex } from '../../model/fieldIndex';
import { ownValue } from '../../model/answer/shapes';
import type { WorkspaceApi } from '../../transport/api';
import { listFields, type ReadOptions } from '../../transport/cardAndFieldListings';
import { yieldAfter, type YieldToLoop } from '../schedule/yieldToLoop';
import type { CardReference, Records } from './cardsAndRecords';
import type { Messages } from './messages';

/** Records whose values are looked at for habits. */
const SAMPLED = 100;

/** The field listings that a run knows. */
export interface Fields {
	/** The fields of a card, read once. */
	of(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The fields of a card, read a second time and no more: the first listing may be outdated. */
	fresh(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/** The fields of a card, read again after this run has changed them: all items use these from then on. */
	changed(card: CardReference, options?: ReadOptions): Promise<FieldIndex>;
	/**
	 * The same fields, with the habits that the values of the card's records show; one page of records is read.
	 */
	sampled(card: CardReference, index: FieldIndex, options?: ReadOptions): Promise<FieldIndex>;
}

/** The value of a key; created if missing. */
function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
	const known = map.get(key);
	if (known !== undefined) return known;
	const value = create();
	map.set(key, value);
	return value;
}

/** Creates the field listings of a run; nothing is read yet. */
export function createFields(
	api: WorkspaceApi,
	records: Records,
	messages: Messages,
	yieldToLoop: YieldToLoop,
): Fields {
	const indexes = new Map<string, Promise<FieldIndex>>();
	const freshIndexes = new Map<string, Promise<FieldIndex>>();
	const sampledIndexes = new Map<FieldIndex, Promise<FieldIndex>>();

	async function read(card: CardReference, options?: ReadOptions): Promise<FieldIndex> {
		const fields = await listFields(api, card.id, options);
		for (const { id, name } of fields) messages.learnName(id, name);
		const index = indexFields(fields, card.name);
		const shown = fields.filter((field) => index.keyOf(field) !== field.name);
		if (shown.length > 0) {
			const twice = [...new Set(shown.map(({ name }) => `'${name}'`))].join(', ');
			messages.hint(
				`Fields of card '${card.name}' called ${twice} appear under their IDs, because their names are not unique`,
			);
		}
		return index;
	}

	async function sample(
		card: CardReference,
		index: FieldIndex,
		options?: ReadOptions,
	): Promise<FieldIndex> {
		// A key that may only write reads no sample: then values are sent unchanged.
		const sampled = await records
			.of(card, SAMPLED, options)
			.first(SAMPLED)
			.catch(() => []);
		const fields = index.fields.map((field) => ({
			...field,
			habit: field.kind.habitOf?.(sampled.map(({ data }) => ownValue(data, field.id))),
		}));
		return indexFields(fields, card.name);
	}

	return {
		async of(card, options) {
			const reading = async () => await read(card, options);
			return await yieldAfter(yieldToLoop, getOrCreate(indexes, card.id, reading));
		},
		async fresh(card, options) {
			const reading = async () => {
				const fresh = await read(card, options);
				indexes.set(card.id, Promise.resolve(fresh));
				return fresh;
			};
			return await yieldAfter(yieldToLoop, getOrCreate(freshIndexes, card.id, reading));
		},
		async changed(card, options) {
			const changed = await read(card, options);
			indexes.set(card.id, Promise.resolve(changed));
			freshIndexes.delete(card.id);
			return changed;
		},
		async sampled(card, index, options) {
			const sampling = async () => await sample(card, index, options);
			return await yieldAfter(yieldToLoop, getOrCreate(sampledIndexes, index, sampling));
		},
	};
}
