/** All kinds of values: the single list. A new kind is a file in this folder and a line here. */
import { boolean } from './boolean';
import { choice } from './singleSelect';
import { choices } from './multiSelect';
import { date } from './date';
import { datetime } from './datetime';
import { json } from './json';
import { plainTypeName, type Kind } from '../kind';
import { number } from './number';
import { text } from './text';
import { unknown } from './unknown';

export const KINDS: readonly Kind[] = [
	boolean,
	number,
	date,
	datetime,
	choice,
	choices,
	json,
	text,
];

const BY_TYPE = new Map(
	KINDS.flatMap((kind) =>
		[...kind.types, ...(kind.narrowTypes ?? [])].map((type) => [type, kind] as const),
	),
);

/**
 * The kind of a type, by its name or a usual synonym.
 * @see service interface, part 2: the allowed types are not shown
 */
export const kindOfType = (type: string): Kind => BY_TYPE.get(plainTypeName(type)) ?? unknown;
