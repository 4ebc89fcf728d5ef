/** What an item writes, before it is written. */
import type { FieldIndex } from '../../model/fieldIndex';
import type { ReadOptions } from '../../transport/listings';
import type { CardReference } from '../run/run';
import type { ColumnOptions, Columns } from './columns';

/** The data that one item writes, and where. */
export interface Write {
	card: CardReference;
	columns: Columns;
	options: ColumnOptions;
	request: ReadOptions;
	/** Whether nothing is sent that changes anything. */
	dryRun: boolean;
	/** Whether a record that has all values already is not written. */
	skipsUnchanged: boolean;
	/** The fields as they would be, in a dry run that would add some. */
	preview?: FieldIndex;
}
