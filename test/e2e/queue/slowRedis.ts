import { createConnection, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';

/** A way to Redis that can delay what a process subscribes to. */
export interface SlowRedis {
	port: number;
	/** How long a subscription waits from now on, in ms, and all that follows it over its connection. */
	delaySubscribing(ms: number): void;
	close(): Promise<void>;
}

/** The command as ioredis writes it; nothing else that n8n sends has this line. @see Redis serialization protocol */
const SUBSCRIBE = Buffer.from('\r\nsubscribe\r\n');

/** Starts it before the Redis on this port of the loopback address. */
export async function startSlowRedis(redisPort: number): Promise<SlowRedis> {
	const open = new Set<Socket>();
	let delay = 0;
	const listener = createServer((client) => {
		const redis = createConnection({ host: '127.0.0.1', port: redisPort });
		const held = new Transform({
			transform(chunk: Buffer, _encoding, done) {
				const ms = chunk.includes(SUBSCRIBE) ? delay : 0;
				if (ms > 0) setTimeout(() => done(null, chunk), ms);
				else done(null, chunk);
			},
		});
		open.add(client);
		client.on('close', () => open.delete(client));
		// A connection that breaks is the client's to mend.
		pipeline(client, held, redis, () => client.destroy());
		pipeline(redis, client, () => redis.destroy());
	});
	await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
	const address = listener.address();
	return {
		port: typeof address === 'object' && address ? address.port : 0,
		delaySubscribing(ms) {
			delay = ms;
		},
		async close() {
			for (const socket of open) socket.destroy();
			await new Promise((resolve) => listener.close(resolve));
		},
	};
}
