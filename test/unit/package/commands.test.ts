/** Every command in the pages: who runs it, so that none is wrong for long. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Files that run a command, and the words in them that do; by how the command begins, in pages or in code. */
const RUN_BY: Record<string, readonly [file: string, words: string]> = {
	'npm ci': ['.ci/run', 'npm ci'],
	'npm test': ['.ci/run', 'step npm test'],
	'npm run scan': ['.ci/run', 'step npm run scan'],
	'npm run test:package': ['.ci/run', 'npm run test:package'],
	'npm run demo': ['.ci/run', 'npm run demo'],
	'npm run test:e2e': ['.ci/run', 'npm run test:e2e'],
	'QUEUE_RECORDS=5000 npm run test:e2e': ['.ci/run', 'npm run test:e2e'],
	'.ci/run': ['.github/workflows/ci.yml', 'run: .ci/run'],
	'npm run build': ['package.json', 'npm run build &&'],
	'npm run jest': ['package.json', 'npm run jest"'],
	'FAST_CHECK_TIMES=10 npm run jest': ['test/support/cases.ts', 'FAST_CHECK_TIMES'],
	'npm run lint': ['package.json', 'npm run lint &&'],
	'npm run release:check': ['test/package/publication.test.ts', "'release:check'"],
	'npm publish --ignore-scripts=false': ['test/package/publication.test.ts', "'publish'"],
	'npm run --silent service': ['service/test/commandLine.ts', '../main.ts'],
	'npm run worlds': ['jest.config.js', "'worlds'"],
	'ESLINT_FLAGS=unstable_config_lookup_from_file npx n8n-node lint': [
		'package.json',
		'n8n-node lint',
	],
};

/** What only people run, and why. */
const BY_HAND: Record<string, string> = {
	'npm start': 'until somebody stops it; npm run demo does the same unattended',
	'npm run dev': 'until somebody stops it',
	'npm run bench': '20 minutes on a machine without other load',
	'npm run --silent bench': '20 minutes on a machine without other load',
	'npm run soak': 'half an hour',
	'npm run mutate': 'hours; installs Stryker',
	'npm login': 'needs an account of npm',
	'npm version': 'makes a release',
	'git push --follow-tags': 'makes a release',
	'npm audit signatures': 'needs a published version',
	'npm install --save-dev': 'changes the dependencies',
	'npm run jest -- -t C8': 'an example of a row',
};

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'service/README.md'];

/** The commands of a page: the lines of shell blocks, and code in the text that begins with a program. */
function commandsOf(page: string): string[] {
	const text = read(page);
	const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
		block.split('\n').map((line) => line.replace(/\s+#.*/, '').trim()),
	);
	const inline = [...text.matchAll(/(?<!`)`((?:[A-Z_]+=\S+ )?(?:npm|npx|git|\.ci\/run)[^`]*)`/g)];
	return [...blocks, ...inline.map(([, code = '']) => code)]
		.flatMap((line) => line.split(' && '))
		.filter((command) => command !== '' && command !== 'npm');
}

const begins = (command: string, known: string): boolean =>
	command === known || command.startsWith(`${known} `) || command.startsWith(`${known}:`);

const pages = [...PAGES, ...globSync('docs/*.md', { cwd: root })];

test('every command in the pages is run by a test or by CI, or says why people run it', () => {
	const known = [...Object.keys(RUN_BY), ...Object.keys(BY_HAND)];
	const unknown = pages.flatMap((page) =>
		commandsOf(page)
			.filter((command) => !known.some((one) => begins(command, one)))
			.map((command) => `${page}: ${command}`),
	);
	expect(unknown).toEqual([]);
	expect(pages.flatMap(commandsOf).length).toBeGreaterThan(30);
});

test('who is said to run a command does', () => {
	const wrong = Object.entries(RUN_BY).filter(([, [file, words]]) => !read(file).includes(words));
	expect(wrong).toEqual([]);
	const all = pages.flatMap(commandsOf);
	const gone = [...Object.keys(RUN_BY), ...Object.keys(BY_HAND)].filter(
		(known) => !all.some((command) => begins(command, known)),
	);
	expect(gone).toEqual([]);
});

test('every script of package.json is in the pages, or part of one that is', () => {
	const texts = pages.map(read).join('\n');
	const parts = ['lint:strict', 'lint:layout', 'lint:prose', 'prepublishOnly', 'release', 'format'];
	const unnamed = Object.keys(scripts).filter(
		(name) =>
			!parts.includes(name) && !new RegExp(`npm (?:run )?(?:--silent )?${name}\\b`).test(texts),
	);
	expect(unnamed).toEqual([]);
});
