/** `npm run service`: starts the reference service from the command line; see README.md. */
import { CommanderError } from 'commander';
import { explain, readCommandLine, tell, whenAskedToStop } from './commandLine.ts';

function read() {
	try {
		return readCommandLine(process.argv.slice(2));
	} catch (error) {
		// What is wrong has been written.
		if (error instanceof CommanderError) process.exit(error.exitCode);
		throw error;
	}
}

const { options, json, exitWithParent } = read();
// Only now, as it takes most of the start: a wrong option is told at once.
const { startService } = await import('./index.ts');
const service = await startService(options).catch((error: unknown) => {
	process.stderr.write(`${explain(error, options.file)}\n`);
	process.exit(1);
});
whenAskedToStop(exitWithParent, () => {
	void service.close().then(() => process.exit(0));
});
// Last, as whoever reads the addresses may stop the service at once.
process.stdout.write(tell(service, json));
