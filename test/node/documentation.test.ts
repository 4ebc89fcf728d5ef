/** The pages for users name everything that the nodes have. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { RESOURCES } from '../../nodes/WorkspaceData/actions/registry';
import { triggerProperties } from '../../nodes/WorkspaceData/trigger/properties';

const root = resolve(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const filesIn = (folder: string, ending: string): string[] =>
	readdirSync(join(root, folder))
		.filter((file) => file.endsWith(ending))
		.map((file) => `${folder}/${file}`);

/** The cells of all tables of a page, row by row. */
const rowsOf = (page: string): string[][] =>
	[...read(page).matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
		row.split('|').map((cell) => cell.trim()),
	);

/** Whether a new node offers an entry: other conditions show one only where a workflow has it. */
const isOffered = ({ type, displayOptions }: INodeProperties): boolean => {
	const [version = 2] = displayOptions?.show?.['@version'] ?? [];
	const others = Object.keys(displayOptions?.show ?? {}).filter((name) => name !== '@version');
	return type !== 'hidden' && version !== 1 && others.length === 0;
};

/** The entries that a collection offers. */
const entriesOf = ({ type, options = [] }: INodeProperties): INodeProperties[] =>
	type === 'collection' ? (options as INodeProperties[]).filter(isOffered) : [];

const isOptions = ({ name }: INodeProperties): boolean => name === 'options';

const operations = RESOURCES.flatMap((resource) =>
	resource.operations.map(({ name, properties }) => ({
		resource: resource.name,
		name,
		properties: properties as unknown as INodeProperties[],
	})),
);

/** The groups of operations that have an option, as the page names them. */
const GROUPS: Record<string, string[]> = {
	reads: ['Get', 'Get Many', 'Get Page'],
	writes: ['Create', 'Create or Update', 'Sync', 'Update', 'Update Many'],
	deletions: ['Delete', 'Delete Many'],
};

describe('docs/operations.md', () => {
	/** The sections of the operations, by their headings: `Card: Create`. */
	const sections = new Map(
		read('docs/operations.md')
			.split(/^### /m)
			.map((section) => [section.split('\n', 1)[0] ?? '', section.split(/^## /m, 1)[0] ?? '']),
	);

	test.each(operations)(
		'$resource: $name, with its parameters',
		({ resource, name, properties }) => {
			const section = sections.get(`${resource}: ${name}`) ?? '';
			const labels = properties
				.filter((property) => !isOptions(property))
				.filter(({ type }) => type !== 'notice' && type !== 'resourceMapper')
				.flatMap((property) => [property, ...entriesOf(property)])
				.map(({ displayName }) => displayName);
			expect(labels.filter((label) => !section.includes(`**${label}**`))).toEqual([]);
		},
	);

	test('each option of the record operations, and where it is', () => {
		const records = operations
			.filter(({ resource }) => resource === 'Record')
			.sort((a, b) => a.name.localeCompare(b.name));
		const places = new Map<string, string[]>();
		for (const { name, properties } of records) {
			for (const { displayName } of properties.filter(isOptions).flatMap(entriesOf)) {
				places.set(displayName, [...(places.get(displayName) ?? []), name]);
			}
		}
		const [, section = ''] = read('docs/operations.md').split(/^## Options$/m);
		const [entries = ''] = section.replaceAll(/\n(?!\n|- |#)\s*/g, ' ').split(/^## /m);
		const listed = [...entries.matchAll(/^- \*\*([^*]+)\*\* \(([^)]+)\): /gm)].map(
			([, option = '', where = '']): [string, string[]] => [
				option,
				where
					.split(', ')
					.flatMap((name) => GROUPS[name] ?? [name])
					.sort((a, b) => a.localeCompare(b)),
			],
		);
		expect(new Map(listed)).toEqual(places);
	});
});

test('README.md: each operation', () => {
	const first = rowsOf('README.md').map(([cell = '']) => cell);
	const names = operations.map(({ resource, name }) => `${resource}: ${name}`);
	expect(first.filter((cell) => cell.includes(': ')).sort()).toEqual(names.sort());
});

test('docs/trigger.md: each parameter and option of the trigger', () => {
	const known = rowsOf('docs/trigger.md').map(([first]) => first);
	const labels = triggerProperties
		.filter(({ type, name }) => type !== 'notice' && name !== 'authentication')
		.flatMap((property) => (isOptions(property) ? entriesOf(property) : [property]))
		.map(({ displayName }) => displayName);
	expect(labels.filter((label) => !known.includes(label))).toEqual([]);
});

test.each([
	'README.md',
	'service/README.md',
	...filesIn('docs', '.md'),
	...filesIn('docs/adr', '.md'),
])('%s: links lead to files, commands are scripts', (page) => {
	const text = read(page);
	const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);
	const broken = links
		.filter((link) => !/^https?:/.test(link))
		.filter((link) => !existsSync(join(root, dirname(page), link)));
	expect(broken).toEqual([]);
	const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
	const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name);
	expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test.each(filesIn('examples', '.json'))('README.md shows %s', (file) =>
	expect(read('README.md')).toContain(`(${file})`),
);

test.each(filesIn('docs/pictures', '.png'))('a page shows %s', (file) => {
	const inDocs = file.replace(/^docs\//, '');
	const pages = [read('README.md').includes(`"${file}"`)];
	for (const page of filesIn('docs', '.md')) pages.push(read(page).includes(`"${inDocs}"`));
	expect(pages).toContain(true);
});
