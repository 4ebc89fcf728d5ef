/** Loads every node and credential of the n8n in the current folder, as n8n does when one is used. Prints what cannot be loaded. */
const { dirname, join } = require('node:path');

const failures = [];
for (const name of ['n8n-nodes-base', '@n8n/n8n-nodes-langchain']) {
	const manifest = require.resolve(`${name}/package.json`, { paths: [process.cwd()] });
	const { n8n } = require(manifest);
	for (const file of [...n8n.nodes, ...n8n.credentials]) {
		try {
			require(join(dirname(manifest), file));
		} catch (error) {
			failures.push(`${file}: ${String(error.message).split('\n')[0]}`);
		}
	}
}
process.stdout.write(failures.join('\n'));
// Some of them keep timers or connections open.
process.exit(failures.length > 0 ? 1 : 0);
