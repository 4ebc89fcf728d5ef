/** The service of a world, written from the interface alone, with a ledger of all that it was asked and did. */
import { BALLAST, MARK, type FieldShape, type Kind, type ServiceShape, type World } from './shapes';
import { pause } from './virtualTime';

export type Data = Record<string, unknown>;

/** A request as it reaches the service. */
export interface Sent {
	method: string;
	url: URL;
	headers: Record<string, string>;
	body: string;
}

/** An answer. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string;
}

/** No answer: the connection breaks, or never stands. */
export class Broken extends Error {
	readonly code: 'ECONNREFUSED' | 'ECONNRESET';

	constructor(code: Broken['code']) {
		super(code === 'ECONNREFUSED' ? 'connect ECONNREFUSED' : 'socket hang up');
		this.code = code;
	}
}

/** What a write changed. */
export interface Write {
	step: number;
	method: 'POST' | 'PATCH' | 'DELETE';
	record: string;
	/** The mark that it leaves; undefined for deletions. */
	mark: string | undefined;
	data: Data;
}

/** A record with all that it ever was: the state after each change, with its step. */
export interface Stored {
	id: string | number;
	createdAt: string;
	data: Data;
	isGone: boolean;
	versions: Array<{ step: number; data: Data | undefined }>;
}

/** A field as it is now. */
export interface LiveField extends FieldShape {
	id: string;
}

/** Characters of a large record: three of them are more than the nodes want in a page. */
const HEAVY = 2_800_000;
const WINDOW_MS = 10_000;
const CARD = 'crd_1';
const PAGES = '<html><body>Bad gateway</body></html>';

/** The types of fields that can be added. */
const ADDED_KINDS: Record<string, Kind> = {
	text: 'text',
	long_text: 'text',
	number: 'number',
	boolean: 'boolean',
	date: 'date',
};

class Refusal extends Error {
	readonly status: number;
	readonly kind: string;

	constructor(status: number, kind: string, detail: string) {
		super(detail);
		this.status = status;
		this.kind = kind;
	}
}

const json = (status: number, body: unknown): Answer => ({
	status,
	headers: { 'content-type': 'application/json' },
	body: body === undefined ? '' : JSON.stringify(body),
});

const problem = (status: number, kind: string, detail: string): Answer =>
	json(status, {
		type: `https://problems.test/${kind}`,
		title: kind.replaceAll('-', ' '),
		status,
		detail,
	});

/** A value as a field keeps it. @throws Refusal where it cannot hold it */
function kept(field: LiveField, value: unknown): unknown {
	if (value === null) return null;
	const refuse = (): never => {
		throw new Refusal(
			422,
			'invalid-value',
			`Field ${field.id} can't hold ${JSON.stringify(value)}`,
		);
	};
	switch (field.kind) {
		case 'text':
			return typeof value === 'object' ? refuse() : String(value);
		case 'number':
			return typeof value === 'number' ? value : refuse();
		case 'boolean':
			return typeof value === 'boolean' ? value : refuse();
		case 'date':
			return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : refuse();
		case 'choice': {
			const choices = field.choices ?? [];
			const exact = choices.find(({ label, identifier = label }) => identifier === value);
			const chosen = exact ?? choices.find(({ label }) => label === value);
			return chosen ? (chosen.identifier ?? chosen.label) : refuse();
		}
		default:
			return value;
	}
}

/** The service of a world. Every request goes through `handle`. */
export class SimulatedService {
	readonly origin: string;
	readonly apiKey: string;
	readonly clientSecret: string;
	readonly tokens: string[] = [];
	readonly sent: Sent[] = [];
	readonly writes: Write[] = [];
	readonly records: Stored[] = [];
	readonly fields: LiveField[];
	step = 0;
	private readonly shape: ServiceShape;
	private requests = 0;
	private readonly perMethod = new Map<string, number>();
	private underWay = 0;
	private windowEnds = 0;
	private inWindow = 0;
	private issued = 0;

