import { execa } from 'execa';

import { stopAtExit } from './cleanup.ts';
import { Problem } from './problem.ts';

/** How a command is run. */
export interface CommandOptions {
	cwd: string;
	env?: Record<string, string>;
	/** Names the task in messages: "npm ci of n8n". */
	purpose: string;
}

/** The last lines of an output, for messages. */
export function lastLines(text: string, count = 25): string {
	return text.trimEnd().split('\n').slice(-count).join('\n');
}

/**
 * Runs a command to its end, quietly, in a process group of its own that dies with this process.
 *
 * @returns what it printed on the standard output
 * @throws Problem with the last lines it printed, when it fails or does not exist
 */
export async function runCommand(
	command: string,
	args: readonly string[],
	{ cwd, env, purpose }: CommandOptions,
): Promise<string> {
	const child = execa(command, args, {
		cwd,
		env,
		all: true,
		detached: true,
		reject: false,
		stdin: 'ignore',
	});
	const forget = stopAtExit(async () => {
		if (child.pid !== undefined) killGroup(child.pid, 'SIGTERM');
		await child;
	});
	const result = await child;
	forget();
	if (!result.failed) return result.stdout;
	if (result.code === 'ENOENT') {
		throw new Problem(
			`${purpose} needs the program '${command}', which is not installed. Install it and try again.`,
		);
	}
	throw new Problem(
		`${purpose} did not work: '${command} ${args.join(' ')}' ended with ${result.exitCode ?? result.signal ?? 'no exit code'}.\n${lastLines(result.all)}`,
	);
}

/** Signals a process group; a group that is gone is fine. */
export function killGroup(processId: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-processId, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}
