/**
 * What somebody can try against the service, how often it is tried, and whether it holds: the table of
 * docs/reliability.md, part L. Run by `npm run bench:service -- --attacks`.
 */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { connectControl } from '../../service/index.ts';
import { repository } from '../host/folders.ts';
import type { RunningService } from '../host/serviceProcess.ts';

const mebibyte = 1024 * 1024;
/** Tries that are under way at a time. */
const lanes = 8;
/** How long a connection that sends or reads nothing may stay, and what a check of that may be late by, in ms. */
const idleMs = 30_000;
const idleSlackMs = 10_000;

/** One kind of attack. `holds` tells how the service must answer each try. */
interface Attack {
	what: string;
	times: number;
	holds: string;
	/** @returns a short name of the answer, and whether it is one that must come */
	attempt(n: number): Promise<[answer: string, isHeld: boolean]>;
}

/** What came of an attack. */
export interface AttackResult {
	what: string;
	times: number;
	holds: string;
	/** How often each answer came. */
	answers: Record<string, number>;
	broken: number;
}

/** The parts that attacks work with. */
interface Scene {
	service: RunningService;
	origin: string;
	/** The attacker's own workspace and key. */
	workspaceId: string;
	apiKey: string;
	cardId: string;
	fieldId: string;
	/** A key for what uses up its bytes, and a card of its workspace with pages of 2 MiB. */
	spender: { workspaceId: string; apiKey: string; cardId: string };
	/** What is there of the victim. */
	victim: { workspaceId: string; cardId: string; recordId: string };
	send(method: string, path: string, options?: Sent): Promise<Answer>;
}

interface Sent {
	body?: string;
	headers?: Record<string, string>;
	key?: string | null;
}

interface Answer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
}

const list = (count: number, text: (n: number) => string) =>
	Array.from({ length: count }, (_, n) => text(n)).join(',');

/** Holds where each answer has one of the statuses, as a problem and without a stack. */
const answered =
	(statuses: number[], send: (n: number) => Promise<Answer>): Attack['attempt'] =>
	async (n) => {
		const { status, text } = await send(n);
		const isHeld = statuses.includes(status) && !/\n\s+at |SQLITE|sqlite/.test(text);
		return [String(status), isHeld];
	};

/** Sends bytes and waits until the service has closed the connection. @returns all that it said */
async function exchange(origin: string, bytes: string): Promise<string> {
	const { hostname, port } = new URL(origin);
	const socket = connect(Number(port), hostname);
	let said = '';
	socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
	socket.on('error', () => {});
	socket.write(bytes, 'latin1');
	const timer = setTimeout(() => socket.destroy(), idleMs + idleSlackMs);
	await once(socket, 'close');
	clearTimeout(timer);
	return said;
}

const statusesIn = (said: string) =>
	[...said.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => code);

