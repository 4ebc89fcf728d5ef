/** Large requests: reading one, doing what it asks for and writing the answer are done in pieces, each in its turn. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
	createHeavyWork,
	heavyBodyBytes,
	heavyMs,
	type HeavyWork,
	type Turn,
} from '../foundation/heavyWork.ts';

/** Bytes of an answer that are sent in one turn. */
const sentAtOnce = 256 * 1024;

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
	raw.on('data', (chunk: Buffer<ArrayBuffer>) => {
		// Gives its memory back at once: garbage would pile up until it is collected.
		if (chunk.byteLength === chunk.buffer.byteLength) chunk.buffer.transfer(0);
		raw.pause();
		void turn().then(() => raw.resume());
	});
	// The connection has ended, so there is no next request.
	raw.on('error', () => {});
}

const utf8 = new TextEncoder();

/** Parts of an answer, each made into bytes in its turn. */
async function* sendInTurns(text: string, turn: Turn): AsyncGenerator<Buffer> {
	for (let rest = text; rest !== ''; ) {
		await turn();
		const part = Buffer.allocUnsafeSlow(sentAtOnce);
		const { read, written } = utf8.encodeInto(rest, part);
		rest = rest.slice(read);
		yield part.subarray(0, written);
	}
}

/** The JSON of each element; after some of them others are served. */
async function elementsInTurns(list: readonly unknown[], turn: Turn): Promise<string> {
	const texts: string[] = [];
	let until = performance.now() + heavyMs;
	for (const element of list) {
		if (performance.now() > until) {
			await turn();
			until = performance.now() + heavyMs;
		}
		texts.push(JSON.stringify(element));
	}
	return `[${texts.join(',')}]`;
}

/** The JSON of an answer. */
async function jsonInTurns(answer: object, turn: Turn): Promise<string> {
	await turn();
	if (Array.isArray(answer)) return await elementsInTurns(answer, turn);
	const members: string[] = [];
	for (const [name, value] of Object.entries(answer) as Array<[string, unknown]>) {
		if (value === undefined) continue;
		const json = Array.isArray(value) ? await elementsInTurns(value, turn) : JSON.stringify(value);
		members.push(`${JSON.stringify(name)}:${json}`);
	}
	return `{${members.join(',')}}`;
}

/** Gives requests their turns, and reads large bodies in turns. Comes before all that looks at bodies. */
export function readLargeBodies(app: FastifyInstance, heavyWork: HeavyWork) {
	app.decorateRequest('isLarge', false);
	app.decorateRequest('turn', {
		getter() {
			return async () => {
				this.isLarge = true;
				await heavyWork(ownerOf(this));
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
