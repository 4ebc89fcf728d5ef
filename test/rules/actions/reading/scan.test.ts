/** Reading records: as far as is needed, and others get their turn. */
import { scanRecords } from '../../../../nodes/WorkspaceData/actions/reading/scan';
import type { RecordListing } from '../../../../nodes/WorkspaceData/transport/recordListing';

test.each([
	[0, 0],
	[100, 1],
	[250, 3],
])(
	'all of %d records are read in order, and others get their turn %d times',
	async (count, turns) => {
		const all = Array.from({ length: count }, (_, n) => ({ id: `r${n}` }));
		const part = async (from: number, most: number) => all.slice(from, from + most);
		const listing = { part } as unknown as RecordListing;
		const seen: string[] = [];
		let yields = 0;
		const yieldToLoop = async () => void (yields += 1);
		const take = ({ id }: { id: string }) => seen.push(id) < 0;
		expect(await scanRecords({ yieldToLoop }, listing, take, true)).toBe(count);
		expect(seen).toEqual(all.map(({ id }) => id));
		expect(yields).toBe(turns);
	},
);
