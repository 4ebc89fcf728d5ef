/** What the options of the operations that write change, and failures that no option covers. */
import { createRecord } from '../../../../nodes/WorkspaceData/actions/record/create.operation';
import { deleteManyRecords } from '../../../../nodes/WorkspaceData/actions/record/deleteMany.operation';
import { deleteRecord } from '../../../../nodes/WorkspaceData/actions/record/delete.operation';
import { syncRecords } from '../../../../nodes/WorkspaceData/actions/record/sync.operation';
import { updateManyRecords } from '../../../../nodes/WorkspaceData/actions/record/updateMany.operation';
import { updateRecord } from '../../../../nodes/WorkspaceData/actions/record/update.operation';
import { upsertRecord } from '../../../../nodes/WorkspaceData/actions/record/upsert.operation';
import type { Operation } from '../../../../nodes/WorkspaceData/actions/operation';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import {
	cardOf,
	memoryService,
	type Given,
	type MemoryService,
} from '../../../support/memoryService';
import { FIELDS, ROWS, books, changes, many, record, run, values, where } from './books';

const open = where('Status', 'Open');
const byKey = values({ Key: 'a', Pages: 9 }, ['Key']);

const WRITES: Array<[string, Operation, Given]> = [
	['Create', createRecord, values({ Key: 'a', Pages: 9 })],
	['Update', updateRecord, { ...record('r1'), ...values({ Pages: 9 }) }],
	['Update Many', updateManyRecords, { ...where('Key', 'a'), ...values({ Pages: 9 }) }],
	['Create or Update', upsertRecord, byKey],
	['Sync', syncRecords, byKey],
];

describe('what a write gives has the form that the options say', () => {
	test.each(WRITES)('%s', async (_, operation, given) => {
		const nested = await run(books(), operation, given);
		expect(nested.json).toMatchObject([{ fields: { Key: 'a', Pages: 9 } }]);
		const options = { outputFormat: 'flat', outputFields: ['Pages'], fieldKeys: 'id' };
		const { json } = await run(books(), operation, { ...given, options });
		expect(json).toMatchObject([{ f2: 9 }]);
		expect(json[0]).not.toHaveProperty('fields');
		expect(json[0]).not.toHaveProperty('f1');
	});
});

describe('the requests of a write keep to the options', () => {
	const options = { maxParallel: 3, timeout: 7, requestsPerSecond: 2 };
	const limits = { maxParallel: 3, timeoutMs: 7_000, requestsPerSecond: 2 };

	test.each<[string, Operation, Given]>([
		...WRITES,
		['Delete', deleteRecord, record('r1')],
		['Delete Many', deleteManyRecords, where('Key', 'a')],
		['Delete, in a dry run', deleteRecord, { ...record('r1'), options: { dryRun: true } }],
		[
			'Update, in a dry run',
			updateRecord,
			{ ...record('r1'), ...values({ Pages: 9 }), options: { dryRun: true } },
		],
		['Delete Many, in a dry run', deleteManyRecords, { ...where('Key', 'a'), dryRun: true }],
		[
			'Update Many, in a dry run',
			updateManyRecords,
			{ ...where('Key', 'a'), ...values({ Pages: 9 }), dryRun: true },
		],
		['Create or Update of a new record', upsertRecord, values({ Key: 'z' }, ['Key'])],
		['Sync that deletes', syncRecords, { ...byKey, missingRecords: 'delete', maxDeletions: 9 }],
	])('%s', async (_, operation, given) => {
		const service = books();
		const own = { ...(given.options as object), ...options };
		const { errors } = await run(service, operation, { ...given, options: own });
		expect(errors).toEqual([]);
		expect(service.api.sent.length).toBeGreaterThan(0);
		const others = service.api.sent.filter(
			(sent) => !Object.entries(limits).every(([key, value]) => sent[key as never] === value),
		);
		expect(others).toEqual([]);
	});
});

describe('changes of one item are as many at once as the service and the options allow', () => {
	const twins = [ROWS[0], ROWS[0]].map((row) => ({ ...row }));

	test.each<[string, string, Operation, Given, Given]>([
		['Update Many', 'PATCH', updateManyRecords, { ...open, ...values({ Pages: 9 }) }, {}],
		['Delete Many', 'PATCH', deleteManyRecords, open, {}],
		['Create or Update', 'PATCH', upsertRecord, byKey, { multipleMatches: 'all' }],
		[
			'Sync',
			'DELETE',
			syncRecords,
			{ ...values({ Key: 'z' }, ['Key']), missingRecords: 'delete', maxDeletions: 9 },
			{},
		],
	])('%s', async (_, method, operation, given, more) => {
		const service = books(operation === upsertRecord ? twins : ROWS);
		const asked: unknown[] = [];
		service.api.atOnce = (request) => {
			asked.push(request);
			return 2;
		};
		const options = { maxParallel: 5, ...more };
		const { errors } = await run(service, operation, { ...given, options });
		expect(errors).toEqual([]);
		expect(asked.length).toBeGreaterThan(0);
		expect(asked).toEqual(asked.map(() => expect.objectContaining({ method, maxParallel: 5 })));
	});
});

