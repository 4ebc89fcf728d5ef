/** What the answer to a change means, whatever its status and body: the interface shows neither. */
import { readRecord } from '../../../nodes/WorkspaceData/model/answer/record';
import { UnexpectedAnswer } from '../../../nodes/WorkspaceData/transport/failure/failures';
import {
	assertDone,
	noIdHint,
	readCreated,
} from '../../../nodes/WorkspaceData/transport/writeAnswer';

const page = '<!doctype html><title>Sign in</title>';
const created = (status: number, body: unknown, headers: Record<string, unknown> = {}) =>
	readCreated(
		{ status, body, headers },
		{ thing: 'record', read: readRecord, sent: { data: { f1: 'sent' } } },
	);

describe('a create', () => {
	test('gives what the answer shows', () => {
		expect(
			created(201, { id: 'r1', data: { f1: 'kept' } }, { location: '/records/r2' }),
		).toMatchObject({ id: 'r1', data: { f1: 'kept' } });
	});

	test('whose ID only the header Location tells gives what was sent', () => {
		const location = 'https://data.example.com/api/v1/cards/c1/records/r%2F2?x=1';
		expect(created(201, '', { location })).toMatchObject({ id: 'r/2', data: { f1: 'sent' } });
		expect(created(200, undefined, { location: '/cards/c1' })).toBeUndefined();
	});

	test.each<[number, unknown]>([
		[201, ''],
		[200, ''],
		[204, undefined],
		[200, 'created'],
		[201, '{"id": "r1'],
	])('is done without an ID: status %d, body %j', (status, body) => {
		expect(created(status, body)).toBeUndefined();
	});

	test('answered with broken JSON may have been refused: the message says to check', () => {
		expect(() => created(200, '{"id": "r1')).toThrow(
			expect.objectContaining({
				message: 'The record may have been created: the answer is not valid JSON',
				description: expect.stringContaining('before you run this item again'),
			}),
		);
		// Its header tells more than its body.
		expect(created(200, '{"id": "r1', { location: '/records/r2' })).toMatchObject({ id: 'r2' });
	});

	test.each([200, 201])('answered with a web page and status %d is no create', (status) => {
		expect(() => created(status, page, { location: '/records/r2' })).toThrow(UnexpectedAnswer);
		expect(() => created(status, page)).toThrow('The answer is not a record');
	});

	test('without an ID, the hint says not to do it again', () => {
		expect(noIdHint('field')).toMatch(/created a field.*Do not create the field again/);
	});
});

describe('a change or a deletion', () => {
	test.each([undefined, '', 'done', {}, { id: 'r1' }, [], 0])(
		'is done with the answer %j',
		(body) => {
			expect(() => assertDone(body, 'record', 'changed')).not.toThrow();
			expect(() => assertDone(body, 'record', 'deleted')).not.toThrow();
		},
	);

	test('answered with a web page was not answered by the service', () => {
		expect(() => assertDone(page, 'card', 'changed')).toThrow(
			expect.objectContaining({
				message: 'The answer is not a card',
				description: expect.stringContaining('whether the card was changed'),
			}),
		);
		expect(() => assertDone(page, 'card', 'deleted')).toThrow(
			expect.objectContaining({
				message: 'The service returned a web page instead of data',
				description: expect.stringContaining('whether the card was deleted'),
			}),
		);
	});

	test('answered with broken JSON may have been refused', () => {
		expect(() => assertDone('{"error": ', 'field', 'deleted')).toThrow(
			'The field may not have been deleted: the answer is not valid JSON',
		);
	});
});