	constructor(world: World, name: string) {
		this.shape = world.service;
		this.origin = `http://${name}.test`;
		this.apiKey = `sk_live_${name}_0123456789abcdef`;
		this.clientSecret = `cs_${name}_fedcba9876543210`;
		const numbers = this.shape.fieldIds === 'number';
		const shapes: FieldShape[] = [
			world.key,
			world.value,
			{ name: MARK, type: 'text', kind: 'text' },
			{ name: BALLAST, type: 'text', kind: 'text' },
		];
		this.fields = shapes.map((shape, at) => ({
			...shape,
			id: numbers ? `${11 + at}` : `fld_${at}`,
		}));
		for (const [at, { key, value }] of world.records.entries()) {
			const [keyField, valueField, , ballast] = this.fields;
			this.insert({
				...(keyField && { [keyField.id]: kept(keyField, key) }),
				...(valueField && { [valueField.id]: kept(valueField, value) }),
				...(ballast && at < world.heavy && { [ballast.id]: 'x'.repeat(HEAVY) }),
			});
		}
	}

	/** The field that has this name now. */
	field(name: string): LiveField | undefined {
		return this.fields.find((field) => field.name === name);
	}

	/** The records that there are now. */
	live(): Stored[] {
		return this.records.filter(({ isGone }) => !isGone);
	}

	/** Begins a step: faults are counted from here on. */
	beginStep(): void {
		this.step += 1;
		this.perMethod.clear();
		for (const record of this.live())
			record.versions.push({ step: this.step, data: { ...record.data } });
	}

	/** Somebody else changes or deletes a record. */
	change(record: Stored, data: Data | undefined): void {
		if (data) Object.assign(record.data, data);
		else record.isGone = true;
		record.versions.push({ step: this.step, data: data && { ...record.data } });
	}

	/** Answers a request, in virtual time. @throws Broken */
	async handle(sent: Sent): Promise<Answer> {
		this.sent.push(sent);
		if (sent.url.pathname.endsWith('/token')) return this.giveToken();
		const nth = this.perMethod.get(sent.method) ?? 0;
		this.perMethod.set(sent.method, nth + 1);
		const fault = this.shape.faults.find(
			(one) => one.method === sent.method && one.nth === nth,
		)?.kind;
		if (fault === 'refused') throw new Broken('ECONNREFUSED');
		const place = this.requests;
		this.requests += 1;
		const limited = this.countInWindow();
		const withRate = (answer: Answer): Answer => ({
			...answer,
			headers: {
				...answer.headers,
				...this.rateHeaders(),
				date: new Date(this.now()).toUTCString(),
			},
		});
		if (this.underWay >= (this.shape.capacity ?? Infinity)) {
			await pause(5);
			return problem(503, 'overloaded', 'Too many requests at once.');
		}
		this.underWay += 1;
		try {
			await pause(inTurn(this.shape.latencies, place) + (fault === 'slow' ? 3_000 : 0));
			if (limited) return withRate(problem(429, 'rate-limited', 'The rate limit is reached.'));
			if (fault === 'hangs') return await new Promise(() => {});
			if (fault === 'busy') return withRate(problem(503, 'unavailable', 'Try again later.'));
			if (fault === 'gateway')
				return { status: 502, headers: { 'content-type': 'text/html' }, body: PAGES };
			if (fault === 'tooMany') {
				const answer = problem(429, 'rate-limited', 'Slow down.');
				return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
			}
			const answer = this.answerTo(sent);
			if (fault === 'busyAfter') return withRate(problem(503, 'unavailable', 'Try again later.'));
			if (fault === 'lost') throw new Broken('ECONNRESET');
			if (fault === 'hangsAfter') return await new Promise(() => {});
			await pause(
				inTurn(this.shape.answerLatencies, place) + (fault === 'answersLate' ? 2_500 : 0),
			);
			return withRate(answer);
		} finally {
			this.underWay -= 1;
		}
	}

	private now(): number {
		return Date.now() + this.shape.clockAhead * 1_000;
	}