describe('a card that many records depend on must be named exactly', () => {
	const near = { cardId: { __rl: true, mode: 'name', value: 'books' } };
	const exact = { cardId: { __rl: true, mode: 'name', value: 'Books' } };

	test.each<[string, Operation, Given]>([
		['Update Many', updateManyRecords, { ...open, ...values({ Pages: 9 }) }],
		['Delete Many', deleteManyRecords, open],
		['Delete', deleteRecord, record('r1')],
	])('%s', async (_, operation, given) => {
		const service = books();
		const { errors } = await run(service, operation, { ...given, ...near });
		expect(errors).toMatchObject([{ message: "The workspace has no card called 'books'" }]);
		expect(changes(service)).toEqual([]);
		expect((await run(service, operation, { ...given, ...exact })).errors).toEqual([]);
	});

	test.each<[string, Operation, Given]>([
		['Create', createRecord, values({ Key: 'x' })],
		['Update', updateRecord, { ...record('r1'), ...values({ Pages: 9 }) }],
		['Create or Update', upsertRecord, byKey],
	])(
		'but %s, which changes one record, finds it in another case, too',
		async (_, operation, given) => {
			const service = books();
			expect((await run(service, operation, { ...given, ...near })).errors).toEqual([]);
			expect(changes(service)).toHaveLength(1);
		},
	);
});

describe('If Not Found is about the record only', () => {
	const refusing = (status: number, kind?: string) => {
		const service = books();
		const failure = new ApiFailure({ status, title: 'No', ...(kind && { kind }) });
		service.hooks.refuse = ({ method }) => {
			if (method === 'DELETE') throw failure;
		};
		return { service, failure };
	};

	test.each<[string, number, string | undefined]>([
		['the card is gone', 404, 'card-not-found'],
		['a gateway answers that nothing is there', 404, undefined],
		['the service refuses it', 403, undefined],
	])('Delete fails where %s', async (_, status, kind) => {
		for (const ifNotFound of ['skip', 'empty']) {
			const { service, failure } = refusing(status, kind);
			const { errors, json } = await run(service, deleteRecord, {
				...record('r1'),
				options: { ifNotFound },
			});
			expect(errors).toEqual([failure]);
			expect(json).toEqual([]);
		}
	});

	test('Delete gives an empty item for a record that is gone, if it is to', async () => {
		const options = { ifNotFound: 'empty' };
		const { json } = await run(books(), deleteRecord, { ...record('r9'), options });
		expect(json).toEqual([{}]);
	});

	test('a value that the option cannot have stops the item before anything is sent', async () => {
		for (const [operation, given] of [
			[deleteRecord, record('r1')],
			[updateRecord, { ...record('r1'), ...values({ Pages: 9 }) }],
			[upsertRecord, byKey],
		] as Array<[Operation, Given]>) {
			const service: MemoryService = books();
			const options = { ifNotFound: 'maybe' };
			const { errors } = await run(service, operation, { ...given, options });
			expect(errors).toMatchObject([{ message: "'If Not Found' cannot be 'maybe'" }]);
			expect(service.requests()).toEqual([]);
		}
	});
});

test('Delete Many without conditions changes nothing, and reads nothing', async () => {
	const service = memoryService(cardOf(FIELDS, ROWS));
	for (const filters of [undefined, {}, { conditions: [] }, { conditions: 'all' }, null]) {
		const { errors } = await run(service, deleteManyRecords, { filters });
		expect(errors).toMatchObject([{ message: "'Filters' has no condition" }]);
	}
	expect(service.requests()).toEqual([]);
});

describe('Most Records to Change', () => {
	test('does not count records that have the values already', async () => {
		const service = books();
		const given = { ...open, ...values({ Pages: 2 }), maxChanges: 1 };
		const { errors, json } = await run(service, updateManyRecords, given);
		expect(errors).toEqual([]);
		expect(json.map(({ action }) => action)).toEqual(['updated', 'unchanged']);
		const options = { unchanged: 'send' };
		expect((await run(service, updateManyRecords, { ...given, options })).errors).toMatchObject([
			{ message: "2 records of card 'c1' would be updated, but 'Most Records to Change' is 1" },
		]);
	});

	test('says how many records were read', async () => {
		const { hints } = await run(many(101), deleteManyRecords, {
			...where('Pages', 5),
			dryRun: true,
		});
		expect(hints).toContain('101 records were read, because the service cannot filter or count.');
	});
});
