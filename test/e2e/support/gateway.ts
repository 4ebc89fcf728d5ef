import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that has come to the gateway. */
export interface HeldRequest {
	/** Passes it to the service, also when its sender is gone, and answers it. */
	pass(): Promise<void>;
	/** Settles when its sender has hung up. */
	readonly hungUp: Promise<void>;
}

/** A second subscription for an address is made like any other, is refused with 409, or replaces the first under its id. */
type Addresses = 'many' | 'refuse' | 'replace';

/** A gateway between n8n and the service, with faults that the reference service does not have. */
export interface Gateway {
	/** Address without a final slash. */
	url: string;
	/** Closes every connection, as if the service were down. */
	isDown: boolean;
	addresses: Addresses;
	/** The methods of the requests about subscriptions in the order in which they came, with the status of each answer. */
	seen: Array<{ method: string; status?: number }>;
	/** Answers the next deletion with 503 and this Retry-After. */
	putOffDeletion(seconds: number): void;
	/** Holds the next request for a subscription, or its deletion. @returns it, once it has come */
	hold(method: 'POST' | 'DELETE'): Promise<HeldRequest>;
	close(): Promise<void>;
}

/** The answer of the service. */
interface Answer {
	status: number;
	body: string;
	headers: Record<string, string>;
}

const conflict: Answer = {
	status: 409,
	body: '{"title":"There is a subscription for this address"}',
	headers: { 'content-type': 'application/problem+json' },
};

/** Starts it on the loopback address. @param service where to send what comes: an address without a path */
export async function startGateway(service: string): Promise<Gateway> {
	/** The subscription of each address, by the id that its clients know. */
	const ids = new Map<string, string>();
	const holds: Array<{ method: string; arrived(request: HeldRequest): void }> = [];
	let putOffSeconds: number | undefined;

	async function send(method: string, path: string, body: string, authorization: string) {
		const response = await fetch(service + path, {
			method,
			headers: { authorization, ...(body !== '' && { 'content-type': 'application/json' }) },
			...(body !== '' && { body }),
		});
		const headers: Record<string, string> = {};
		for (const name of ['content-type', 'date', 'retry-after']) {
			const value = response.headers.get(name);
			if (value !== null) headers[name] = value;
		}
		return { status: response.status, body: await response.text(), headers };
	}

	/** As a service with one subscription for each address. */
	async function sendForAddress(method: string, path: string, body: string, key: string) {
		const known = path.split('/').at(-1) ?? '';
		const root = path.slice(0, path.indexOf('/webhooks') + '/webhooks'.length);
		if (method === 'DELETE') {
			const answer = await send(method, `${root}/${ids.get(known) ?? known}`, body, key);
			if (answer.status < 300) ids.delete(known);
			return answer;
		}
		const { target_url: target } = JSON.parse(body) as { target_url: string };
		const shown = `whk_${createHash('sha256').update(target).digest('hex').slice(0, 24)}`;
		const old = ids.get(shown);
		if (old !== undefined && gateway.addresses === 'refuse') return conflict;
		if (old !== undefined) await send('DELETE', `${root}/${old}`, '', key);
		const answer = await send(method, path, body, key);
		const made = JSON.parse(answer.body) as { webhook_id: string };
		ids.set(shown, made.webhook_id);
		return { ...answer, body: JSON.stringify({ ...made, webhook_id: shown }) };
	}

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = '', url: path = '' } = request;
		const body = await text(request);
		if (gateway.isDown) return void response.destroy();
		const isAboutSubscription = path.includes('/webhooks');
		const entry: Gateway['seen'][number] = { method };
		if (isAboutSubscription) gateway.seen.push(entry);
		const reply = ({ status, body: content, headers }: Answer) => {
			entry.status = status;
			if (!response.destroyed) response.writeHead(status, headers).end(content);
		};
		if (method === 'DELETE' && putOffSeconds !== undefined) {
			reply({ status: 503, body: '', headers: { 'retry-after': String(putOffSeconds) } });
			putOffSeconds = undefined;
			return;
		}
		const key = request.headers.authorization ?? '';
		const pass = async () => {
			const isPlain = !isAboutSubscription || gateway.addresses === 'many';
			reply(await (isPlain ? send : sendForAddress)(method, path, body, key));
		};
		const place = isAboutSubscription ? holds.findIndex((hold) => hold.method === method) : -1;
		const [hold] = place < 0 ? [] : holds.splice(place, 1);
		if (!hold) return await pass();
		const hungUp = new Promise<void>((resolve) => response.once('close', resolve));
		hold.arrived({ pass, hungUp });
	}

	const server = createServer((request, response) => {
		// The sender may hang up at any time.
		void answer(request, response).catch(() => response.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const gateway: Gateway = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		isDown: false,
		addresses: 'many',
		seen: [],
		putOffDeletion: (seconds) => (putOffSeconds = seconds),
		hold: async (method) =>
			await new Promise((arrived) => {
				holds.push({ method, arrived });
			}),
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return gateway;
}
