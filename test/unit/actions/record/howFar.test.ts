/** How far the operations that read records read, and when: a request takes much longer than what is done with its records. */
import { countRecords } from '../../../../nodes/WorkspaceData/actions/record/count.operation';
import { deleteManyRecords } from '../../../../nodes/WorkspaceData/actions/record/deleteMany.operation';
import { updateManyRecords } from '../../../../nodes/WorkspaceData/actions/record/updateMany.operation';
import { getManyRecords } from '../../../../nodes/WorkspaceData/actions/record/getAll.operation';
import { ifRecordExists } from '../../../../nodes/WorkspaceData/actions/record/ifExists.operation';
import { ifRecordDoesNotExist } from '../../../../nodes/WorkspaceData/actions/record/ifNotExists.operation';
import type { Operation } from '../../../../nodes/WorkspaceData/actions/operation';
import type { Given } from '../../../support/memoryService';
import { books, keysOf, many, pages, run, values, where } from './books';

/** Three pages of records. */
const LARGE = 2_500;
const SORTED = { sort: { by: [{ field: 'Pages', direction: 'asc' }] } };

/** @returns how many pages were requested when the first records were looked at, and when all was done */
async function requested(operation: Operation, given: Given) {
	const service = many(LARGE);
	let atFirst = 0;
	const yieldToLoop = async () => {
		atFirst ||= pages(service);
		await Promise.resolve();
	};
	const { errors } = await run(service, operation, given, { yieldToLoop });
	expect(errors).toEqual([]);
	return { atFirst, atLast: pages(service) };
}

describe('what needs all records requests the next page before it looks at the records of this one', () => {
	test.each<[string, Operation, Given]>([
		['Count', countRecords, {}],
		['Count with conditions', countRecords, where('Pages', 5)],
		['Get Many of all', getManyRecords, { returnAll: true }],
		['Get Many of as many', getManyRecords, { limit: LARGE }],
		[
			'Get Many of all that meet a condition',
			getManyRecords,
			{ returnAll: true, ...where('Pages', 5) },
		],
		['Get Many of the first in an order', getManyRecords, { limit: 1, ...SORTED }],
		['Delete Many', deleteManyRecords, { ...where('Pages', 5), dryRun: true }],
		['Update Many', updateManyRecords, { ...where('Pages', 5), ...values({ Pages: 5 }) }],
		['Get Many of those not returned before', getManyRecords, { limit: 1, since: 'new' }],
	])('%s', async (_, operation, given) => {
		expect(await requested(operation, given)).toEqual({ atFirst: 2, atLast: 3 });
	});
});

describe('what may end at any record requests no page that nobody may need', () => {
	test.each<[string, Operation, Given]>([
		[
			'Get Many of the first that meet a condition',
			getManyRecords,
			{ limit: 1, ...where('Pages', 5) },
		],
		['If Record Exists', ifRecordExists, where('Pages', 5)],
		['If Record Exists without conditions', ifRecordExists, {}],
		['If Record Does Not Exist', ifRecordDoesNotExist, where('Pages', 5)],
	])('%s', async (_, operation, given) => {
		expect(await requested(operation, given)).toEqual({ atFirst: 1, atLast: 1 });
	});

	test('Get Many asks for no more records than it gives', async () => {
		const service = many(350);
		const { json } = await run(service, getManyRecords, { limit: 50 });
		expect(json).toHaveLength(50);
		expect(service.api.sent.at(-1)?.query).toEqual({ limit: 50 });
	});
});

describe('If Record Exists and If Record Does Not Exist', () => {
	const item = { name: 'own' };
	const passed = async (operation: Operation, given: Given, service = books()) =>
		(await run(service, operation, given, { items: [item] })).json;

	test.each<[string, Given, unknown[], unknown[]]>([
		['a record meets the conditions', where('Key', 'c'), [item], []],
		['the first record does', where('Key', 'a'), [item], []],
		['none does', where('Key', 'z'), [], [item]],
		[
			'a record meets one of them',
			{
				filters: {
					conditions: [
						{ field: 'Key', condition: 'equals', value: 'z' },
						{ field: 'Pages', condition: 'equals', value: 1 },
					],
				},
				matchType: 'anyCondition',
			},
			[item],
			[],
		],
		['there are no conditions', {}, [item], []],
	])('where %s', async (_, given, ifExists, ifNotExists) => {
		expect(await passed(ifRecordExists, given)).toEqual(ifExists);
		expect(await passed(ifRecordDoesNotExist, given)).toEqual(ifNotExists);
	});

	test('without conditions any record counts: an empty card has none', async () => {
		expect(await passed(ifRecordExists, {}, books([]))).toEqual([]);
		expect(await passed(ifRecordDoesNotExist, {}, books([]))).toEqual([item]);
	});

	test('say how many records they read until the first that counts', async () => {
		const { hints } = await run(many(350), ifRecordExists, where('Pages', 200));
		expect(hints).toEqual(['201 records were read, because the service cannot filter or count.']);
	});

	test('each item is asked about on its own', async () => {
		const given = [where('Key', 'a'), where('Key', 'z'), where('Key', 'c')];
		const items = [{ n: 0 }, { n: 1 }, { n: 2 }];
		const { outputs } = await run(books(), ifRecordExists, given, { items });
		expect(outputs).toEqual([[{ n: 0 }], [], [{ n: 2 }]]);
	});
});

describe('Since Last Run', () => {
	test('each mark begins anew, the next run under it does not', async () => {
		const service = books();
		const staticData = {};
		const keys = async (startAgain?: string) => {
			const options = startAgain === undefined ? {} : { startAgain };
			const given = { since: 'new', returnAll: true, options };
			return keysOf((await run(service, getManyRecords, given, { staticData })).json);
		};
		expect(await keys()).toHaveLength(3);
		expect(await keys('x')).toHaveLength(3);
		expect(await keys('y')).toHaveLength(3);
		expect(await keys('y')).toEqual([]);
		// An option that was added and left empty is no mark.
		expect(await keys('')).toHaveLength(3);
		expect(await keys()).toEqual([]);
	});

	test('says that a limit does not shorten the reading', async () => {
		const since = { since: 'new', limit: 2 };
		expect((await run(many(350), getManyRecords, since)).hints).toEqual([
			"350 records were read, although 'Limit' is 2: the service can neither sort nor tell which records are new.",
		]);
		const all = { since: 'new', returnAll: true };
		expect((await run(many(350), getManyRecords, all)).hints).toEqual([
			'350 records were read, because the service cannot filter or count.',
		]);
	});
});
