/** A run of the node: items, their pairing, and what a failing one leaves behind. */
import { ApiFailure } from '../../../nodes/WorkspaceData/transport/failure/failures';
import { books, cardId, changes, many, record, values, where } from './record/books';
import { routed } from './routedRun';

const CREATE: [string, string] = ['record', 'create'];
const GET_MANY: [string, string] = ['record', 'getAll'];
/** A book of each item; the page number of one is no number. */
const mixed = ['1', 'many', '3'].map((Pages) => ({
	cardId,
	...values({ Key: `new ${Pages}`, Pages }),
	options: { maxParallel: 1 },
}));

test('each output item is paired with the input item that it comes from', async () => {
	const service = books();
	const { items, error } = await routed(
		service,
		['record', 'upsert'],
		[
			{ cardId, ...values({ Key: 'a', Pages: 7 }, ['Key']) },
			{ cardId, ...values({ Key: 'z', Pages: 8 }, ['Key']) },
		],
	);
	expect(error).toBeUndefined();
	expect(items.map(({ json, pairedItem }) => [json.id, json.action, pairedItem])).toEqual([
		['r1', 'updated', { item: 0 }],
		['new1', 'created', { item: 1 }],
	]);
});

test('records that Sync deletes come last, paired with the first item', async () => {
	const { items } = await routed(
		books(),
		['record', 'sync'],
		[
			{ cardId, ...values({ Key: 'a' }, ['Key']), missingRecords: 'delete', maxDeletions: '5' },
			{ cardId, ...values({ Key: 'b' }, ['Key']), missingRecords: 'delete', maxDeletions: '5' },
		],
	);
	expect(items.map(({ json, pairedItem }) => [json.id, json.action, pairedItem])).toEqual([
		['r1', 'unchanged', { item: 0 }],
		['r2', 'unchanged', { item: 1 }],
		['r3', 'deleted', { item: 0 }],
	]);
});

describe('one of three items is not valid', () => {
	test('the run stops there, says how far it came, and sends nothing more', async () => {
		const service = books();
		const { error, items } = await routed(service, CREATE, mixed);
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			message: 'Field \'Pages\' cannot hold "many"',
			context: { itemIndex: 1 },
			description: expect.stringMatching(
				/\. \d of 3 items were processed before the run stopped\.$/,
			),
		});
		expect(changes(service).length).toBeLessThan(3);
	});

	test('where errors continue, its error takes its place, and the others are written', async () => {
		const service = books();
		const { error, items } = await routed(service, CREATE, mixed, {
			node: { onError: 'continueRegularOutput' },
		});
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		expect(items[1]?.json).toEqual({
			error: 'Field \'Pages\' cannot hold "many"',
			details: { description: expect.stringContaining('number') },
		});
		expect(changes(service)).toHaveLength(2);
	});

	test('the error output recognises it by two keys alone', async () => {
		const { items } = await routed(books(), CREATE, mixed, {
			node: { onError: 'continueErrorOutput' },
		});
		expect(items[1]?.json).toEqual({
			error: 'Field \'Pages\' cannot hold "many"',
			message: expect.stringContaining('number'),
		});
	});
});

