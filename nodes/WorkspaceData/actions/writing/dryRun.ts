/** The option 'Dry Run': sends no changes, and returns what would change. */
import type { DataRecord } from '../../model/response/record';
import { ownValue, type JsonObject } from '../../model/response/jsonObject';
import type { Run, CardReference } from '../run/run';
import { InputError } from '../../values/inputError';
import { readSwitch } from '../../values/parameterValue';
import type { Field } from '../../model/response/field';
import { isEmpty } from '../../values/emptyValue';
import { storedChoice } from '../../values/choices';
import { scanRecords } from '../reading/scan';

/** Returns true for a dry run of an item. @throws InputError for any value except true and false */
export const readDryRun = (value: unknown): boolean => readSwitch('Dry Run', value, false);

/**
 * As `readDryRun`, for an operation where it is a parameter of its own.
 *
 * @param option the option of this name, which a node may keep from another operation
 * @throws InputError if it is set: whoever has set it must not be surprised by a real run
 */
export function readDryRunParameter(value: unknown, option: unknown): boolean {
	if (option === undefined) return readDryRun(value);
	throw new InputError(
		"'Dry Run' isn't an option of this operation",
		"Remove it from 'Options', and turn on the switch 'Dry Run' above them.",
	);
}

/** The output item of a dry run. @param rest what would change */
export const dryRunItem = (
	action: 'create' | 'update' | 'delete' | 'none',
	rest: JsonObject,
): JsonObject => ({ dry_run: true, action, ...rest });

/**
 * Counts the records that have a value in a field.
 *
 * @param choices the labels of choices to count
 * @returns the number of these records, and for each of the choices the number of records that have it
 */
export async function countUse(
	run: Run,
	card: CardReference,
	field: Field,
	choices: readonly string[] = [],
) {
	let values = 0;
	const counts = new Map(choices.map((choice) => [choice, 0]));
	const take = ({ data }: DataRecord): void => {
		const value = ownValue(data, field.id);
		if (isEmpty(value)) return;
		values += 1;
		const members = field.kind.set?.of(value, field) ?? [value];
		const places = members.map((member) => storedChoice(field.options, member));
		const labels = places.map((place) => field.options[place ?? -1]?.label);
		for (const label of new Set(labels)) {
			if (label !== undefined && counts.has(label)) counts.set(label, (counts.get(label) ?? 0) + 1);
		}
	};
	await scanRecords(run, run.records.of(card, Infinity), take, true);
	return { values, choices: [...counts].map(([choice, records]) => ({ choice, records })) };
}