/** Bodies that cost more than they should. */
function bodies({ send, workspaceId, cardId }: Scene): Attack[] {
	const path = `/api/v1/workspaces/${workspaceId}/cards/${cardId}/records`;
	const kinds: Array<[what: string, body: string, status: number]> = [
		['bodies of 8 MB', `{"data":{},"x":"${'x'.repeat(8 * mebibyte)}"}`, 413],
		['bodies of 256 KiB of `[[[[…`', '['.repeat(mebibyte / 4), 422],
		['objects of 20,000 keys', `{"data":{${list(20_000, (n) => `"k${n}":1`)}}}`, 422],
		['arrays of 100,000 numbers', `[${list(100_000, () => '1')}]`, 422],
		['objects of 2,900 unknown fields', `{"data":{${list(2_900, (n) => `"k${n}":1`)}}}`, 422],
	];
	/** A body that is far too large is not read: its sender may find the connection closed before the answer. */
	const closed = (error: unknown): Answer => {
		const { code } = error as { code?: string };
		if (!['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(String(code))) throw error;
		return { status: 413, headers: {}, text: '' };
	};
	return kinds.map(([what, body, status]) => ({
		what,
		times: 200,
		holds: `${status}, or 429 once the key has used its bytes`,
		attempt: answered([status, 429], async () => {
			const sent = send('POST', path, { body });
			return await (status === 413 ? sent.catch(closed) : sent);
		}),
	}));
}

/** Values that mean something to a parser further in. */
function values({ send, workspaceId, cardId, fieldId }: Scene): Attack[] {
	const cards = `/api/v1/workspaces/${workspaceId}/cards`;
	const records = `${cards}/${cardId}/records`;
	const sql = [`'; DROP TABLE records; --`, `" OR 1=1 --`, `x' UNION SELECT hash FROM api_keys --`];
	const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
	const pick = <T>(from: T[], n: number) => from[n % from.length] as T;
	return [
		{
			what: 'SQL as a value, read back',
			times: 300,
			holds: 'a text like any other',
			async attempt(n) {
				const value = pick(sql, n);
				const body = JSON.stringify({ data: { [fieldId]: value } });
				const { status, text } = await send('POST', records, { body });
				const { data } = JSON.parse(text) as { data?: Record<string, string> };
				return [String(status), status === 201 && data?.[fieldId] === value];
			},
		},
		{
			what: 'SQL as an ID, a cursor or a limit',
			times: 300,
			holds: '400 or 404',
			attempt: answered([400, 404], async (n) => {
				const text = encodeURIComponent(pick(sql, n));
				const paths = [`${cards}/${text}`, `${records}?cursor=${text}`, `${records}?limit=${text}`];
				return await send('GET', pick(paths, n));
			}),
		},
		{
			what: '`__proto__`, `constructor` and the like as fields',
			times: 300,
			holds: '422, and no object changes',
			attempt: answered([422], async (n) => {
				const body = `{"data":{"${pick(names, n)}":{"isAdmin":true,"status":200}}}`;
				return await send('POST', records, { body });
			}),
		},
		{
			what: 'cursors that were changed, made up, or given out for another card',
			times: 500,
			holds: '400',
			attempt: answered([400], async (n) => {
				const made = Buffer.from(`${'m'.repeat(12)}${n}`).toString('base64url');
				return await send('GET', `${records}?cursor=${made}`);
			}),
		},
		{
			what: 'targets with other schemes, credentials or line breaks',
			times: 200,
			holds: '422',
			attempt: answered([422], async (n) => {
				const targets = [
					'file:///etc/passwd',
					'http://a:b@x/',
					'http://x/\r\nHost: y',
					'gopher://x',
				];
				const hook = { target_url: pick(targets, n), events: ['card.created'] };
				const path = `/api/v1/workspaces/${workspaceId}/webhooks`;
				return await send('POST', path, { body: JSON.stringify(hook) });
			}),
		},
	];
}

/** Access to what belongs to others. */
function access({ send, origin, service, workspaceId, victim }: Scene): Attack[] {
	const theirs = `/api/v1/workspaces/${victim.workspaceId}`;
	const ours = `/api/v1/workspaces/${workspaceId}`;
	const paths = ['/cards', `/cards/${victim.cardId}`, `/cards/${victim.cardId}/fields`].concat(
		`/cards/${victim.cardId}/records`,
		`/cards/${victim.cardId}/records/${victim.recordId}`,
	);
	const at = (n: number) => paths[n % paths.length] ?? '';
	const methods = ['GET', 'PATCH', 'DELETE'];
	const method = (n: number) => methods[n % methods.length] ?? 'GET';
	const below = (n: number) => paths[1 + (n % (paths.length - 1))] ?? '';
	const form = { 'content-type': 'application/x-www-form-urlencoded' };
	return [
		{
			what: "another workspace's path with a key of one's own",
			times: 300,
			holds: '403, or 405 where there is no such method',
			attempt: answered(
				[403, 405],
				async (n) =>
					await send(method(n), theirs + at(n), {
						body: method(n) === 'PATCH' ? '{}' : undefined,
					} as Sent),
			),
		},
		{
			what: "another workspace's IDs below one's own path",
			times: 300,
			holds: '404, 405, or 422 for the body',
			attempt: answered(
				[404, 405, 422],
				async (n) =>
					await send(method(n), ours + below(n), {
						...(method(n) === 'PATCH' && { body: '{"name":"taken"}' }),
					}),
			),
		},
		{
			what: 'guessed keys',
			times: 2_000,
			holds: '401, from 300 a minute on 429',
			attempt: answered(
				[401, 429],
				async (n) =>
					await send('GET', `${theirs}/cards`, { key: `wsd_live_${String(n).padStart(43, 'A')}` }),
			),
		},
		{
			what: 'guessed client secrets',
			times: 400,
			holds: '401, from 120 a minute on 429',
			async attempt(n) {
				const { status } = await send(
					'POST',
					`${service.authUrl}/realms/${service.realm}/protocol/openid-connect/token`,
					{
						key: null,
						headers: form,
						body: `grant_type=client_credentials&client_id=${service.clientId}&client_secret=${n}`,
					},
				);
				return [String(status), [401, 429].includes(status)];
			},
		},
		{
			what: 'guessed passwords of the settings page',
			times: 100,
			holds: '401, from 10 a minute on 429',
			async attempt(n) {
				const { status } = await send('POST', '/settings/sign-in', {
					key: null,
					headers: { ...form, origin },
					body: `password=guess${n}`,
				});
				return [String(status), [401, 429].includes(status)];
			},
		},
		{
			what: 'forms from other sites',
			times: 200,
			holds: '403',
			attempt: answered(
				[403],
				async () =>
					await send('POST', '/settings/keys', {
						key: null,
						headers: { ...form, origin: 'https://evil.example' },
						body: 'name=mine',
					}),
			),
		},
	];
}

/** Requests that are no proper HTTP, or hide one in another. */
function requests({ origin, workspaceId, apiKey, send }: Scene): Attack[] {
	const { host } = new URL(origin);
	const head = `POST /api/v1/workspaces/${workspaceId}/cards HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n`;
	const hidden = `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
	const smuggled = [
		`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
		`${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${hidden}`,
		`${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ${hidden}`,
		`${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
		`${head}Content-Length: +2\r\n\r\n{}${hidden}`,
		`${head}X: a\rContent-Length: 0\r\n\r\n${hidden}`,
	];
	const broken = [
		'GET\r\n\r\n',
		'\x16\x03\x01\x02\x00\x01',
		'GET / HTTP/9.9\r\n\r\n',
		'x'.repeat(40_000),
	];
	const paths = [
		'/..%2F..%2Fetc/passwd',
		'/settings/..%2f..%2fmain.ts',
		'/%00',
		'/%zz',
		'//evil.example',
	];
	return [
		{
			what: 'a request hidden in another (lengths and encodings that contradict)',
			times: 300,
			holds: '400 and the end of the connection; the hidden one is not answered',
			async attempt(n) {
				const said = await exchange(origin, smuggled[n % smuggled.length] ?? '');
				const statuses = statusesIn(said);
				return [statuses.join('+') || 'closed', statuses.join() === '400'];
			},
		},
		{
			what: 'what is no HTTP, or has too long headers',
			times: 200,
			holds: '400 or 431 and the end of the connection',
			async attempt(n) {
				const said = await exchange(origin, broken[n % broken.length] ?? '');
				const statuses = statusesIn(said);
				return [statuses.join('+') || 'closed', ['400', '431'].includes(statuses.join())];
			},
		},
		{
			what: 'paths that lead out of a folder',
			times: 200,
			holds: '400 or 404',
			attempt: answered(
				[400, 404],
				async (n) => await send('GET', paths[n % paths.length] ?? '', { key: null }),
			),
		},
		{
			what: 'packed bodies',
			times: 100,
			holds: '415',
			attempt: answered(
				[415],
				async () =>
					await send('POST', `/api/v1/workspaces/${workspaceId}/cards`, {
						headers: { 'content-encoding': 'gzip' },
						body: '{"name":"x"}',
					}),
			),
		},
	];
}

/** Connections that are held as long as the service lets them; all at once. */
function connections({ origin, spender: { workspaceId, apiKey, cardId } }: Scene): Attack[] {
	const { host, hostname, port } = new URL(origin);
	/** Sends something, reads nothing, and looks after a while. Held where the service has ended the connection. */
	const lurk = async (bytes: string): Promise<[string, boolean]> => {
		const socket = connect(Number(port), hostname);
		const closed = new AbortController();
		socket.on('error', () => {}).on('close', () => closed.abort());
		socket.write(bytes);
		// Its end is seen by reading alone; Node asks twice, 30 s apart, whether anything was read.
		await sleep(2 * idleMs + idleSlackMs, undefined, { signal: closed.signal }).catch(() => {});
		socket.resume();
		await sleep(idleSlackMs, undefined, { signal: closed.signal }).catch(() => {});
		const isHeld = closed.signal.aborted;
		socket.destroy();
		return [isHeld ? 'dropped' : 'kept', isHeld];
	};
	const page = `GET /api/v1/workspaces/${workspaceId}/cards/${cardId}/records?limit=1000 HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
	return [
		{
			what: 'half a request, then nothing',
			times: 200,
			holds: 'dropped within a minute',
			attempt: async () => await lurk(`GET / HTTP/1.1\r\nHost: ${host}\r\nX-Half: `),
		},
		{
			what: 'pages of 2 MiB asked for and never read',
			times: 8,
			holds: 'dropped within a minute',
			// 12 MiB each, more than the kernel takes, and second by second, within the bytes of the key.
			attempt: async (n) => {
				await sleep(n * 1_000);
				return await lurk(page.repeat(6));
			},
		},
	];
}

/** Runs one kind, so many tries at a time. */
async function run({ what, times, holds, attempt }: Attack, atOnce: number): Promise<AttackResult> {
	const result: AttackResult = { what, times, holds, answers: {}, broken: 0 };
	let n = 0;
	const lane = async () => {
		while (n < times) {
			const [answer, isHeld] = await attempt(n++).catch((error: unknown): [string, boolean] => [
				String((error as { code?: unknown }).code),
				false,
			]);
			result.answers[answer] = (result.answers[answer] ?? 0) + 1;
			if (!isHeld) result.broken += 1;
		}
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, times) }, lane));
	return result;
}

