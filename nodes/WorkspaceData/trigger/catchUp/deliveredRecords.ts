/** Leaves out delivered records that the workflow has processed. */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { parseTime } from '../../model/time';
import { reasonOf, warn } from '../log';
import { nodeOf } from '../subscription/nodeState';
import { openStore } from '../subscription/storage';
import { CLOSE_MS, type CreatedRecord, openKnownRecords, recordKey } from './knownRecords';

/** The created records among items, by position. */
const createdRecords = (items: readonly INodeExecutionData[]): Array<CreatedRecord | undefined> =>
	items.map(({ json }) =>
		json.event === 'record.created' && json.record_id !== undefined
			? {
					key: recordKey(json.card_id, json.record_id),
					createdAt: typeof json.timestamp === 'string' ? parseTime(json.timestamp) : undefined,
				}
			: undefined,
	);

/**
 * Leaves out created records that the workflow has processed, from a search or from a delivery. Records that n8n cannot
 * look up are passed on: better twice than never.
 */
export async function withoutKnown(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const records = createdRecords(items);
	const created = records.filter((record) => record !== undefined);
	if (created.length === 0) return items;
	try {
		const known = openKnownRecords(context);
		const { missed } = await openStore(context, undefined).read();
		const ends = missed?.upTo ?? [];
		// Workers share n8n's memory without a lock: a question of one could be taken for an entry by another.
		const isAlone = nodeOf(context, 'production').set.address !== undefined;
		const fresh = await known.take(created, missed && isAlone ? [missed.from, ...ends] : []);
		const times = created.flatMap(({ createdAt }) => createdAt ?? []);
		const later = ends.filter((end) => end - CLOSE_MS >= Math.min(...times));
		const searched = later.length > 0 ? await known.lastSearched(later) : undefined;
		const isSearched = ({ createdAt = Infinity }: CreatedRecord) =>
			searched !== undefined && createdAt <= searched - CLOSE_MS;
		return items.filter((_, index) => {
			const record = records[index];
			return !record || (fresh.has(record.key) && !isSearched(record));
		});
	} catch (error) {
		warn(context, `The list of known records could not be saved: ${reasonOf(error)}`);
		return items;
	}
}
