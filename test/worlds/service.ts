/** The service of a world, written from the interface alone, with a ledger of all that it was asked and did. */
import { MARK, type Choice, type FieldShape, type Kind, type World } from './world';
import { pause } from './virtualTime';

/** A request as it reaches the service. */
export interface Sent {
	method: string;
	url: URL;
	/** With names in lower case. */
	headers: Record<string, string>;
	body: string;
}

export type Data = Record<string, unknown>;

export type Response = ReturnType<typeof respond>;

/** No response: the connection never stands, or breaks. */
const BROKEN = {
	refused: { message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', syscall: 'connect' },
	lost: { message: 'socket hang up', code: 'ECONNRESET' },
};

/** What a request changed. */
export interface Write {
	step: number;
	method: 'POST' | 'PATCH' | 'DELETE';
	record: string;
	/** The mark that it leaves; undefined for deletions. */
	mark: string | undefined;
	data: Data;
	/** What the record had. */
	before: Data;
}

/** A record with all that it ever was: the state after each change, with its step. */
export interface Stored {
	id: string;
	createdAt: string;
	data: Data;
	isGone: boolean;
	versions: Array<{ step: number; data: Data }>;
}

/** A field as it is now. */
export interface LiveField extends FieldShape {
	id: string;
}

/** How a record is at one time. */
export type Snapshot = Pick<Stored, 'id' | 'data'>;

export const CARD = { id: 'crd_1', name: 'Things', description: '' };
/** The life of a token, in seconds. */
const TOKEN_LIFE = 60;
const WINDOW_MS = 10_000;
const WITHOUT_LIMIT = 5;

/** The types of fields that can be added. */
const ADDED: readonly Kind[] = ['text', 'number', 'boolean', 'date'];

/** A path: what it is about, and the ID. */
const PATH = /^\/api\/v1\/workspaces\/w1\/cards(?:\/crd_1(\/fields|\/records)(?:\/(\w+))?)?$/;

const JSON_TYPE: Record<string, string> = { 'content-type': 'application/json' };

const respond = (status: number, body?: unknown) => ({
	status,
	headers: JSON_TYPE,
	body: body === undefined ? '' : JSON.stringify(body),
});

const problem = (status: number, detail: string): Response =>
	respond(status, { type: `https://problems.test/p${status}`, title: 'Refused', status, detail });

const isDay = (value: unknown): boolean => /^\d{4}-\d\d-\d\d$/.test(String(value));

/** Whether a field holds such values. Of a choice only the value that records hold. */
function holds({ kind, choices = [] }: LiveField, value: unknown): boolean {
	if (value === null || kind === 'unknown') return true;
	if (kind === 'choice') return choices.some(({ label, value: held = label }) => held === value);
	return kind === 'date' ? typeof value === 'string' && isDay(value) : typeof value === KEPT[kind];
}

const KEPT = { text: 'string', number: 'number', boolean: 'boolean' };

/** Every request goes through `handle`. */
export class SimulatedService {
	readonly origin: string;
	readonly apiKey: string;
	readonly clientSecret: string;
	/** All tokens that were issued, and how long they are valid. */
	private readonly tokens = new Map<string, number>();
	readonly writes: Write[] = [];
	readonly records: Stored[] = [];
	readonly fields: LiveField[];
	/** Fields and choices that were added, with their step. */
	readonly added: Array<{ step: number; name: string }> = [];
	step = 0;
	private readonly shape: World['service'];
	private readonly perMethod = new Map<string, number>();
	private requests = 0;
	private issued = 0;
	private windowEnds = 0;
	private inWindow = 0;

	constructor({ service, key, value, records }: World, name: string) {
		this.shape = service;
		this.origin = `http://${name}.test`;
		this.apiKey = `sk_live_${name}_0123456789abcdef`;
		this.clientSecret = `cs_${name}_fedcba9876543210`;
		const mark: FieldShape = { name: MARK, type: 'text', kind: 'text' };
		this.fields = [key, value, mark].map((shape, at) => ({ ...shape, id: `fld_${at}` }));
		// A service keeps what it was given in another type as text.
		const kept = ({ kind }: FieldShape, held: unknown) =>
			kind === 'text' && held !== null ? String(held) : held;
		for (const one of records)
			this.insert({ fld_0: kept(key, one.key), fld_1: kept(value, one.value) });
	}

	/** The field that has this name now. */
	field(name: string): LiveField | undefined {
		return this.fields.find((field) => field.name === name);
	}

	/** The records that there are now. */
	live(): Stored[] {
		return this.records.filter(({ isGone }) => !isGone);
	}

	snapshot(): Snapshot[] {
		return this.live().map(({ id, data }) => ({ id, data }));
	}

	/** Begins a step: faults are counted from here on. */
	beginStep(): void {
		this.step += 1;
		this.perMethod.clear();
		for (const { versions, data } of this.live()) versions.push({ step: this.step, data });
	}

	/** Somebody changes the card by hand. */
	lend(hand: World['steps'][number]['hand']): void {
		const [first, second] = this.live();
		if (hand === 'rename') this.replaceField('fld_1', { name: `Value (old ${this.step})` });
		if (hand === 'remove' && first) first.isGone = true;
		if (hand === 'edit' && first)
			this.change(first, { fld_1: second?.data.fld_1 ?? null, fld_2: 'person' });
	}

	/** Responds to a request, in virtual time. @throws Error with a code where the connection breaks */
	async handle(sent: Sent): Promise<Response> {
		if (sent.url.pathname.endsWith('/token')) return this.issueToken();
		const nth = this.perMethod.get(sent.method) ?? 0;
		this.perMethod.set(sent.method, nth + 1);
		const fault = this.shape.faults.find((one) => one.method === sent.method && one.nth === nth);
		if (fault?.how === 'refused') throw Object.assign(new Error(), BROKEN.refused);
		if (fault?.how === 'revoked') this.tokens.clear();
		const place = (this.requests += 1);
		const isLimited = this.countInWindow();
		await pause(inTurn(this.shape.latencies, place));
		const response = isLimited
			? problem(429, 'The rate limit is reached.')
			: await this.carryOut(sent, fault);
		await pause(inTurn(this.shape.responseLatencies, place));
		const date = new Date(this.now()).toUTCString();
		return { ...response, headers: { ...response.headers, ...this.rateHeaders(), date } };
	}

	private async carryOut(sent: Sent, fault: Fault | undefined): Promise<Response> {
		const isAfter = fault?.isAfter === true && fault.how !== 'tooMany';
		const failed = isAfter ? undefined : await failure(fault);
		if (failed) return failed;
		const response = this.responseTo(sent);
		return (isAfter && (await failure(fault))) || response;
	}

	private now(): number {
		return Date.now() + this.shape.clockAhead * 1_000;
	}

	private issueToken(): Response {
		const token = `token-${(this.issued += 1)}`;
		this.tokens.set(token, Date.now() + TOKEN_LIFE * 1_000);
		return respond(200, { access_token: token, expires_in: TOKEN_LIFE, token_type: 'Bearer' });
	}

	private isAllowed(authorization = ''): boolean {
		const bearer = authorization.replace(/^Bearer /, '');
		if (!this.shape.account) return bearer === this.apiKey;
		return Date.now() < (this.tokens.get(bearer) ?? 0);
	}

	/** @returns whether the limit of the window is passed */
	private countInWindow(): boolean {
		const { rate } = this.shape;
		if (rate === null) return false;
		if (this.now() >= this.windowEnds) {
			this.windowEnds = Math.ceil((this.now() + WINDOW_MS) / 1_000) * 1_000;
			this.inWindow = 0;
		}
		this.inWindow += 1;
		return this.inWindow > rate;
	}

	private rateHeaders(): Record<string, string> {
		const { rate } = this.shape;
		if (rate === null) return {};
		return {
			'x-ratelimit-limit': String(rate),
			'x-ratelimit-remaining': String(Math.max(0, rate - this.inWindow)),
			'x-ratelimit-reset': String(this.windowEnds / 1_000),
		};
	}

	private responseTo({ method, url, headers, body }: Sent): Response {
		if (!this.isAllowed(headers.authorization)) return problem(401, 'The key is wrong.');
		const [path, things = '', id = ''] = PATH.exec(url.pathname) ?? [];
		if (path === undefined) return problem(404, 'No such page.');
		const json = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
		switch (`${method} cards${things}${id && '/id'}`) {
			case 'GET cards':
				return respond(200, { cards: [CARD] });
			case 'GET cards/fields':
				return respond(200, { fields: this.fields.map(listed) });
			case 'POST cards/fields':
				return this.addField(json as { name: string; type: string });
			case 'PATCH cards/fields/id':
				return this.changeField(id, json as { options?: unknown[] });
			case 'GET cards/records':
				return this.page(url.searchParams);
			case 'POST cards/records':
				return this.write('POST', undefined, json.data as Data);
			case 'PATCH cards/records/id':
			case 'DELETE cards/records/id': {
				const stored = this.live().find((one) => one.id === id);
				if (!stored) return problem(404, 'No such record.');
				return this.write(method as Write['method'], stored, (json.data ?? {}) as Data);
			}
			default:
				return problem(405, 'Nobody does that in these worlds.');
		}
	}

	private write(method: Write['method'], stored: Stored | undefined, data: Data): Response {
		for (const [fieldId, value] of Object.entries(data)) {
			const field = this.fields.find(({ id }) => id === fieldId);
			if (!field || !holds(field, value))
				return problem(422, `Field ${fieldId} can't hold ${JSON.stringify(value)}`);
		}
		const before = stored?.data ?? {};
		const record = stored ?? this.insert(data);
		const mark = data.fld_2 as string | undefined;
		this.writes.push({ step: this.step, method, record: record.id, mark, data, before });
		if (method === 'DELETE') record.isGone = true;
		if (method === 'PATCH') this.change(record, data);
		if (method === 'DELETE' || this.shape.isQuiet) return respond(204);
		return respond(method === 'POST' ? 201 : 200, shown(record));
	}

	private insert(data: Data): Stored {
		const id = `rec_${String(this.records.length).padStart(6, '0')}`;
		const createdAt = new Date(this.now()).toISOString();
		const versions = [{ step: this.step, data }];
		const stored: Stored = { id, createdAt, data, isGone: false, versions };
		this.records.push(stored);
		return stored;
	}

	private change(record: Stored, data: Data): void {
		record.data = { ...record.data, ...data };
		record.versions.push({ step: this.step, data: record.data });
	}

	private addField({ name, type }: { name: string; type: string }): Response {
		const kind = ADDED.find((added) => added === type);
		if (kind === undefined) return problem(422, `There is no type ${type}`);
		const field: LiveField = { id: `fld_${this.fields.length}`, name, type, kind };
		this.fields.push(field);
		this.added.push({ step: this.step, name });
		return respond(201, listed(field));
	}

	private changeField(id: string, { options = [] }: { options?: unknown[] }): Response {
		const choices = options.map((one) =>
			typeof one === 'string' ? { label: one } : (one as Choice),
		);
		this.added.push({ step: this.step, name: 'choices' });
		return respond(200, listed(this.replaceField(id, { choices })));
	}

	private replaceField(id: string, change: Partial<LiveField>): LiveField {
		const at = this.fields.findIndex((field) => field.id === id);
		return (this.fields[at] = { ...(this.fields[at] as LiveField), ...change });
	}

	private page(query: URLSearchParams): Response {
		const { maxLimit, refusesMore } = this.shape;
		const limit = Number(query.get('limit') ?? WITHOUT_LIMIT);
		if (!(limit >= 1) || (query.has('limit') && limit > maxLimit && refusesMore))
			return problem(400, `limit must be from 1 to ${maxLimit}.`);
		const last = query.get('cursor') ?? '';
		const left = this.live().filter(({ id }) => id > last);
		const records = left.slice(0, Math.min(limit, maxLimit));
		const cursor = records.length < left.length ? records.at(-1)?.id : null;
		return respond(200, { records: records.map(shown), next_cursor: cursor });
	}
}

type Fault = World['service']['faults'][number];

/** Goes wrong as a fault says. @returns a response; none if the right one follows @throws Error */
async function failure(fault: Fault | undefined): Promise<Response | undefined> {
	switch (fault?.how) {
		case 'lost':
			throw Object.assign(new Error(), BROKEN.lost);
		case 'hangs':
			return await new Promise(() => {});
		case 'busy':
			return problem(503, 'Try again later.');
		case 'gateway':
			return { status: 502, headers: { 'content-type': 'text/html' }, body: '<p>Bad gateway' };
		case 'tooMany':
			return { ...problem(429, 'Slow down.'), headers: { ...JSON_TYPE, 'retry-after': '1' } };
		case 'slow':
			await pause(3_000);
			return undefined;
		default:
			return undefined;
	}
}

const inTurn = (times: number[], place: number): number => times[place % times.length] ?? 0;

const shown = ({ id, data, createdAt }: Stored) => ({ id, data, created_at: createdAt });

/** A field as the listing shows it. */
const listed = ({ id, name, type, choices }: LiveField) => {
	const options = choices?.map((choice) => (choice.value === undefined ? choice.label : choice));
	return { id, name, type, ...(options && { options }) };
};
