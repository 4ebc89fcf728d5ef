/** Large requests: reading one, doing what it asks for and writing the answer are done in pieces, each in its turn. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { free } from '../foundation/memory.ts';
import {
	createHeavyWork,
	heavyBodyBytes,
	heavyMs,
	type HeavyWork,
	type Turn,
} from '../foundation/heavyWork.ts';

/** Characters of an answer that are sent in one turn. */
const sentAtOnce = 64 * 1024;

/**
 * Time between two reads of bodies that nobody wants, in ms: some 16 MiB a second of all together. Each read leaves
 * garbage, and collecting it holds everybody up.
 */
const discardedEveryMs = 4;

/** Whether a body is large, or does not say how large it is. */
function hasLargeBody({ headers }: IncomingMessage): boolean {
	const announced = headers['content-length'];
	if (announced === undefined) return headers['transfer-encoding'] !== undefined;
	return Number(announced) >= heavyBodyBytes;
}

/** The owner of a request's turns. */
const ownerOf = ({ principal, ip }: FastifyRequest) => principal?.id ?? ip;

/** A body as it arrives, no more of it in each turn than one read of the socket. */
async function* readInTurns(body: AsyncIterable<Buffer>, turn: Turn): AsyncGenerator<Buffer> {
	for await (const chunk of body) {
		await turn();
		yield chunk;
	}
}

/** Reads a body that nobody wants, as the next request comes after it. */
function discard({ raw }: FastifyRequest, turn: Turn) {
	raw.on('data', (chunk: Buffer) => {
		free(chunk);
		raw.pause();
		void turn().then(() => raw.resume());
	});
	// The connection has ended, so there is no next request.
	raw.on('error', () => {});
}

/**
 * Parts of an answer, each sent in its turn. Parts are texts: Node.js frees their bytes when they are sent, while a
 * `Buffer` would wait for the garbage collector, and bring it about.
 */
async function* sendInTurns(text: string, turn: Turn): AsyncGenerator<string> {
	for (let from = 0; from < text.length; ) {
		await turn();
		const last = text.codePointAt(from + sentAtOnce - 1) ?? 0;
		// A character of two code units stays whole.
		const to = from + sentAtOnce + (last > 0xffff ? 1 : 0);
		yield text.slice(from, to);
		from = to;
	}
}

/** Adds the JSON of each element to the parts of an answer; after some of them others are served. */
async function addElements(parts: string[], list: readonly unknown[], turn: Turn): Promise<void> {
	let until = performance.now() + heavyMs;
	for (const [place, element] of list.entries()) {
		if (performance.now() > until) {
			await turn();
			until = performance.now() + heavyMs;
		}
		parts.push(place === 0 ? '[' : ',', JSON.stringify(element));
	}
	parts.push(list.length === 0 ? '[]' : ']');
}

/** The JSON of an answer. */
async function jsonInTurns(answer: object, turn: Turn): Promise<string> {
	await turn();
	// Joined once, at the end: each copy of a large text is garbage.
	const parts: string[] = [];
	if (Array.isArray(answer)) {
		await addElements(parts, answer, turn);
		return parts.join('');
	}
	for (const [name, value] of Object.entries(answer) as Array<[string, unknown]>) {
		if (value === undefined) continue;
		parts.push(parts.length === 0 ? '{' : ',', JSON.stringify(name), ':');
		if (Array.isArray(value)) await addElements(parts, value, turn);
		else parts.push(JSON.stringify(value));
	}
	parts.push(parts.length === 0 ? '{}' : '}');
	return parts.join('');
}

/** Gives requests their turns, and reads large bodies in turns. Comes before all that looks at bodies. */
export function readLargeBodies(app: FastifyInstance, heavyWork: HeavyWork) {
	app.decorateRequest('isLarge', false);
	/** Numbers of requests, in the order in which they came. */
	let number = 0;
	app.decorateRequest('number', 0);
	app.addHook('onRequest', (request, _reply, done) => {
		request.number = number++;
		done();
	});
	app.decorateRequest('turn', {
		getter() {
			return async () => {
				this.isLarge = true;
				await heavyWork(ownerOf(this), this.number);
				// Nobody waits for the rest of a request whose connection has ended: its work stops here.
				if (this.raw.socket.destroyed) await new Promise(() => {});
			};
		},
	});
	app.addHook('preParsing', (request, _reply, body, done) => {
		request.isLarge = hasLargeBody(request.raw);
		done(null, request.isLarge ? Readable.from(readInTurns(body, request.turn)) : body);
	});
	const discards = createHeavyWork(1, (turn) => setTimeout(turn, discardedEveryMs));
	app.addHook('onSend', (request, _reply, payload, done) => {
		// Refused before it was read.
		if (!request.isLarge && hasLargeBody(request.raw)) {
			discard(request, async () => await discards(ownerOf(request)));
		}
		done(null, payload);
	});
}

/**
 * Gives the work and the answer of a request their turns where it has a large body, is about a large record, or has a
 * large page as its answer.
 */
export function answerInTurns(
	api: FastifyInstance,
	isLargeRecord: (path: { cid?: string; rid?: string }) => boolean,
) {
	api.addHook('preHandler', (request, _reply, done) => {
		const path = request.params as { cid?: string; rid?: string };
		if (path.rid !== undefined && isLargeRecord(path)) request.isLarge = true;
		if (request.isLarge) void request.turn().then(() => done());
		else done();
	});
	api.addHook<unknown>('preSerialization', (request, reply, answer, done) => {
		if (!request.isLarge || typeof answer !== 'object' || answer === null) {
			done(null, answer);
			return;
		}
		jsonInTurns(answer, request.turn).then(
			(json) => {
				reply.serializer(() => json);
				done(null, answer);
			},
			(error: unknown) => done(error as Error),
		);
	});
	api.addHook('onSend', (request, reply, payload, done) => {
		const isSplit = typeof payload === 'string' && payload.length > sentAtOnce;
		if (!isSplit || !request.isLarge || request.method === 'HEAD') {
			done(null, payload);
			return;
		}
		void reply.header('content-length', Buffer.byteLength(payload));
		done(null, Readable.from(sendInTurns(payload, request.turn)));
	});
}