	private giveToken(): Answer {
		this.issued += 1;
		const token = `token-${this.apiKey}-${this.issued}`;
		this.tokens.push(token);
		return json(200, { access_token: token, expires_in: 300, token_type: 'Bearer' });
	}

	/** @returns whether the limit of the window is passed */
	private countInWindow(): boolean {
		if (this.shape.rate === null) return false;
		if (this.now() >= this.windowEnds) {
			this.windowEnds = Math.ceil((this.now() + WINDOW_MS) / 1_000) * 1_000;
			this.inWindow = 0;
		}
		this.inWindow += 1;
		return this.inWindow > this.shape.rate;
	}

	private rateHeaders(): Record<string, string> {
		if (this.shape.rate === null) return {};
		return {
			'x-ratelimit-limit': String(this.shape.rate),
			'x-ratelimit-remaining': String(Math.max(0, this.shape.rate - this.inWindow)),
			'x-ratelimit-reset': String(this.windowEnds / 1_000),
		};
	}

	private answerTo(sent: Sent): Answer {
		try {
			return this.carryOut(sent);
		} catch (error) {
			if (error instanceof Refusal) return problem(error.status, error.kind, error.message);
			throw error;
		}
	}

	private carryOut({ method, url, headers, body }: Sent): Answer {
		const bearer = headers.authorization?.replace(/^Bearer /, '') ?? '';
		const isKnown = this.shape.account ? this.tokens.includes(bearer) : bearer === this.apiKey;
		if (!isKnown) throw new Refusal(401, 'unauthorized', 'The key is wrong.');
		const path = url.pathname.replace(/^\/api\/v1/, '');
		if (path === '/openapi.json') return this.description();
		const parts = path.split('/').slice(1).map(decodeURIComponent);
		const [, workspace, cards, card, things, record] = parts;
		if (parts[0] !== 'workspaces' || workspace !== 'w1' || cards !== 'cards')
			return notFound('page');
		if (card === undefined && method === 'GET') return this.list('cards', [this.card()]);
		if (card !== CARD) return notFound('card');
		if (things === undefined && method === 'GET')
			return json(200, this.wrapped('card', this.card()));
		if (things === 'fields' && method === 'GET')
			return this.list('fields', this.fields.map(listed));
		if (things === 'fields' && method === 'POST' && record === undefined)
			return this.addField(body);
		if (things !== 'records')
			return problem(405, 'not-allowed', 'Nobody does that in these worlds.');
		if (record === undefined && method === 'GET') return this.page(url.searchParams);
		if (record === undefined && method === 'POST') return this.create(body);
		const stored = this.live().find(({ id }) => String(id) === record);
		if (!stored) return notFound('record');
		if (method === 'DELETE') {
			this.note('DELETE', stored, {});
			this.change(stored, undefined);
			return { status: 204, headers: {}, body: '' };
		}
		const data = this.readData(body);
		this.note('PATCH', stored, data);
		this.change(stored, data);
		if (this.shape.updates === 'empty') return { status: 204, headers: {}, body: '' };
		return json(200, this.wrapped('record', shown(stored)));
	}

	private create(body: string): Answer {
		const stored = this.insert(this.readData(body));
		this.note('POST', stored, stored.data);
		return json(201, this.wrapped('record', shown(stored)));
	}

	private addField(body: string): Answer {
		const { name, type } = JSON.parse(body) as { name: string; type: string };
		const kind = ADDED_KINDS[type];
		if (kind === undefined) throw new Refusal(422, 'unknown-type', `There is no type ${type}`);
		const at = this.fields.length;
		const id = this.shape.fieldIds === 'number' ? `${11 + at}` : `fld_${at}`;
		const field: LiveField = { id, name, type, kind };
		this.fields.push(field);
		return json(201, this.wrapped('field', listed(field)));
	}

