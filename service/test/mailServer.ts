import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server that takes everything and keeps what it is given. */
export async function startMailServer() {
	const messages: string[] = [];
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onData(stream, _session, done) {
			const chunks: Buffer[] = [];
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			stream.on('end', () => {
				messages.push(Buffer.concat(chunks).toString().replaceAll('\r\n', '\n'));
				done();
			});
		},
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
		messages,
		close: async () => await new Promise<void>((resolve) => server.close(resolve)),
	};
}
