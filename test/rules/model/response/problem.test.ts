import { readProblem, readRefusal } from '../../../../nodes/WorkspaceData/model/response/problem';
import { leastOf, workMs } from '../../../support/cpuTime.mts';
import vectors from '../../../vectors/problem.json';

const texts = (contentType: string, body: string): unknown[] => {
	// n8n's request helper parses JSON where it can; both forms reach us.
	try {
		return [body, JSON.parse(body)];
	} catch {
		return [contentType === '' ? '' : body];
	}
};

describe('problem details as the service sends them', () => {
	test.each(vectors.cases)('$name', ({ status, contentType, body, expected }) => {
		for (const form of texts(contentType, body)) {
			const { kind = null, title, detail = '', ...problem } = readProblem(status, form);
			expect([problem.status, kind]).toEqual([status, expected?.kind ?? null]);
			expect(title).toEqual(expected?.title ?? expect.stringMatching(/^The service [^<>{}]*$/));
			expect(detail).toContain(expected?.detail ?? '');
		}
	});
});

describe('answers that are no problem details get words that help', () => {
	const page = '<html><head><title>502 Bad Gateway</title></head></html>';
	const failed = "The service couldn't process the request";
	const unclear = "The service couldn't understand the request";
	const wrongKey = { error: 'invalid_client', error_description: 'unknown' };
	const gateway = "The service couldn't be reached through its gateway";
	const away = "The service isn't available right now";
	const refused = "The service didn't accept the credential";
	test.each<[string, number, unknown, string, string | undefined]>([
		['an HTML page: its title', 502, page, gateway, '502 Bad Gateway'],
		['HTML without a title: nothing of it', 500, '<body>oops</body>', failed, undefined],
		['plain text: the text', 503, ' upstream\n down ', away, 'upstream down'],
		['an unknown status', 418, {}, 'The service responded with status 418', undefined],
		['a status of success', 204, '', 'The service responded with status 204', undefined],
		['a message member', 400, { message: 'No.' }, unclear, 'No.'],
		["OAuth's own errors", 401, wrongKey, refused, 'unknown'],
		['a list', 400, [1, 2], unclear, undefined],
		['an object with a message', 400, { error: { code: 'A', message: 'b' } }, unclear, 'b'],
		['a list of texts', 400, { message: ['a', 'b'] }, unclear, 'a; b'],
	])('%s', (_, status, body, title, detail) => {
		const { foreign, ...problem } = readProblem(status, body);
		expect(problem).toEqual({ status, title, ...(detail && { detail }) });
		expect(foreign === true).toBe(String(body).startsWith('<'));
	});

	test('valid members are kept where another one is invalid', () => {
		const body = { type: null, title: 'Name too long', detail: 'At most 5 letters', status: [] };
		const { title, detail } = body;
		expect(readProblem(422, body)).toMatchObject({ title, detail });
		const rest = { type: 'https://errors.example.com/card-not-found', title: 5, detail: null };
		const found = { kind: 'card-not-found', title: expect.stringMatching(/^The service/) };
		expect(readProblem(404, rest)).toMatchObject(found);
	});

	test('secrets are taken out before a text is cut, and of the kind', () => {
		const type = 'https://e.example/wsd_live_secret-unknown';
		const body = { type, title: 'Refused', detail: `${'x'.repeat(490)} wsd_live_secret` };
		const clean = (text: string) => text.replace('wsd_live_secret', '***');
		const { kind, detail } = readProblem(400, body, clean);
		expect([kind, detail]).toEqual(['***-unknown', expect.stringMatching(/x \*\*\*$/)]);
	});

	test('a text of more than 500 characters is cut', () => {
		const title = 't'.repeat(500);
		const cut = { title, detail: `${title}…` };
		expect(readProblem(500, { title, detail: `${title}u` })).toMatchObject(cut);
	});
});

test('a page with 20,000 titles costs next to nothing', async () => {
	for (const title of ['<title', '<title>']) {
		const page = `<html>${title.repeat(20_000)}`;
		expect(readProblem(500, page).foreign).toBe(true);
		const least = await leastOf(100, async () => await workMs(() => readProblem(500, page)));
		expect(least).toBeLessThan(100);
	}
});

