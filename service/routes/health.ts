/** Says whether the service serves, for proxies and process managers. */
import type { App } from '../http/context.ts';
import { problem } from '../http/problem.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';

/** Adds `GET /health`. It needs no credentials and counts for no limit; while the service stops, it is refused. */
export function addHealthRoute(app: App, { database }: Pick<WorkspaceData, 'database'>) {
	app.get('/health', { schema: { hide: true }, logLevel: 'warn' }, (_request, reply) => {
		try {
			database.meta('cursorKey');
		} catch {
			throw problem('service-unavailable', 'The database cannot be read.');
		}
		return reply
			.headers({ 'cache-control': 'no-store' })
			.type('application/json; charset=utf-8')
			.send('{"status":"ok"}');
	});
}