describe('a refusal of the service', () => {
	const refusing = (detail = 'f2 is too large') => {
		const service = books();
		service.hooks.refuse = ({ method }) => {
			if (method !== 'POST') return;
			throw new ApiFailure({ status: 422, title: 'Invalid', kind: 'validation', detail });
		};
		return service;
	};
	const given = { cardId, ...values({ Key: 'x', Pages: 1 }) };

	test('comes with its status and kind, and names fields as the user does', async () => {
		const { items } = await routed(refusing(), CREATE, given, {
			node: { onError: 'continueRegularOutput' },
		});
		expect(items).toEqual([
			{
				json: {
					error: 'Invalid',
					details: { description: "'Pages' is too large", httpCode: '422', kind: 'validation' },
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	test('without any advice leaves no empty text', async () => {
		const regular = await routed(refusing(''), CREATE, given, {
			node: { onError: 'continueRegularOutput' },
		});
		expect(regular.items[0]?.json).toEqual({
			error: 'Invalid',
			details: { httpCode: '422', kind: 'validation' },
		});
		const output = await routed(refusing(''), CREATE, given, {
			node: { onError: 'continueErrorOutput' },
		});
		expect(output.items[0]?.json).toEqual({ error: 'Invalid' });
	});

	test('of the only item needs no count; of one that only reads neither', async () => {
		expect((await routed(refusing(), CREATE, given)).error?.description).toBe(
			"'Pages' is too large",
		);
		const broken = [
			{ cardId, limit: 0 },
			{ cardId, limit: 0 },
		];
		const { error } = await routed(books(), GET_MANY, broken);
		expect(error?.description).not.toContain('processed');
	});

	test('says what was done before it, where the operation tells', async () => {
		const service = books();
		service.hooks.refuse = ({ method, path }) => {
			if (method === 'PATCH' && String(path.at(-1)).includes('r3'))
				throw new ApiFailure({ status: 403, title: 'No', detail: 'Locked.' });
		};
		const { error } = await routed(service, ['record', 'updateMany'], {
			cardId,
			...values({ Pages: 9 }),
			...where('Key', '', 'isNotEmpty'),
			options: { maxParallel: 1 },
		});
		expect(error?.description).toMatch(/^Locked\. .+\. 2 of 3 records were updated\.$/);
	});
});

test('a run that a refusal ends counts the items that were done', async () => {
	const service = books();
	service.hooks.refuse = ({ method, path }) => {
		if (method === 'DELETE' && path.at(-1) === 'r2')
			throw new ApiFailure({ status: 403, title: 'No' });
	};
	const given = ['r1', 'r2', 'r3'].map((id) => ({ cardId, ...record(id) }));
	const { error } = await routed(service, ['record', 'delete'], given);
	expect(error?.description).toMatch(/2 of 3 items were processed before the run stopped\.$/);
});

describe('the node itself cannot be run', () => {
	const unknown: [string, string] = ['record', 'paint'];

	test('it fails before anything is sent', async () => {
		const service = books();
		const { error } = await routed(service, unknown, [{}, {}]);
		expect(error).toMatchObject({
			message: "'Operation' cannot be 'paint' for Record",
			context: { itemIndex: 0 },
		});
		expect(service.requests()).toEqual([]);
	});

	test('where errors continue, every item gets the error: none passes for done', async () => {
		const { items, error } = await routed(books(), unknown, [{}, {}], {
			node: { onError: 'continueRegularOutput' },
		});
		expect(error).toBeUndefined();
		expect(items).toMatchObject([
			{ json: { error: "'Operation' cannot be 'paint' for Record" }, pairedItem: { item: 0 } },
			{ json: { error: "'Operation' cannot be 'paint' for Record" }, pairedItem: { item: 1 } },
		]);
	});
});

describe('a run that is cancelled', () => {
	/** Cancels the run when the first record is created, and loses the answer. */
	const cancelled = async (given: object | object[], onError?: 'continueRegularOutput') => {
		const service = books();
		const cancel = new AbortController();
		service.hooks.lose = ({ method }) => {
			if (method !== 'POST') return;
			cancel.abort();
			throw new Error('socket closed');
		};
		return await routed(service, CREATE, given as never, {
			cancel,
			...(onError && { node: { onError } }),
		});
	};
	const one = { cardId, ...values({ Key: 'x' }), options: { maxParallel: 1 } };
	const PROGRESS =
		'0 of 2 items were processed before the run stopped. For 1 more, the request was under way: it may have been carried out.';

	test('says in the log how far it came: n8n drops what the node says then', async () => {
		const { error, logged } = await cancelled([one, one]);
		expect(error).toMatchObject({ message: 'The execution was cancelled', description: PROGRESS });
		expect(logged).toEqual([
			[`Data: The execution was cancelled. ${PROGRESS}`, { workflowId: 'wf1', executionId: 'ex1' }],
		]);
	});

	test('says so for a single item, too', async () => {
		const { error } = await cancelled(one);
		expect(error?.description).toContain('0 of 1 items were processed');
	});

	test('is logged also where errors continue; the items then have the error', async () => {
		const { error, items, logged } = await cancelled([one, one], 'continueRegularOutput');
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.error)).toEqual([
			'The execution was cancelled',
			'The execution was cancelled',
		]);
		expect(logged).toHaveLength(1);
	});

	test('that only reads says nothing in the log', async () => {
		const cancel = new AbortController();
		const service = books();
		service.hooks.refuse = () => cancel.abort();
		const { error, logged } = await routed(service, GET_MANY, { cardId }, { cancel });
		expect(error?.message).toBe('The execution was cancelled');
		expect(logged).toEqual([]);
	});
});

describe('what comes out', () => {
	test('no two items share an object: a node further on may change one of them', async () => {
		const given = { cardId, simple: false, returnAll: true };
		const { items } = await routed(books(), GET_MANY, [given, given]);
		expect(items).toHaveLength(6);
		expect(items[3]?.json).toEqual(items[0]?.json);
		expect(items[3]?.json.data).not.toBe(items[0]?.json.data);
	});

	test('of writes, too', async () => {
		const given = {
			...values({ Key: 'a', Pages: 9 }, ['Key']),
			cardId,
			options: { upsertMode: 'createOnly' },
		};
		const { items } = await routed(books(), ['record', 'upsert'], [given, given]);
		expect(items[1]?.json).toEqual(items[0]?.json);
		expect(items[1]?.json.fields).not.toBe(items[0]?.json.fields);
	});

	test('a property called error is no failure, and items have their results in their order', async () => {
		const service = many(250);
		Object.assign(service.cards[0] ?? {}, { error: 'none' });
		const { items } = await routed(service, ['card', 'get'], { cardId });
		expect(items).toEqual([
			{ json: { id: 'c1', name: 'Books', error_: 'none' }, pairedItem: { item: 0 } },
		]);
		const all = await routed(service, GET_MANY, { cardId, returnAll: true });
		expect(all.items.map(({ json }) => json.id)).toEqual(
			Array.from({ length: 250 }, (_, n) => `r${n + 1}`),
		);
	});

	test.each([
		['Done', 1],
		['None', 0],
	])('an input item passes with its file if a record has the status %s', async (status, count) => {
		const item = { json: { name: 'n', error: 'own' }, binary: { data: { fileName: 'f' } } };
		const { items } = await routed(
			books(),
			['record', 'ifExists'],
			{ cardId, ...where('Key', status === 'Done' ? 'b' : 'x') },
			{ items: [item] },
		);
		expect(items).toEqual(
			Array.from({ length: count }, () => ({ ...item, pairedItem: { item: 0 } })),
		);
	});

	test('other operations give no files on', async () => {
		const items = [{ json: {}, binary: { data: {} } }];
		const given = { cardId, ...record('r1') };
		const output = await routed(books(), ['record', 'get'], given, { items });
		expect(output.items).toEqual([{ json: expect.anything(), pairedItem: { item: 0 } }]);
	});
});

test('nothing is sent for the items after one that ended the run', async () => {
	const service = many(0);
	const wrong = Array.from({ length: 300 }, (_, n) => ({
		cardId,
		...values({ Key: `k${n}`, Pages: n === 0 ? 'many' : n }),
	}));
	const { error } = await routed(service, CREATE, wrong);
	expect(error?.context?.itemIndex).toBe(0);
	expect(changes(service)).toEqual([]);
});

test.each<[string, boolean]>([
	['n8n-nodes-workspace-data.workspaceDataTool', true],
	['n8n-nodes-workspace-data.workspaceData', false],
])('Q11: as %s, the message itself says which values are allowed: %j', async (type, isTold) => {
	const given = { cardId, ...values({ Key: 'n', Pages: 'many' }) };
	const { error } = await routed(books(), CREATE, given, { node: { type } });
	const message = (error as Error).message;
	expect(message).toContain('Field \'Pages\' cannot hold "many"');
	expect(message.includes('Enter a number such as 12')).toBe(isTold);
});