describe('refusals under a status of success', () => {
	const type = (kind: string) => `https://x.example/${kind}`;
	const [today, locked] = ['Read-only today', 'locked'];
	const title = 'The service refused the request';
	const refused = (detail?: string) => ({ status: 200, title, ...(detail && { detail }) });
	const quota = { title: 'Quota exceeded', status: 422 };
	const missing = { status: 422, detail: 'Key is missing' };
	const gone = { title: "The service couldn't find the requested data", detail: 'not found' };
	test.each<[string, unknown, object]>([
		['a problem', { type: type('quota'), ...quota }, { kind: 'quota', ...quota }],
		['an object', { error: { message: today }, request_id: 'q1' }, refused(today)],
		['a list next to an empty one', { errors: [{ message: today }], records: [] }, refused(today)],
		['no words', { ok: false }, refused()],
		// A status is optional.
		['a type and a title', { type: type('a'), title: 'B' }, { status: 200, kind: 'a', title: 'B' }],
		['a status as text', { type: 'about:blank', ...quota, status: '422' }, quota],
		['a status and a detail', missing, { title: 'The service rejected the values', ...missing }],
		['a code and a message', { code: 404, message: 'not found' }, { status: 404, ...gone }],
		['success as text', { success: 'false' }, refused()],
		['an error in an envelope', { result: { error: locked } }, refused(locked)],
		['a text', 'ERROR: not permitted', refused('ERROR: not permitted')],
	])('%s', (_, body, problem) => {
		expect(readRefusal(200, body)).toEqual(problem);
	});
	test('whatever is declared as problem details, unless it is what was asked for', () => {
		const declared = 'application/problem+json; charset=utf-8';
		expect(readRefusal(200, { note: 'x' }, undefined, declared)).toMatchObject({
			title,
			detail: expect.stringContaining('application/problem+json'),
		});
		expect(readRefusal(200, { id: 'r1' }, undefined, declared)).toBeUndefined();
		expect(readRefusal(200, { note: 'x' }, undefined, 'application/json')).toBeUndefined();
	});
	test('secrets are taken out', () => {
		const hidden = readRefusal(200, { error: 'bad key-1' }, (text) => text.replace('key-1', '***'));
		expect(hidden?.detail).toBe('bad ***');
	});

	test.each<[string, unknown]>([
		['nothing', ''],
		['a text', 'OK'],
		['a created field without its ID', { name: 'A', type: 'text', title: 'A' }],
		['a code of success', { code: 200, message: 'ok' }],
		['values of a record', { data: { status: 'failed', error: 'E7', code: 404, title: 'A' } }],
		["a record that isn't deleted", { record: { id: 'r1' }, deleted: false }],
		['a subscription', { subscriptionId: 's', secret: 'x', errors: ['deprecated'] }],
		['an envelope with a card that has such properties', { data: { id: 7, error: 'x' } }],
		['an envelope without errors', { success: true, error: null, errors: [], data: null }],
		['a card with such properties', { id: 7, error: 'x', success: false, status: 500, title: 'y' }],
		['a wrapped card next to a warning', { data: { id: 7 }, errors: ['deprecated'] }],
		['a description', { openapi: '3.0.0', info: { title: 'A', version: '1' }, paths: {} }],
	])('%s is none', (_, body) => {
		expect(readRefusal(200, body)).toBeUndefined();
	});
});

describe('listed errors', () => {
	const detailOf = (body: object) => readProblem(422, { title: 'Invalid', ...body }).detail;
	test('the first ten are shown, and nothing for entries that say nothing', () => {
		const errors = Array.from({ length: 12 }, (_, n) => `e${n}`);
		expect(detailOf({ errors })).toBe(errors.slice(0, 10).join('; '));
		expect(detailOf({ errors: [{}, 'one', 5, 'two', null] })).toBe('one; two');
		expect(detailOf({ errors: [{}] })).toBeUndefined();
	});
	test.each<[string, object, string | undefined]>([
		['repeated', { detail: 'Key is required', errors: ['Key is required'] }, 'Key is required'],
		['by field', { errors: { a: ['b', 'c'], d: 'e' } }, 'a: b; a: c; d: e'],
		['by pointer', { detail: 'x', errors: [{ pointer: '/f1', detail: 'y' }] }, 'x — /f1: y'],
		['as text', { detail: 'x', errors: ['/f1: y'] }, 'x — /f1: y'],
		['with its field', { detail: 'a', errors: [{ field: 'Key', message: 'a' }] }, 'Key: a'],
		['repeated next to another one', { detail: 'a', errors: ['a', 'b'] }, 'a; b'],
		['repeats the title', { detail: 'Invalid' }, undefined],
	])('%s: each is shown next to the detail, one that repeats it only once', (_, body, detail) => {
		expect(detailOf(body)).toBe(detail);
	});
});
