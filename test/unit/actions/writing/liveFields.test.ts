/** A write whose fields have changed since they were read, and values whose form follows from the card's records. */
import { createRecord } from '../../../../nodes/WorkspaceData/actions/record/create.operation';
import { updateManyRecords } from '../../../../nodes/WorkspaceData/actions/record/updateMany.operation';
import { upsertRecord } from '../../../../nodes/WorkspaceData/actions/record/upsert.operation';
import {
	ApiFailure,
	Unreachable,
} from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { cardOf, memoryService, type MemoryService } from '../../../support/memoryService';
import { FIELDS, books, changes, pages, rowsOf, run, values, where } from '../record/books';

const listings = ({ requests }: MemoryService) =>
	requests().filter((line) => line === 'GET cards/c1/fields').length;

/** Refuses the first creation, when the field Key has got another ID. */
function replacing(failure: Error, afterwards: (service: MemoryService) => void = () => {}) {
	const service = books([]);
	let isFirst = true;
	service.hooks.refuse = ({ method }) => {
		if (method !== 'POST' || !isFirst) return;
		isFirst = false;
		const [key] = service.cards[0]?.fields ?? [];
		if (key) key.id = 'f9';
		afterwards(service);
		throw failure;
	};
	return service;
}
const refusal = (status: number) => new ApiFailure({ status, title: 'No' });
const create = async (service: MemoryService, options = {}) =>
	await run(service, createRecord, { ...values({ Key: 'x' }), options });

describe('a field that has another ID since it was read', () => {
	test.each([400, 404, 409, 422])(
		'can be why a write is refused with %d: it is done again',
		async (status) => {
			const service = replacing(refusal(status));
			expect((await create(service)).errors).toEqual([]);
			expect(rowsOf(service)).toEqual([{ f9: 'x' }]);
			expect(changes(service)).toHaveLength(2);
		},
	);

	test.each([
		['a refusal of the person', refusal(403)],
		['an answer that is lost', new Unreachable('No answer', { transient: true })],
		['a failure of the service', refusal(500)],
	])('is not looked for after %s', async (_, failure) => {
		const service = replacing(failure);
		expect((await create(service)).errors).toEqual([failure]);
		expect(listings(service)).toBe(1);
		expect(changes(service)).toHaveLength(1);
	});

	test('is looked for while no other item sends anything, before what waits, and by the options', async () => {
		const service = replacing(refusal(422));
		const steps: string[] = [];
		service.api.pause = () => {
			steps.push('pause');
			return () => void steps.push('resume');
		};
		service.hooks.lose = ({ method, path }) => void steps.push(`${method} ${String(path.at(-1))}`);
		await create(service, { timeout: 7 });
		expect(steps).toEqual(['GET fields', 'pause', 'GET fields', 'resume', 'POST records']);
		const reads = service.api.sent.filter(({ path }) => path.at(-1) === 'fields');
		expect(reads.map(({ ahead, timeoutMs }) => [ahead, timeoutMs])).toEqual([
			[undefined, 7_000],
			[true, 7_000],
		]);
	});

	test('leaves the refusal as it is where the fields cannot be read again; the others go on', async () => {
		const first = refusal(422);
		let resumed = 0;
		const service = replacing(first, ({ hooks }) => {
			hooks.refuse = () => {
				throw refusal(403);
			};
		});
		service.api.pause = () => () => void (resumed += 1);
		expect((await create(service)).errors).toEqual([first]);
		expect(resumed).toBe(1);
	});

	test('is not why, where it is none that the item writes', async () => {
		const first = refusal(422);
		const service = replacing(first);
		const { errors } = await run(service, createRecord, values({ Pages: 1 }));
		expect(errors).toEqual([first]);
		expect(changes(service)).toHaveLength(1);
	});
});

describe('a number in a field of a type that this node does not know', () => {
	const odd = (stored: unknown) =>
		memoryService(
			cardOf(
				[
					{ name: 'Key', type: 'text' },
					{ name: 'Odd', type: 'weird' },
				],
				[{ Key: 'a', Odd: stored }],
			),
		);

	test.each([
		[5, 7],
		['5', '7'],
	])('entered as text is sent as its records have it: like %j', async (stored, sent) => {
		const service = odd(stored);
		await run(service, createRecord, values({ Odd: '7' }));
		expect(service.api.sent.at(-1)?.body).toEqual({ data: { f2: sent } });
		expect(pages(service)).toBe(1);
		const many = odd(stored);
		await run(many, updateManyRecords, { ...where('Key', 'a'), ...values({ Odd: '7' }) });
		expect(many.api.sent.at(-1)?.body).toEqual({ data: { f2: sent } });
	});

	test.each([
		['of another value', { Odd: 'x' }],
		['of a number', { Odd: 7 }],
		['of another field', { Key: '7' }],
	])('needs no look at the records because %s', async (_, value) => {
		const service = odd(5);
		await run(service, createRecord, values(value));
		expect(pages(service)).toBe(0);
	});
});

describe('Map Automatically', () => {
	test('takes the values of each item', async () => {
		const service = books([]);
		const columns = { mappingMode: 'autoMapInputData', value: null, matchingColumns: [] };
		const items = [{ Key: 'a', Pages: 1 }, { fields: { Key: 'b' } }];
		const { errors } = await run(service, createRecord, [{ columns }, { columns }], { items });
		expect(errors).toEqual([]);
		expect(rowsOf(service)).toEqual([{ f1: 'a', f2: 1 }, { f1: 'b' }]);
	});
});

describe('a dry run whose values need a field', () => {
	const options = { unknownFields: 'create' };

	test('shows records as they would be with it', async () => {
		const service = books();
		const upserted = await run(service, upsertRecord, {
			...values({ Key: 'a', New: 1 }, ['Key']),
			options: { ...options, dryRun: true },
		});
		expect(upserted.json).toMatchObject([{ action: 'update', after: { Key: 'a', New: 1 } }]);
		const updated = await run(service, updateManyRecords, {
			...where('Key', 'a'),
			...values({ New: 1 }),
			dryRun: true,
			options,
		});
		expect(updated.json).toMatchObject([{ action: 'update', after: { Key: 'a', New: 1 } }]);
		expect(service.cards[0]?.fields).toHaveLength(FIELDS.length);
		expect(changes(service)).toEqual([]);
	});

	test('has no conditions on that field: no record has a value there', async () => {
		const { errors } = await run(books(), updateManyRecords, {
			...where('New', 1),
			...values({ New: 1 }),
			dryRun: true,
			options,
		});
		expect(errors).toMatchObject([{ message: expect.stringContaining("'New'") }]);
	});
});
