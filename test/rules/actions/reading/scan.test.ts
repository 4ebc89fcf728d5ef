/** Reading records: as far as is needed, and others get their turn. */
import { scanRecords } from '../../../../nodes/WorkspaceData/actions/reading/scan';
import type { RecordListing } from '../../../../nodes/WorkspaceData/transport/recordListing';

test('all records are read in order, and others get their turn after each hundred', async () => {
	const all = Array.from({ length: 250 }, (_, n) => ({ id: `r${n}` }));
	const part = async (from: number, most: number) => all.slice(from, from + most);
	const listing = { part } as unknown as RecordListing;
	const seen: unknown[] = [];
	let yields = 0;
	const yieldToLoop = async () => void (yields += 1);
	const take = (record: unknown) => seen.push(record) < 0;
	expect(await scanRecords({ yieldToLoop }, listing, take, true)).toBe(250);
	expect(seen).toEqual(all);
	expect(yields).toBe(3);
});
