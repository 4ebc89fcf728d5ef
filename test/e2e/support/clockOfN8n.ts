import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { N8nHost } from '../../host/n8nProcess.ts';
import { runFolder } from './settings.ts';

/**
 * The clock of an n8n that is put ahead, and stays ahead when n8n starts again.
 *
 * @param name of the file in the folder of the run
 */
export function createClockOfN8n(name: string) {
	const file = join(runFolder(), `${name}.clock`);
	let aheadMs = 0;
	const write = () => writeFileSync(file, String(aheadMs));
	write();
	return {
		/** The environment in which n8n has this clock. */
		environment: {
			NODE_OPTIONS: `--require=${join(__dirname, 'clockAhead.cjs')}`,
			CLOCK_AHEAD_FILE: file,
		},
		/** Time passes for n8n. */
		pass(host: N8nHost, minutes: number) {
			aheadMs += minutes * 60_000;
			write();
			process.kill(Number(host.processId), 'SIGUSR2');
		},
	};
}
