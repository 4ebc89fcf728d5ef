/**
 * `npm start`: a real n8n with this package, a service to talk to, credentials and example workflows.
 * Ctrl-C stops all of it; the next start finds the data again in .cache/demo.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { stopEverything, stopOnSignals } from '../test/host/cleanup.ts';
import { importExamples } from '../test/host/examples.ts';
import { cacheFolder } from '../test/host/folders.ts';
import { demoSignIn, failureOf } from '../test/host/n8nClient.ts';
import { buildPackage, packPackage } from '../test/host/packageInstall.ts';
import { requireFreePort } from '../test/host/ports.ts';
import { explain, Problem } from '../test/host/problem.ts';
import { openWorkbench, type Workbench } from '../test/host/workbench.ts';
import { keepAccess, readAccess } from './keptAccess.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const folder = join(cacheFolder, 'demo');

const usage = `npm start [-- options]

  --port <number>          of n8n (default 5678)
  --service-port <number>  of the service (default 5688); its token address gets the next one`;

function portOption(name: string, text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_535) return port;
	throw new Problem(`--${name} wants a number between 1 and 65534, not '${text}'.\n\n${usage}`);
}

function readOptions(): { port: number; servicePort: number } | undefined {
	try {
		const { values } = parseArgs({
			options: {
				port: { type: 'string', default: '5678' },
				'service-port': { type: 'string', default: '5688' },
				help: { type: 'boolean', short: 'h', default: false },
			},
		});
		if (values.help) return undefined;
		return {
			port: portOption('port', values.port),
			servicePort: portOption('service-port', values['service-port']),
		};
	} catch (error) {
		if (error instanceof Problem) throw error;
		throw new Problem(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
	}
}

/** Gives the demo workspace its first card and records, by running the examples that make them. */
async function fillWorkspace({ client, credentials }: Workbench): Promise<void> {
	const { workflows, added } = await importExamples(client, credentials);
	const kept = workflows.size - added;
	say(
		`Example workflows: ${added} imported${kept > 0 ? `, ${kept} kept from an earlier start` : ''}`,
	);
	for (const file of ['create-card-with-typed-fields.json', 'import-rows-create-or-update.json']) {
		const workflow = workflows.get(file);
		if (workflow === undefined) throw new Error(`examples/${file} is missing`);
		const earlier = await client.executions(workflow.id);
		if (earlier.some(({ status }) => status === 'success')) continue;
		const execution = await client.run(workflow, 'Start');
		if (execution.status !== 'success') {
			throw new Error(`The example '${workflow.name}' did not run: ${failureOf(execution)}`);
		}
		say(`Ran '${workflow.name}'`);
	}
}

async function main(): Promise<void> {
	const options = readOptions();
	if (options === undefined) {
		say(usage);
		await end(0);
		return;
	}
	const { port, servicePort } = options;
	const authPort = servicePort + 1;
	await requireFreePort(port, 'n8n', '--port');
	await requireFreePort(servicePort, 'the service', '--service-port');
	await requireFreePort(authPort, "the service's token address", '--service-port');

	say('Building the package …');
	await buildPackage();
	const tarball = await packPackage();
	const accessFile = join(folder, 'access.json');
	const bench = await openWorkbench({
		major: 2,
		userFolder: join(folder, 'n8n'),
		port,
		tarball,
		service: {
			port: servicePort,
			authPort,
			file: join(folder, 'service.sqlite'),
			access: await readAccess(accessFile),
		},
		tell: say,
	});
	await keepAccess(accessFile, bench.service);
	await fillWorkspace(bench);

	const { host, service } = bench;
	say(`
n8n        ${host.baseUrl}
sign-in    ${demoSignIn.email}  ${demoSignIn.password}
Base URL        ${service.baseUrl}
Workspace ID    ${service.workspaceId}
API Key         ${service.apiKey}
Auth URL        ${service.authUrl}
Realm           ${service.realm}
Client ID       ${service.clientId}
Client Secret   ${service.clientSecret}
records    ${service.settingsUrl}/records  (add, change and delete records)
settings   ${service.settingsUrl}  (password ${service.settingsPassword})
data       ${folder}  (delete it to start afresh)
log        ${join(host.userFolder, 'n8n.log')}

Next steps
  1. Open n8n and sign in; the example workflows are in the list, their credentials are attached.
  2. Execute 'List and filter records': records come with the names of their fields.
  3. Publish 'React to record changes', then execute 'Work as a service account'; look at the executions.
  4. Add a field to the card, or rename one, and execute again: values that are mapped by hand still arrive.
     Items that are mapped automatically, conditions, and expressions that read the field need the new name.

Ctrl-C stops n8n and the service.`);

	// Should one of the two end by itself, the rest is of no use.
	const ended = await Promise.race([
		host.ended().then(() => 'n8n'),
		service.ended.then(() => 'The service'),
	]);
	if (stopping) return;
	const last = ended === 'n8n' ? await host.log() : service.log();
	throw new Problem(
		`${ended} ended by itself:\n${last.trimEnd().split('\n').slice(-20).join('\n')}`,
	);
}

let stopping = false;

async function end(code: number): Promise<void> {
	stopping = true;
	await stopEverything();
	process.exit(code);
}

stopOnSignals(() => {
	stopping = true;
	say('\nStopping n8n and the service …');
	return 0;
});
main().catch(async (error: unknown) => {
	if (stopping) return;
	process.stderr.write(`\n${explain(error)}\n`);
	await end(1);
});
