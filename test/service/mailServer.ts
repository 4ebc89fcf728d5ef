import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail server that speaks just enough SMTP (RFC 5321) and keeps what it is given. */
export async function startMailServer() {
	const messages: string[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on('error', () => {});
		let data: string | undefined;
		let buffered = '';
		socket.write('220 test ESMTP\r\n');
		socket.on('data', (chunk) => {
			buffered += chunk.toString();
			for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
				const line = buffered.slice(0, end);
				buffered = buffered.slice(end + 2);
				if (data !== undefined) {
					if (line !== '.') {
						data += `${line}\n`;
						continue;
					}
					messages.push(data);
					data = undefined;
					socket.write('250 queued\r\n');
				} else if (line === 'DATA') {
					data = '';
					socket.write('354 go on\r\n');
				} else if (line === 'QUIT') socket.end('221 bye\r\n');
				else socket.write('250 ok\r\n');
			}
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
		messages,
		async close() {
			for (const socket of sockets) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
