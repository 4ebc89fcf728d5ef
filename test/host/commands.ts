/** Commands that are run to their end. */
import { execa } from 'execa';

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
 * Runs a command to its end, quietly; it dies with this process.
 *
 * @returns what it printed on the standard output
 * @throws Problem with the last lines it printed, when it fails or does not exist
 */
export async function runCommand(
	command: string,
	args: readonly string[],
	{ purpose, ...options }: CommandOptions,
): Promise<string> {
	const result = await execa(command, args, {
		...options,
		all: true,
		reject: false,
		stdin: 'ignore',
	});
	if (!result.failed) return result.stdout;
	throw new Problem(
		`${purpose} did not work: ${result.shortMessage}\n${lastLines(result.all ?? '')}`,
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
