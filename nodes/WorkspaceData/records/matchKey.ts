/** The fields by which items find their records: none, unless an operation matches by values. */
import type { Field } from '../transport/api';
import { isBlank } from '../values/emptyValue';
import { identityOf } from '../values/identity';
import { InputError } from '../values/inputError';
import { ownValue, type JsonObject } from '../values/json';
import { quote, showValue } from '../values/messageText';
import type { Zone } from '../values/time';
import type { FieldIndex } from './fieldIndex';
import type { Find } from './entry';

export class MatchKey {
	readonly fields: readonly Field[] = [];
	private readonly index: FieldIndex;
	private readonly zone: Zone;
	private readonly ignoresCase: boolean = false;

	/** @throws InputError if no field is selected, or the card lacks one */
	constructor(find: Find, index: FieldIndex, zone: Zone) {
		this.index = index;
		this.zone = zone;
		if (find.by !== 'key') return;
		const { matchingKeys, fieldIds } = find.matching;
		if (matchingKeys.length === 0) {
			throw new InputError(
				"No field in 'Fields to match on'",
				'Select at least one field that identifies a record.',
			);
		}
		this.fields = matchingKeys.map((name) => matchingField(name, fieldIds.get(name), index));
		this.ignoresCase = find.ignoresCase;
	}

	has({ id }: Pick<Field, 'id'>): boolean {
		return this.fields.some((field) => field.id === id);
	}

	/** Combines the values into one text, the same for all spellings of a value; undefined if one is blank, or without fields. */
	of(data: JsonObject): string | undefined {
		if (this.fields.length === 0 || this.blankIn(data)) return undefined;
		return JSON.stringify(this.fields.map(({ id }) => this.identity(id, ownValue(data, id))));
	}

	/** The first field without a value. */
	blankIn(data: JsonObject): Field | undefined {
		return this.fields.find(({ id }) => isBlank(ownValue(data, id)));
	}

	/** Returns true if two values of a field are the same; of these fields in any case, if case is ignored. */
	isSame(id: string, one: unknown, other: unknown): boolean {
		return this.identity(id, one) === this.identity(id, other);
	}

	/** The values in a message. */
	shown(data: JsonObject): string {
		return this.fields.map(({ id }) => showValue(ownValue(data, id))).join(', ');
	}

	private identity(id: string, value: unknown): string {
		const field = this.index.byId(id);
		const identity = field ? identityOf(field, value, this.zone) : JSON.stringify(value ?? null);
		const isText = field && field.kind.isText && field.options.length === 0;
		return this.ignoresCase && isText && this.has(field) ? foldText(identity) : identity;
	}
}

/** Upper case first, so that both spellings of a sharp s are one. */
const foldText = (text: string): string => text.toUpperCase().toLowerCase();

/** Requires the exact name, because records are overwritten: a similar name could later mean another field. */
function matchingField(key: string, savedId: string | undefined, index: FieldIndex): Field {
	const field = index.resolve(key, savedId);
	const { id, name } = field;
	if ([id, name].includes(key) || savedId === id) return field;
	throw new InputError(
		`${quote(key)} in 'Fields to match on' isn't exactly the name of a field`,
		`Did you mean ${quote(name)}? Select the field again: records are changed by it, so its name must match exactly.`,
	);
}