	private insert(data: Data): Stored {
		const at = this.records.length;
		const stored: Stored = {
			id: this.shape.ids === 'number' ? 1_000 + at : `rec_${String(at).padStart(6, '0')}`,
			createdAt: new Date(this.now()).toISOString(),
			data: { ...data },
			isGone: false,
			versions: [{ step: this.step, data: { ...data } }],
		};
		this.records.push(stored);
		return stored;
	}

	private note(method: Write['method'], { id }: Stored, data: Data): void {
		const left = data[this.field(MARK)?.id ?? ''];
		const mark = typeof left === 'string' ? left : undefined;
		this.writes.push({ step: this.step, method, record: String(id), mark, data: { ...data } });
	}

	private readData(body: string): Data {
		const { data } = JSON.parse(body) as { data: Data };
		return Object.fromEntries(
			Object.entries(data).map(([id, value]) => {
				const field = this.fields.find((one) => one.id === id);
				if (!field) throw new Refusal(422, 'unknown-field', `There is no field ${id}`);
				return [id, kept(field, value)];
			}),
		);
	}

	private page(query: URLSearchParams): Answer {
		const { maxLimit, beyond, defaultLimit, cursors } = this.shape;
		const asked = Number(query.get('limit') ?? Math.min(defaultLimit, maxLimit));
		if (!(asked >= 1) || (asked > maxLimit && beyond === 'refuses')) {
			return problem(400, 'invalid-limit', `limit must be from 1 to ${maxLimit}.`);
		}
		const limit = Math.min(asked, maxLimit);
		const all = this.live();
		const cursor = query.get('cursor');
		const start = cursor === null ? 0 : this.startOf(cursor, limit, all);
		const records = all.slice(start, start + limit);
		const isLast = start + limit >= all.length;
		const next = {
			offset: `o${start + limit}`,
			lastId: String(records.at(-1)?.id),
			page: String(Math.floor(start / limit) + 2),
		}[cursors];
		return json(200, { records: records.map(shown), next_cursor: isLast ? null : next });
	}

	private startOf(cursor: string, limit: number, all: Stored[]): number {
		switch (this.shape.cursors) {
			case 'offset':
				return Number(cursor.slice(1));
			case 'page':
				return (Number(cursor) - 1) * limit;
			case 'lastId': {
				const after = all.findIndex(({ id }) =>
					typeof id === 'number' ? id > Number(cursor) : id > cursor,
				);
				return after < 0 ? all.length : after;
			}
		}
	}

	private card() {
		return { id: CARD, name: cardName, description: '' };
	}

	private list(key: string, entries: unknown[]): Answer {
		const { lists } = this.shape;
		return json(200, lists === 'bare' ? entries : { [lists === 'named' ? key : 'data']: entries });
	}

	private wrapped(key: string, object: unknown): unknown {
		const { objects } = this.shape;
		return objects === 'bare' ? object : { [objects === 'named' ? key : 'data']: object };
	}

	private description(): Answer {
		if (!this.shape.described) return notFound('page');
		const limit = {
			name: 'limit',
			in: 'query',
			schema: { type: 'integer', maximum: this.shape.maxLimit },
		};
		const path = '/workspaces/{wid}/cards/{cid}/records';
		return json(200, { openapi: '3.0.3', paths: { [path]: { get: { parameters: [limit] } } } });
	}
}

const inTurn = (times: number[], place: number): number =>
	times.length > 0 ? (times[place % times.length] ?? 0) : 0;

const notFound = (what: string): Answer =>
	problem(404, `${what}-not-found`, `The ${what} doesn't exist in this workspace.`);

const shown = ({ id, data, createdAt }: Stored) => ({ id, data, created_at: createdAt });

/** A field as the listing shows it. */
function listed({ id, name, type, choices, spelled }: LiveField) {
	const options = choices?.map(({ label, identifier }) => {
		if (identifier === undefined) return label;
		return spelled === 'idName' ? { id: identifier, name: label } : { value: identifier, label };
	});
	return { id, name, type, ...(options && { options }) };
}

/** The card of a world. */
export const cardId = CARD;
/** Its name. */
export const cardName = 'Things';
