/** Which of the watched fields an update touches. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { JsonObject } from '../../model/answer/shapes';

/** The watched names that no field of the card has. */
export const unknownNames = (watchFields: readonly string[], index: FieldIndex): string[] =>
	watchFields.filter((name) => index.candidates(name).length === 0);

/** Whether one of the watched fields is among the changed ones. */
export const touches = (
	data: JsonObject,
	watchFields: readonly string[],
	index: FieldIndex,
): boolean =>
	watchFields.some(
		(name) =>
			Object.hasOwn(data, name) || index.candidates(name).some(({ id }) => Object.hasOwn(data, id)),
	);