/** Makes the attacker's and the victim's workspaces. */
async function createScene(service: RunningService): Promise<Scene & { close(): Promise<void> }> {
	const control = connectControl(service.controlUrl ?? '', service.controlToken ?? '');
	const { origin } = new URL(service.baseUrl);
	const agent = new Agent({ connections: lanes, pipelining: 1 });
	const attacker = await control.createWorkspace();
	const sendAs = async (
		apiKey: string,
		method: string,
		path: string,
		{ body, headers, key = apiKey }: Sent = {},
	): Promise<Answer> => {
		const answer = await request(path.startsWith('/') ? origin + path : path, {
			method,
			dispatcher: agent,
			headers: {
				'content-type': 'application/json',
				...(key !== null && { authorization: `Bearer ${key}` }),
				...headers,
			},
			...(body !== undefined && { body }),
		} as Parameters<typeof request>[1]);
		return {
			status: answer.statusCode,
			headers: answer.headers,
			text: await answer.body.text(),
		};
	};
	const make = async (apiKey: string, workspaceId: string, path: string, body: object) => {
		const full = `/api/v1/workspaces/${workspaceId}${path}`;
		const { text } = await sendAs(apiKey, 'POST', full, { body: JSON.stringify(body) });
		return (JSON.parse(text) as { id: string }).id;
	};
	const build = async (apiKey: string, workspaceId: string) => {
		const cardId = await make(apiKey, workspaceId, '/cards', { name: 'Card' });
		const field = { name: 'Text', type: 'long_text' };
		const fieldId = await make(apiKey, workspaceId, `/cards/${cardId}/fields`, field);
		const data = { [fieldId]: 'x'.repeat(250_000) };
		const recordId = await make(apiKey, workspaceId, `/cards/${cardId}/records`, { data });
		return { cardId, fieldId, recordId };
	};
	const theirs = await build(service.apiKey, service.workspaceId);
	const ours = await build(attacker.apiKey, attacker.workspaceId);
	const spender = await control.createWorkspace();
	const spent = await build(spender.apiKey, spender.workspaceId);
	for (let n = 0; n < 8; n++) {
		const path = `/cards/${spent.cardId}/records`;
		const data = { [spent.fieldId]: 'x'.repeat(250_000) };
		await make(spender.apiKey, spender.workspaceId, path, { data });
	}
	return {
		service,
		origin,
		...attacker,
		...ours,
		spender: { ...spender, cardId: spent.cardId },
		victim: { workspaceId: service.workspaceId, ...theirs },
		send: async (method, path, sent) => await sendAs(attacker.apiKey, method, path, sent),
		close: async () => await agent.destroy(),
	};
}

