import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Counts what workflows report, by key. */
export interface Collector {
	/** Where to report: `POST {url}/<key>`. */
	url: string;
	counts: ReadonlyMap<string, number>;
	close(): Promise<void>;
}

/** Starts a collector on the loopback address. */
export async function startCollector(): Promise<Collector> {
	const counts = new Map<string, number>();
	const server = createServer((request, response) => {
		const key = decodeURIComponent((request.url ?? '').slice(1));
		counts.set(key, (counts.get(key) ?? 0) + 1);
		request.resume().on('end', () => response.writeHead(204).end());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		counts,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
