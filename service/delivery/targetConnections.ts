/** Connections to targets, kept for the next delivery for a while. */
import { Client, type Dispatcher } from 'undici';

/** A connection that one request uses at a time. */
export interface Connection {
	request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
	/** Keeps it for the next request, once its answer was read to the end. */
	giveBack(): void;
	/** Closes it, with what is under way. */
	drop(): void;
	/** Whether the request failed because the connection, which was used before, broke without an answer. */
	isStale(error: unknown): boolean;
}

/** Connections to all targets. */
export interface Connections {
	/** One that was used before, or else a new one. @param origin scheme, host and port */
	take(origin: string): Connection;
	/** A new one. */
	open(origin: string): Connection;
	/** Closes all. */
	close(): void;
}

/** How long a connection is kept for the next delivery, in ms. */
const keptOpenMs = 4_000;

/** How a connection that was open breaks; undici's own code is for one that the target ended properly. */
const brokenCodes = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Makes the connections. @param maximumIdle how many are kept that nobody uses */
export function createConnections(maximumIdle: number): Connections {
	/** Open connections that nobody uses, by origin. */
	const idle = new Map<string, Set<Connection>>();
	const all = new Set<Client>();
	let idleCount = 0;
	const forget = (origin: string, connection: Connection) => {
		const ofOrigin = idle.get(origin);
		if (ofOrigin?.delete(connection) !== true) return false;
		idleCount -= 1;
		if (ofOrigin.size === 0) idle.delete(origin);
		return true;
	};

	const open = (origin: string): Connection => {
		const client = new Client(origin, {
			pipelining: 1,
			allowH2: false,
			keepAliveTimeout: keptOpenMs,
			keepAliveMaxTimeout: keptOpenMs,
			// The whole attempt has a time limit.
			headersTimeout: 0,
			bodyTimeout: 0,
		});
		let isOpen = false;
		/** Whether the request under way found the connection open, and has no answer yet. */
		let isReused = false;
		const connection: Connection = {
			async request(options) {
				isReused = isOpen;
				const answer = await client.request(options);
				isReused = false;
				return answer;
			},
			giveBack() {
				if (!isOpen || idleCount >= maximumIdle) return connection.drop();
				const ofOrigin = idle.get(origin) ?? new Set();
				idle.set(origin, ofOrigin.add(connection));
				idleCount += 1;
			},
			drop() {
				all.delete(client);
				void client.destroy();
			},
			isStale: (error) =>
				isReused && brokenCodes.includes(String((error as { code?: unknown }).code)),
		};
		client.on('connect', () => {
			isOpen = true;
			isReused = false;
		});
		client.on('disconnect', () => {
			isOpen = false;
			if (forget(origin, connection)) connection.drop();
		});
		all.add(client);
		return connection;
	};

	return {
		open,
		take(origin) {
			const [known] = idle.get(origin) ?? [];
			if (known) forget(origin, known);
			return known ?? open(origin);
		},
		close() {
			for (const client of all) void client.destroy();
			all.clear();
		},
	};
}
