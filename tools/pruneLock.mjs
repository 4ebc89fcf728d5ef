#!/usr/bin/env node
/**
 * Drops from package-lock.json those optional packages that the writer of the lock did
 * not have (platform binaries of other systems). Without this, `npm ci` refuses the lock with
 * "Missing: … from lock file". Run it after every `npm install` that changes the lock:
 *
 *     node tools/pruneLock.mjs [package-lock.json]
 */
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));

/** Whether `name` resolves from the package at `from`, walking up as Node's resolution does. */
function resolves(from, name) {
	for (
		let folder = from;
		;
		folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
	) {
		const path = `${folder ? `${folder}/` : ''}node_modules/${name}`;
		if (lock.packages[path]?.version) return true;
		if (!folder) return false;
	}
}

let dropped = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
	if (path && entry.optional && !entry.version) {
		delete lock.packages[path];
		continue;
	}
	for (const name of Object.keys(entry.optionalDependencies ?? {})) {
		if (resolves(path, name)) continue;
		delete entry.optionalDependencies[name];
		dropped += 1;
	}
	if (entry.optionalDependencies && Object.keys(entry.optionalDependencies).length === 0) {
		delete entry.optionalDependencies;
	}
}
writeFileSync(file, `${JSON.stringify(lock, null, '\t')}\n`);
process.stdout.write(`dropped ${dropped} optional entries from ${file}\n`);
