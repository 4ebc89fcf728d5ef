/** Any items and records: Sync plans exactly what makes them equal, or refuses. */
import * as fc from 'fast-check';
import {
	checkAgainstRecords,
	type SyncItem,
} from '../../../../nodes/WorkspaceData/actions/sync/syncCheck';
import type { DataRecord } from '../../../../nodes/WorkspaceData/model/response/record';
import type { JsonObject } from '../../../../nodes/WorkspaceData/model/response/jsonObject';
import { cases } from '../../../support/cases';

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const record = fc.record({
	key: fc.option(keys, { nil: '' }),
	source: fc.constantFrom('shop', 'shop', 'crm'),
});
const item = fc.record({ key: keys, source: fc.constantFrom('shop', 'shop', 'shop', 'crm') });

const keyOf = ({ key }: JsonObject) => String(key);
const recordOf = ({ key, source }: { key: string; source: string }, place: number): DataRecord => {
	const data = { key, source };
	return { id: `r${place}`, data, createdAt: '2026-01-01T00:00:00Z', raw: data };
};

test('after the plan the records that take part are those of the items; whatever is in doubt is refused', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(record, { maxLength: 8 }),
			fc.array(item, { minLength: 1, maxLength: 6 }),
			fc.boolean(),
			fc.boolean(),
			fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined }),
			async (stored, given, hasFilter, isWanted, most) => {
				const all = stored.map(recordOf);
				const items = given.map(
					(data, itemIndex): SyncItem => ({ itemIndex, key: data.key, data }),
				);
				const takesPart = ({ data }: DataRecord) => !hasFilter || data.source === 'shop';
				const plan = async () =>
					await checkAgainstRecords({
						card: 'Card',
						items,
						records: all,
						fields: { emptyIn: ({ key }) => (key === '' ? 'key' : undefined), keyOf, shown: keyOf },
						meets: hasFilter ? takesPart : undefined,
						maxDeletions: most,
						deletes: isWanted,
						now: '2026-01-02T00:00:00Z',
						pause: async () => await Promise.resolve(),
					});

				// Told apart by hand, record by record, without an index.
				const part = all.filter(takesPart);
				const ofKey = (key: string) => all.filter(({ data }) => data.key === key);
				const missing = part.filter(({ data }) => given.every(({ key }) => key !== data.key));
				const allowed = most === undefined ? Infinity : Math.min(most, part.length / 2);
				const isDoubtful =
					given.some(({ key }, place) => given.findIndex((other) => other.key === key) < place) ||
					part.some(({ data }) => data.key === '') ||
					given.some(({ key }) => ofKey(key).length > 1) ||
					part.some(({ data }) => ofKey(String(data.key)).filter(takesPart).length > 1) ||
					(hasFilter &&
						given.some(
							({ key, source }) =>
								source !== 'shop' || ofKey(key).some((one) => one.data.source !== 'shop'),
						)) ||
					(isWanted && missing.length > allowed);
				if (isDoubtful) {
					await expect(plan()).rejects.toThrow(/./);
					return;
				}
				expect(await plan()).toEqual(isWanted ? missing : []);
			},
		),
		cases(1_000),
	);
});
