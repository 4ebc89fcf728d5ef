/** What a refusal says, however much is wrong, and what the log says once. */
import { z } from 'zod/v4';
import { refusal } from '../../../service/domain/refusal.ts';
import { problem, problemBody, problemOf } from '../../../service/http/problem.ts';
import { validatorCompiler } from '../../../service/http/validation.ts';
import { createReport } from '../../../service/listener/log.ts';
import {
	fieldCreateSchema,
	recordCreateSchema,
	webhookCreateSchema,
} from '../../../service/routes/resources.ts';

test('a problem quotes 2,000 characters and 100 reasons at most', () => {
	const quoted = (length: number) => problemBody('invalid-value', 'x'.repeat(length)).detail;
	expect(quoted(2_000)).toBe('x'.repeat(2_000));
	expect(quoted(2_001)).toBe(`${'x'.repeat(2_000)}…`);
	const reasons = Array.from({ length: 101 }, (_, n) => ({
		pointer: `/${n}`,
		detail: 'x'.repeat(2_001),
	}));
	const { errors } = problemBody('invalid-value', 'Several.', reasons);
	expect(errors).toHaveLength(100);
	expect(errors?.at(-1)).toEqual({ pointer: '/99', detail: `${'x'.repeat(2_000)}…` });
	expect(problemBody('invalid-value', 'One.')).not.toHaveProperty('errors');
});

test('a refusal of the domain becomes a problem with its reasons; other errors become none', () => {
	const reasons = [{ pointer: '/a', detail: 'is wrong' }];
	const made = problemOf(refusal('validation-failed', 'It is wrong.', reasons));
	expect(made?.problem).toMatchObject({ status: 422, detail: 'It is wrong.', errors: reasons });
	expect(problemOf(refusal('card-not-found', 'None.'))?.problem).not.toHaveProperty('errors');
	const own = problem('invalid-limit', 'No.', { headers: { a: 'b' } });
	expect(problemOf(own)).toBe(own);
	expect([own.headers, problem('invalid-limit', 'No.').headers]).toEqual([{ a: 'b' }, {}]);
	for (const other of [new Error('x'), { problem: {} }, { refusal: 'x' }, undefined]) {
		expect(problemOf(other)).toBeUndefined();
	}
});

describe('what does not fit a schema', () => {
	const schema = z.strictObject({ a: z.string(), list: z.array(z.number()).optional() });
	const validate = (httpPart: string, data: unknown) => {
		const check = validatorCompiler({ schema, httpPart, method: 'POST', url: '/' });
		const result = check(data) as { value?: unknown; error?: ReturnType<typeof problem> };
		return result.error ? result.error.problem : result.value;
	};

	test('is a problem that begins with the place of the first fault', () => {
		expect(validate('body', { a: 'x' })).toEqual({ a: 'x' });
		expect(validate('body', { a: 1 })).toMatchObject({
			status: 422,
			detail: expect.stringMatching(/^\/a: ./),
			errors: [{ pointer: '/a' }],
		});
		expect(validate('body', 'x')).toMatchObject({
			status: 422,
			detail: expect.stringMatching(/^[^/:]/),
			errors: [{ pointer: '' }],
		});
	});

	test('of a query or a path is malformed', () => {
		expect(validate('querystring', {})).toMatchObject({ status: 400 });
	});

	test('is told with 100 reasons at most', () => {
		const list = Array(150).fill('x');
		const { errors } = validate('body', { a: 'x', list }) as { errors: unknown[] };
		expect(errors).toHaveLength(100);
	});
});

describe('bodies', () => {
	const accepts = (schema: z.ZodType, body: unknown) => schema.safeParse(body).success;
	const field = (more: object) => accepts(fieldCreateSchema, { name: 'a', type: 'text', ...more });
	const hook = (more: object) =>
		accepts(webhookCreateSchema, { target_url: 'http://x/', events: ['card.created'], ...more });

	test.each([
		[{ name: 'x'.repeat(1_000) }, true],
		[{ name: 'x'.repeat(1_001) }, false],
		[{ name: ' \n' }, false],
		[{ name: '' }, false],
		[{ name: ' a ' }, true],
		[{ name: 'a\udc00' }, false],
		[{ name: '😀' }, true],
		[{ options: Array(500).fill('a') }, true],
		[{ options: Array(501).fill('a') }, false],
		[{ options: ['x'.repeat(200)] }, true],
		[{ options: ['x'.repeat(201)] }, false],
		[{ options: [{ name: 'a' }, { id: '1', name: 'a' }, { value: '', label: 'a' }] }, true],
		[{ options: [{ id: '1' }] }, false],
		[{ options: [{ value: '1' }] }, false],
		[{ options: [{ name: 'a', more: 1 }] }, false],
		[{ options: [{ value: '1', label: 'a', more: 1 }] }, false],
		[{ options: ['\ud800'] }, false],
		[{ more: 1 }, false],
	])('of a field with %j: %p', (more, isGood) => {
		expect(field(more)).toBe(isGood);
	});

	test('of a list that is too long is refused before its elements are looked at', () => {
		const result = fieldCreateSchema.safeParse({
			name: 'a',
			type: 'text',
			options: Array(501).fill(1),
		});
		expect(result.error?.issues.map(({ code, path }) => [code, path])).toContainEqual([
			'too_big',
			['options'],
		]);
	});

	test.each([
		['http://x', true],
		['https://x/y?z#a', true],
		['http://x:99999', false],
		['ftp://x', false],
		['http://user@x', false],
		['http://:pass@x', false],
		[' http://x', false],
		['http://x ', false],
		['http://x/\n', false],
		['http://x/a\tb', false],
		['x', false],
		[`http://x/${'y'.repeat(2_039)}`, true],
		[`http://x/${'y'.repeat(2_040)}`, false],
	])('of a subscription to %j: %p', (target, isGood) => {
		expect(hook({ target_url: target })).toBe(isGood);
	});

	test('of a subscription have one to 50 events, and the address in its usual form', () => {
		expect(hook({ events: [] })).toBe(false);
		expect(hook({ events: Array(50).fill('card.created') })).toBe(true);
		expect(hook({ events: Array(51).fill('card.created') })).toBe(false);
		const body = { target_url: 'HTTP://X.example:80/a b', events: ['card.created'] };
		expect(webhookCreateSchema.parse(body).target_url).toBe('http://x.example/a%20b');
	});

	test.each([
		[{}, true],
		[{ a: null }, true],
		[null, false],
		[[], false],
		['x', false],
		[undefined, false],
	])('of a record with data %j: %p', (data, isGood) => {
		expect(accepts(recordCreateSchema, { data })).toBe(isGood);
	});
});

test('the same message is in the log once a minute', () => {
	const written: string[] = [];
	let now = 5;
	const report = createReport(
		(message) => written.push(message),
		() => now,
	);
	for (const message of ['a', 'a', 'b']) report(message);
	now += 59_999;
	report('a');
	expect(written).toEqual(['a', 'b']);
	now += 1;
	report('a');
	report('a');
	expect(written).toEqual(['a', 'b', 'a']);
	// Of 100 messages the oldest is forgotten.
	for (let n = 0; n < 100; n++) report(`other ${n}`);
	report('a');
	expect(written.at(-1)).toBe('a');
	expect(written).toHaveLength(104);
});
