import type { ControlledService } from '../index.ts';
import { type Client, useService } from './client.ts';

let service: ControlledService;
let api: Client;

const bodyBytes = 8 * 1024 * 1024;
useService((started, client) => void ([service, api] = [started, client]), { bodyBytes });

/** The end of a problem's type. */
const kind = (name: string) => expect.stringMatching(new RegExp(`/${name}$`)) as unknown;

/** A card with one field of a type. */
async function cardWith(type: string, options?: unknown) {
	const card = (await api('POST', 'cards', { name: `Card with ${type}` })).body;
	const field = await api('POST', `cards/${card.id}/fields`, { name: type, type, options });
	return { cid: card.id, fid: field.body.id, records: `cards/${card.id}/records` };
}

describe('cards', () => {
	test('are created, read and deleted', async () => {
		const created = await api('POST', 'cards', { name: 'Countries', description: 'All of them' });
		expect(created.status).toBe(201);
		expect(created.body).toEqual({
			id: expect.stringMatching(/^crd_/),
			name: 'Countries',
			description: 'All of them',
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			updated_at: expect.any(String),
		});
		const path = `cards/${created.body.id}`;
		expect((await api('GET', path)).body).toEqual(created.body);
		const deleted = await api('DELETE', path);
		expect([deleted.status, deleted.text]).toEqual([204, '']);
		const gone = await api('GET', path);
		expect(gone.body).toMatchObject({ status: 404, title: 'Card not found' });
	});

	test.each<[string, unknown]>([
		['no name', {}],
		['name that is too long', { name: 'x'.repeat(1_001) }],
		['unknown property', { name: 'A', colour: 'red' }],
	])('refuse a body with %s', async (_name, body) => {
		const answer = await api('POST', 'cards', body);
		expect(answer.body).toMatchObject({
			status: 422,
			type: expect.stringMatching(/\/validation-failed$/),
			errors: [expect.objectContaining({ pointer: expect.any(String) })],
		});
	});
});

describe('fields', () => {
	test('are added and deleted', async () => {
		const card = (await api('POST', 'cards', { name: 'Fields' })).body;
		const path = `cards/${card.id}/fields`;
		const created = await api('POST', path, {
			name: 'Continent',
			type: 'single_select',
			options: ['Africa', 'Asia', 'Europe'],
		});
		expect(created.status).toBe(201);
		expect(created.body).toEqual({
			id: expect.stringMatching(/^fld_/),
			name: 'Continent',
			type: 'single_select',
			options: ['Africa', 'Asia', 'Europe'],
		});
		const one = `${path}/${created.body.id}`;
		expect((await api('DELETE', one)).status).toBe(204);
		const gone = { status: 404, title: 'Field not found' };
		expect((await api('DELETE', one)).body).toMatchObject(gone);
	});

	test('a type that present values do not have is a conflict', async () => {
		const { cid, fid, records } = await cardWith('text');
		const path = `cards/${cid}/fields/${fid}`;
		const { body } = await api('POST', records, { data: { [fid]: 'twelve' } });
		const refused = await api('PATCH', path, { type: 'number' });
		expect(refused.body).toMatchObject({ status: 409, type: kind('field-type-conflict') });
		expect((await api('PATCH', path, { type: 'long_text' })).status).toBe(200);
		await api('PATCH', `${records}/${body.id}`, { data: { [fid]: null } });
		expect((await api('PATCH', path, { type: 'number' })).status).toBe(200);
	});

	test('an option in use cannot be removed', async () => {
		const { cid, fid, records } = await cardWith('multi_select', ['a', 'b', 'c']);
		const path = `cards/${cid}/fields/${fid}`;
		await api('POST', records, { data: { [fid]: ['a', 'b'] } });
		const refused = await api('PATCH', path, { options: ['a'] });
		expect(refused.body).toMatchObject({ status: 409, type: kind('option-in-use') });
		const answer = await api('PATCH', path, { options: ['b', 'a', 'd'] });
		expect(answer.body.options).toEqual(['b', 'a', 'd']);
	});

	test.each([
		['unknown type', { name: 'A', type: 'colour' }],
		['options where the type has none', { name: 'A', type: 'text', options: ['x'] }],
		['an option twice', { name: 'A', type: 'single_select', options: ['x', 'x'] }],
		['an empty option', { name: 'A', type: 'single_select', options: [''] }],
	])('refuse %s', async (_name, body) => {
		const { cid } = await cardWith('text');
		expect((await api('POST', `cards/${cid}/fields`, body)).status).toBe(422);
	});
});

