/** What the items of a run share: messages, the end of the run, listings that are read once. */
import {
	createCards,
	createRecords,
	createFields,
} from '../../../nodes/WorkspaceData/actions/run/listings';
import { createEnding, longWaitHint } from '../../../nodes/WorkspaceData/actions/run/ending';
import { createMessages, progressOf } from '../../../nodes/WorkspaceData/actions/run/messages';
import {
	ApiFailure,
	Cancelled,
	Unreachable,
} from '../../../nodes/WorkspaceData/transport/failure/failures';
import { scriptedApi } from '../../support/scriptedApi';

const yieldToLoop = async () => {};
const card = { id: 'c1', name: 'Books' };

function messagesOf() {
	const hints: unknown[] = [];
	const messages = createMessages({ addExecutionHints: (hint) => hints.push(hint) });
	return { messages, hints };
}

test('a run says how long it waited for the rate limit, if that was more than five seconds (M15)', () => {
	expect(longWaitHint(0)).toBeUndefined();
	expect(longWaitHint(5_000)).toBeUndefined();
	expect(longWaitHint(5_600)).toContain("waited 6 seconds for the service's rate limit");
});

describe('messages', () => {
	test('a hint is shown once, however often it is given', () => {
		const { messages, hints } = messagesOf();
		for (const text of ['a', 'b', 'a']) messages.hint(text);
		expect(hints).toEqual(['a', 'b'].map((message) => ({ message, location: 'outputPane' })));
	});

	test.each([
		['fld_1 is required', "'Title' is required"],
		['"fld_1" and `fld_1` and \'fld_1\'', "'Title' and 'Title' and 'Title'"],
		['fld_12 is another one', 'fld_12 is another one'],
		['7 values', '7 values'],
		['Same', 'Same'],
	])('names stand in place of IDs: %s', (text, expected) => {
		const { messages } = messagesOf();
		messages.learnName('fld_1', 'Title');
		// A bare number may be anything in a text.
		messages.learnName('7', 'Seven');
		messages.learnName('Same', 'Same');
		expect(messages.withNames(text)).toBe(expected);
	});

	test('a note belongs to its error', () => {
		const { messages } = messagesOf();
		const [one, other] = [new Error('same'), new Error('same')];
		messages.note(one, 'half was done');
		expect(messages.noteOn(one)).toBe('half was done');
		expect(messages.noteOn(other)).toBeUndefined();
	});

	test.each([
		[[new Error('x')], '3 of 9 records were updated.'],
		[[new Cancelled()], '3 of 9 records were updated.'],
		[
			[new ApiFailure({ status: 503, title: 'Down' }, undefined, false, 'no')],
			'3 of 9 records were updated.',
		],
		[
			[new Unreachable('lost', { transient: true })],
			'3 of 9 records were updated. For 1 more, the request was under way: it may have been carried out.',
		],
		[
			[new Cancelled('maybe'), new Cancelled(), new Cancelled('maybe')],
			'3 of 9 records were updated. For 2 more, the request was under way: it may have been carried out.',
		],
	])('how far it came: %s', (errors, expected) => {
		expect(progressOf(3, 9, 'records were updated', errors)).toBe(expected);
	});
});

test('the end of a run takes its steps once all is done, or stops the requests', () => {
	const taken: string[] = [];
	const ending = createEnding(() => taken.push('stopped'));
	ending.whenDone(() => taken.push('first'));
	ending.whenDone(() => taken.push('second'));
	ending.append([{ itemIndex: 1, json: { a: 1 } }]);
	ending.append([{ itemIndex: 0, json: { a: 2 } }]);
	expect(taken).toEqual([]);
	expect(ending.isStopped).toBe(false);
	ending.done();
	expect(taken).toEqual(['first', 'second']);
	expect(ending.appended).toEqual([
		{ itemIndex: 1, json: { a: 1 } },
		{ itemIndex: 0, json: { a: 2 } },
	]);
	ending.stop();
	expect(taken.at(-1)).toBe('stopped');
	expect(ending.isStopped).toBe(true);
});