/** The victim's data and the service's own log after all of it. */
async function aftermath({ victim, service, send, origin }: Scene): Promise<AttackResult> {
	const key = service.apiKey;
	const read = async (path: string) =>
		JSON.parse(
			(await send('GET', `/api/v1/workspaces/${victim.workspaceId}${path}`, { key })).text,
		) as Record<string, unknown[]>;
	const checks: Array<[string, boolean]> = [
		['the service answers', (await send('GET', `${origin}/health`, { key: null })).status === 200],
		["the victim's card is there", (await read('/cards')).cards?.length === 1],
		['its record is there', (await read(`/cards/${victim.cardId}/records`)).records?.length === 1],
		['the log has no fault of its own', !/"level":(50|60)/.test(service.log())],
	];
	return {
		what: 'afterwards: health, the data of others, the log',
		times: checks.length,
		holds: 'all as before',
		answers: Object.fromEntries(
			checks.map(([name, isHeld]) => [isHeld ? name : `NOT: ${name}`, 1]),
		),
		broken: checks.filter(([, isHeld]) => !isHeld).length,
	};
}

/** Tries all attacks. @param service with control, by default bounds, of its own */
export async function tryAttacks(service: RunningService): Promise<AttackResult[]> {
	const scene = await createScene(service);
	try {
		const slow = connections(scene).map(async (attack) => await run(attack, attack.times));
		const results: AttackResult[] = [];
		for (const kinds of [access, values, requests, bodies]) {
			for (const attack of kinds(scene)) results.push(await run(attack, lanes));
		}
		return [...results, ...(await Promise.all(slow)), await aftermath(scene)];
	} finally {
		await scene.close();
	}
}

/** The results as the table of docs/reliability.md. */
function tableOf(results: readonly AttackResult[]): string {
	const rows = results.map(({ what, times, holds, answers, broken }) => {
		const came = Object.entries(answers).map(([answer, count]) => `${count} × ${answer}`);
		return `| ${what} | ${times} | ${holds} | ${came.join(', ')} | ${broken === 0 ? 'all' : `all but ${broken}`} |`;
	});
	return ['| Tried | Times | Must be | Was | Held |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** Replaces the table in the page. */
export async function writeAttacks(results: readonly AttackResult[]): Promise<void> {
	const page = join(repository, 'docs', 'reliability.md');
	const [start, end] = ['<!-- attacks -->\n', '\n<!-- /attacks -->'];
	const text = await readFile(page, 'utf8');
	const [before, rest] = text.split(start);
	const [, after] = (rest ?? '').split(end);
	if (before === undefined || after === undefined) throw new Error(`${page} has no place for it`);
	await writeFile(page, `${before}${start}\n${tableOf(results)}\n${end}${after}`);
}
