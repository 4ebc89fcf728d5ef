/**
 * All kinds of values: the single list. A new kind is a file in this folder and a line here; a new type of an
 * existing kind, such as another kind of text, is a name in the `newTypes` or `types` of its file.
 */
import { boolean } from './boolean';
import { choice } from './singleSelect';
import { choices } from './multiSelect';
import { date } from './date';
import { datetime } from './datetime';
import { json } from './json';
import { plainTypeName, type Kind, type NewType } from './kind';
import { number } from './number';
import { text } from './text';
import { unknown } from './unknown';

/** In the order in which they are tried for a new field: the narrowest first. */
export const KINDS: readonly Kind[] = [
	boolean,
	number,
	date,
	datetime,
	choice,
	choices,
	json,
	text,
	unknown,
];

const BY_TYPE = new Map(
	KINDS.flatMap((kind) =>
		[kind.types ?? [], ...kind.newTypes.map(({ names }) => names)]
			.flat()
			.map((type) => [type, kind] as const),
	),
);

/**
 * The kind of a type, by its name or a usual synonym.
 * @see service interface, part 2: the allowed types are not shown
 */
export const kindOfType = (type: string): Kind => BY_TYPE.get(plainTypeName(type)) ?? unknown;

/** The types that are available for new fields. */
export const NEW_TYPES: readonly NewType[] = KINDS.flatMap(({ newTypes }) => newTypes);