describe('the fields of a card', () => {
	function fieldsOf(recordAnswer: () => object = () => ({ records: [] })) {
		const state = { names: ['Title'] };
		const api = scriptedApi(({ path }) => ({
			body:
				path.at(-1) === 'fields'
					? { fields: state.names.map((name, n) => ({ id: `f${n}`, name, type: 'datetime' })) }
					: recordAnswer(),
		}));
		const { messages, hints } = messagesOf();
		const fields = createFields(api, createRecords(api, false), messages, yieldToLoop);
		const asked = () => api.sent.filter(({ path }) => path.at(-1) === 'fields').length;
		return { fields, state, asked, hints, messages, api };
	}
	const namesOf = ({ fields }: { fields: ReadonlyArray<{ name: string }> }) =>
		fields.map(({ name }) => name);

	test('are read once for all items, and a second time at most', async () => {
		const { fields, state, asked } = fieldsOf();
		expect(namesOf(await fields.of(card))).toEqual(['Title']);
		state.names = ['Pages'];
		expect(namesOf(await fields.of(card))).toEqual(['Title']);
		expect(namesOf(await fields.fresh(card))).toEqual(['Pages']);
		state.names = ['Later'];
		expect(namesOf(await fields.fresh(card))).toEqual(['Pages']);
		expect(namesOf(await fields.of(card))).toEqual(['Pages']);
		expect(asked()).toBe(2);
	});

	test('are read again after this run has changed them, and then may be once more', async () => {
		const { fields, state, asked } = fieldsOf();
		await fields.fresh(card);
		state.names = ['Title', 'New'];
		expect(namesOf(await fields.changed(card))).toEqual(['Title', 'New']);
		expect(namesOf(await fields.of(card))).toEqual(['Title', 'New']);
		expect(asked()).toBe(2);
		await fields.fresh(card);
		await fields.fresh(card);
		expect(asked()).toBe(3);
	});

	test('of two cards are two listings', async () => {
		const { fields, asked } = fieldsOf();
		await fields.of(card);
		await fields.of({ id: 'c2', name: 'Films' });
		expect(asked()).toBe(2);
	});

	test('of one name are told once; names stand in for IDs afterwards', async () => {
		const { fields, state, hints, messages } = fieldsOf();
		state.names = ['Twin', 'Title', 'Twin', 'Other', 'Other'];
		await fields.of(card);
		expect(hints).toEqual([
			expect.objectContaining({
				message:
					"Fields of card 'Books' called 'Twin', 'Other' appear under their IDs, because their names are not unique",
			}),
		]);
		expect(messages.withNames('f1 is required')).toBe("'Title' is required");
	});

	test('are told of nothing where each has its name', async () => {
		const { fields, hints } = fieldsOf();
		await fields.of(card);
		expect(hints).toEqual([]);
	});

	test('show their habits by a page of records, read once', async () => {
		const records = [{ id: 'r1', data: { f0: '2026-01-31T12:00:00' }, created_at: null }];
		const { fields, api } = fieldsOf(() => ({ records, next_cursor: null }));
		const index = await fields.of(card);
		const sampled = await fields.sampled(card, index);
		expect(sampled.fields).toEqual([expect.objectContaining({ name: 'Title', habit: 'noOffset' })]);
		expect(await fields.sampled(card, index)).toBe(sampled);
		expect(api.sent.filter(({ path }) => path.at(-1) === 'records')).toHaveLength(1);
	});

	test('have no habits where no record may be read', async () => {
		const { fields } = fieldsOf(() => {
			throw new ApiFailure({ status: 403, title: 'Write only' });
		});
		const sampled = await fields.sampled(card, await fields.of(card));
		expect(sampled.fields).toEqual([expect.objectContaining({ name: 'Title', habit: undefined })]);
	});
});

describe('cards', () => {
	const open = () => {
		const cards = [{ id: 'crd_1', name: 'Books' }];
		const api = scriptedApi(() => ({ body: { cards } }));
		const { messages } = messagesOf();
		return { cards: createCards(api, messages, yieldToLoop), api, messages };
	};
	const byName = (value: string) => ({ __rl: true, mode: 'name', value });

	test('are listed once, whatever the number of items', async () => {
		const { cards, api, messages } = open();
		expect(await cards.find(byName('Books'))).toEqual({ id: 'crd_1', name: 'Books' });
		expect(await cards.find(byName('books'))).toEqual({ id: 'crd_1', name: 'Books' });
		expect(cards.list()).toBe(cards.list());
		expect(api.sent).toHaveLength(1);
		expect(messages.withNames('crd_1 is locked')).toBe("'Books' is locked");
	});

	test('are meant by their exact names where a change cannot be undone', async () => {
		const { cards } = open();
		expect(await cards.findExact(byName('Books'))).toMatchObject({ id: 'crd_1' });
		await expect(cards.findExact(byName('books'))).rejects.toThrow('books');
	});

	test('chosen by ID cost no request', async () => {
		const { cards, api } = open();
		expect(await cards.find({ mode: 'id', value: 'crd_9' })).toMatchObject({ id: 'crd_9' });
		expect(api.sent).toEqual([]);
	});
});

describe('records', () => {
	const one = { id: 'r1', data: {}, created_at: null };
	const api = scriptedApi(() => ({ body: { records: [one], next_cursor: null } }));

	test('are one listing for the items that want the same number of one card', () => {
		const records = createRecords(api, true);
		const listing = records.of(card, 5);
		expect(records.of(card, 5)).toBe(listing);
		expect(records.of(card, 6)).not.toBe(listing);
		expect(records.of({ id: 'c2', name: 'Books' }, 5)).not.toBe(listing);
		expect(records.again(card)).not.toBe(records.again(card));
	});

	test('of a new listing can be read once: they are not kept', async () => {
		const listing = createRecords(api, true).again(card);
		expect(await listing.part(0, 5)).toEqual([{ id: 'r1', data: {}, createdAt: null, raw: one }]);
		expect(await listing.part(1, 5)).toEqual([]);
		await expect(listing.part(0, 5)).rejects.toThrow('read twice');
	});

	test('of a single item are not kept', () => {
		const records = createRecords(api, false);
		expect(records.of(card, 5)).not.toBe(records.of(card, 5));
	});
});
