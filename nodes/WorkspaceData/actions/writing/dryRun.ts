/** The option Dry Run: nothing that changes anything is sent, and what would change comes out. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { DataRecord } from '../../model/answer/record';
import type { JsonObject } from '../../model/answer/shapes';
import type { Run } from '../run/run';
import { readSwitch } from '../inputs/switch';
import { recordOutput, type OutputOptions } from '../reading/output';

/** The IDs of records that a dry run would create begin so. No service gives one with a blank. */
const DRY_RUN_ID = 'dry run ';

/** An ID for a record that a dry run would create. */
export function nextDryRunId({ once }: Pick<Run, 'once'>): string {
	const ids = once('dry run', () => ({ last: 0 }));
	ids.last += 1;
	return `${DRY_RUN_ID}${ids.last}`;
}

/**
 * Whether an item runs dry.
 *
 * @param value the option `dryRun`; undefined where it was not added
 * @throws InputError for anything but true and false: in doubt nothing is changed
 */
export const readDryRun = (value: unknown): boolean => readSwitch('Dry Run', value, false);

/**
 * Whether an item runs dry, where the switch is a parameter and was an option before.
 *
 * @throws InputError for anything but true and false
 */
export const readDryRuns = (parameter: unknown, option: unknown): boolean =>
	[parameter, option].map(readDryRun).includes(true);

/** The action of a dry run; `none` if the record stays unchanged. */
export type DryAction = 'create' | 'update' | 'delete' | 'none';

/** Gives what would become of a record, with its values as the options say; null where there is no record. */
export type DryOutput = (
	action: DryAction,
	before: DataRecord | undefined,
	after: DataRecord | undefined,
) => JsonObject;

/** Prepares the output of a dry run. @throws InputError for options that name an unknown field */
export function dryOutput(index: FieldIndex, options: OutputOptions = {}): DryOutput {
	const output = recordOutput(index, true, { ...options, outputFormat: 'nested' });
	const values = (record: DataRecord | undefined) => (record ? output(record).fields : null);
	return (action, before, after) => {
		const id = (before ?? after)?.id;
		return {
			dry_run: true,
			action,
			id: id === undefined || id.startsWith(DRY_RUN_ID) ? null : id,
			before: values(before),
			after: values(after),
		};
	};
}
