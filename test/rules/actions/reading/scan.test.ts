/** Reading records: as far as is needed, and a hint at what it cost. */
import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';
import {
	hintAtReading,
	scanRecords,
	type ReadingCost,
} from '../../../../nodes/WorkspaceData/actions/reading/scan';
import { Run } from '../../../../nodes/WorkspaceData/actions/run/run';
import type { Session } from '../../../../nodes/WorkspaceData/transport/session';
import {
	readNotFound,
	isRecordNotFound,
	RecordMissing,
} from '../../../../nodes/WorkspaceData/actions/reading/ifNotFound';
import type { DataRecord } from '../../../../nodes/WorkspaceData/model/response/record';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import type { RecordListing } from '../../../../nodes/WorkspaceData/transport/recordListing';

const records = (count: number): DataRecord[] =>
	Array.from({ length: count }, (_, n) => ({ id: `r${n}`, data: {}, createdAt: null, raw: {} }));

function listingOf(count: number) {
	const all = records(count);
	const asked: unknown[][] = [];
	const listing = {
		part: async (from: number, most: number, toTheEnd: boolean) => {
			asked.push([from, most, toTheEnd]);
			return all.slice(from, from + most);
		},
	} as unknown as RecordListing;
	return { listing, asked };
}

test.each([
	[0, 0, 1],
	[100, 100, 2],
	[250, 250, 4],
])('all of %d records are read, a hundred at a time', async (count, read, parts) => {
	const { listing, asked } = listingOf(count);
	const seen: string[] = [];
	let yields = 0;
	const yieldToLoop = async () => void (yields += 1);
	const take = ({ id }: DataRecord) => seen.push(id) < 0;
	expect(await scanRecords({ yieldToLoop }, listing, take, true)).toBe(read);
	expect(seen).toEqual(records(count).map(({ id }) => id));
	expect(asked).toHaveLength(parts);
	expect(asked.every(([, most, toTheEnd]) => most === 100 && toTheEnd === true)).toBe(true);
	// Once for each part: others get their turn.
	expect(yields).toBe(parts - 1);
});

test('reading ends with the record that is the last one needed', async () => {
	const { listing, asked } = listingOf(250);
	const yieldToLoop = async () => {};
	expect(await scanRecords({ yieldToLoop }, listing, ({ id }) => id === 'r120')).toBe(121);
	expect(asked).toEqual([
		[0, 100, false],
		[100, 100, false],
	]);
});

/** The hints of a run whose items have read some records. */
function hintsAt(reads: number[], cost?: ReadingCost): string[] {
	const hints: string[] = [];
	const context = {
		getInputData: () => reads,
		getTimezone: () => 'Europe/Berlin',
		addExecutionHints: ({ message }: NodeExecutionHint) => void hints.push(message),
	} as unknown as IExecuteFunctions;
	const run = new Run(context, { waitedMs: 0 } as Session);
	for (const read of reads) hintAtReading(run, read, cost);
	run.ending.done();
	return hints;
}

test.each([
	[100, {}, []],
	[101, {}, ["101 records were read, because the service can't filter or count."]],
	[
		101,
		{ limit: 5 },
		[
			"101 records were read, because the service can't filter or count. A lower 'Limit' ends the reading earlier.",
		],
	],
	[
		101,
		{ limit: 5, needsAll: true },
		[
			"101 records were read, although 'Limit' is 5: the service can neither sort nor tell which records are new.",
		],
	],
	[101, { needsAll: true }, ["101 records were read, because the service can't filter or count."]],
])('the cost of %d records with %j', (read, cost, expected) => {
	expect(hintsAt([read], cost)).toEqual(expected);
});

test('a run of many items has one hint at their reading, however far each of them has read', () => {
	expect(hintsAt([101, 3_000, 250])).toEqual([
		"3000 records were read, because the service can't filter or count.",
	]);
});

test('If Not Found: the error, nothing, or an empty item', () => {
	const error = new RecordMissing('No such record');
	expect(() => readNotFound(undefined)(error)).toThrow(error);
	expect(() => readNotFound('error')(error)).toThrow(error);
	expect(readNotFound('skip')(error)).toEqual([]);
	expect(readNotFound('empty')(error)).toEqual([{}]);
	expect(() => readNotFound('ignore')).toThrow("can't be 'ignore'");
	const other = new Error('No card');
	expect(() => readNotFound('skip')(other)).toThrow(other);
});

test("only the service itself says that a record doesn't exist", () => {
	const says = (status: number, kind?: string) =>
		isRecordNotFound(new ApiFailure({ status, title: 'No', ...(kind && { kind }) }));
	expect(says(404, 'record-not-found')).toBe(true);
	expect(says(404, 'not-found')).toBe(true);
	expect(says(404, 'card-not-found')).toBe(false);
	expect(says(404)).toBe(false);
	expect(isRecordNotFound(new Error('404'))).toBe(false);
});
