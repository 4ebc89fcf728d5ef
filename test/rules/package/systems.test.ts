import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');

/** The systems that `npm ci`, `npm run build` and the unit tests are meant for. */
const SYSTEMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];

/** Packages with native code that building and testing needs, each with a package for every system. */
const NATIVE = ['@swc/core', 'esbuild', 'unrs-resolver'];

interface Locked {
	os?: string[];
	cpu?: string[];
	integrity?: string;
	optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
	packages: Record<string, Locked | undefined>;
};

/** The packages that `owner` needs and that the lock can install on a system. */
function installable(owner: string, system: string): string[] {
	const [os = '', cpu = ''] = system.split('-');
	return Object.keys(packages[owner]?.optionalDependencies ?? {}).filter((name) => {
		const locked = packages[`node_modules/${name}`];
		return locked?.os?.includes(os) && locked.cpu?.includes(cpu) && locked.integrity;
	});
}

describe.each(SYSTEMS)('on %s', (system) => {
	test.each(NATIVE)('the lock has the native package of %s', (name) => {
		expect(installable(`node_modules/${name}`, system)).not.toEqual([]);
	});
	test('the lock has a Node for the scripts', () => {
		expect(installable('scripts/node', system)).toHaveLength(1);
	});
});