describe('records', () => {
	test('are created and deleted', async () => {
		const { cid, fid, records } = await cardWith('text');
		const second = (await api('POST', `cards/${cid}/fields`, { name: 'n', type: 'number' })).body;
		const created = await api('POST', records, { data: { [fid]: 'Norway', [second.id]: 5 } });
		expect(created.status).toBe(201);
		expect(created.body).toEqual({
			id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
			data: { [fid]: 'Norway', [second.id]: 5 },
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
		});
		const path = `${records}/${created.body.id}`;
		expect((await api('DELETE', path)).status).toBe(204);
		const gone = await api('PATCH', path, { data: {} });
		expect(gone.body).toMatchObject({ status: 404, type: kind('record-not-found') });
		expect(gone.body.detail).toContain(created.body.id);
		expect(gone.body.detail).toContain(cid);
	});

	const tooDeep: unknown = JSON.parse('['.repeat(101) + ']'.repeat(101));
	const on = (time: string) => `2024-01-01T${time}`;

	test.each<[string, unknown[], unknown[], string[]?]>([
		['text', ['', 'é 🌍', 'x'.repeat(10_000)], [1, true, ['x'], {}, 'x'.repeat(10_001)]],
		['long_text', ['', 'x'.repeat(1_000_000)], [1]],
		['email', ['a.b+c@d.example'], ['a@b c', 'a@@b', '@b', 'a@', 'ab']],
		['url', ['HTTPS://A', 'http://a/b?c#d'], ['ftp://a', 'javascript:alert(1)', '//a', 'a.b']],
		['date', ['2024-02-29', '0000-01-01'], ['2023-02-29', '2023-1-01', ' 2023-01-01']],
		['datetime', [on('23:59:59Z'), on('12:34:56.123456789-05:30')], [on('24:00:00Z'), on('12:00')]],
		['number', [0, -1.5, 1e300, 9007199254740991], ['1', true, []]],
		['json', [{ a: [null, { __proto__: null }] }, [], 'text', 0, false], [tooDeep]],
		['single_select', ['A', 'B'], ['C', ['A'], ''], ['A', 'B']],
		['multi_select', [[], ['B', 'A']], ['A', ['C'], ['A', 'A'], [null]], ['A', 'B']],
	])('take proper values of type %s and refuse others', async (type, good, bad, options = []) => {
		const { fid, records } = await cardWith(type, options);
		for (const value of good) {
			const answer = await api('POST', records, { data: { [fid]: value } });
			const stored: unknown = JSON.parse(JSON.stringify(value));
			expect([answer.status, answer.body.data?.[fid]]).toEqual([201, stored]);
		}
		for (const value of bad) {
			const answer = await api('POST', records, { data: { [fid]: value } });
			const errors = [{ pointer: `/data/${fid}` }];
			const body = { status: 422, type: kind('invalid-value'), errors };
			expect({ value, body: answer.body }).toMatchObject({ value, body });
		}
	});

	test('name every field that does not exist', async () => {
		const { records } = await cardWith('text');
		const answer = await api('POST', records, '{"data":{"__proto__":{},"a/b~c":1}}');
		const errors = ['__proto__', 'a~1b~0c'].map((name) => ({ pointer: `/data/${name}` }));
		expect(answer.body).toMatchObject({ status: 422, type: kind('unknown-field'), errors });
	});

	test('a number beyond a double is refused, a long integer becomes the nearest double', async () => {
		const { fid, records } = await cardWith('number');
		expect((await api('POST', records, `{"data":{"${fid}":1e400}}`)).status).toBe(422);
		const rounded = await api('POST', records, `{"data":{"${fid}":12345678901234567890}}`);
		expect(rounded.body.data[fid]).toBe(Number('12345678901234567890'));
	});
});

describe('pages of records', () => {
	test('are walked by cursor to the end, in the order of creation, also if the last one is full', async () => {
		const { cid, records } = await cardWith('text');
		service.control.fillCard({ cardId: cid, count: 30 });
		const ids: string[] = [];
		let query: string | undefined = '?limit=10';
		for (let pages = 0; pages < 3; pages++) {
			const { body } = await api('GET', `${records}${query}`);
			ids.push(...body.records.map(({ id }) => id));
			query = body.next_cursor === null ? undefined : `?limit=10&cursor=${body.next_cursor}`;
		}
		expect(query).toBeUndefined();
		expect(ids).toHaveLength(30);
		expect(ids).toEqual([...new Set(ids)].sort());
	});

	test('stay right while records are inserted and deleted', async () => {
		const { cid, records } = await cardWith('text');
		service.control.fillCard({ cardId: cid, count: 20 });
		const first = (await api('GET', `${records}?limit=10`)).body;
		const seen = first.records.map(({ id }) => id);
		for (const id of [seen[0], seen[9]]) await api('DELETE', `${records}/${id}`);
		const added = (await api('POST', records, { data: {} })).body.id;
		const second = (await api('GET', `${records}?limit=100&cursor=${first.next_cursor}`)).body;
		const rest = second.records.map(({ id }) => id);
		expect(new Set([...seen, ...rest]).size).toBe(21);
		expect(rest.at(-1)).toBe(added);
		expect(second.next_cursor).toBeNull();
	});

	test.each(['0', '1.5', '1001', ''])('refuse limit %p', async (limit) => {
		const { records } = await cardWith('text');
		const { body } = await api('GET', `${records}?limit=${limit}`);
		expect(body).toMatchObject({ status: 400, type: kind('invalid-limit') });
	});

	test('refuse cursors that are made up or of another card', async () => {
		const { cid, records } = await cardWith('text');
		const other = await cardWith('text');
		service.control.fillCard({ cardId: cid, count: 2 });
		const cursor: string = (await api('GET', `${records}?limit=1`)).body.next_cursor ?? '';
		const paths = ['', 'abc'].map((one) => `${records}?cursor=${one}`);
		for (const path of [...paths, `${other.records}?cursor=${cursor}`]) {
			const { body } = await api('GET', path);
			expect(body).toMatchObject({ status: 400, type: kind('invalid-cursor') });
		}
	});
});
