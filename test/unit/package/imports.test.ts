import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../../..');

/** Where a file belongs: the folder that the rules are about. */
function partOf(file: string): string {
	const path = relative(root, file).replaceAll('\\', '/');
	if (/^nodes\/WorkspaceData\/[^/]+\.node(\.ts)?$/.test(path)) return 'node';
	if (path.startsWith('test/host/')) return 'host';
	return /^nodes\/WorkspaceData\/([^/]+)\//.exec(path)?.[1] ?? path.split('/')[0] ?? '';
}

/** The imports that each part may have in addition to its own files: parts, and packages. */
const ARROWS: Record<string, { parts: string[]; packages: string[] }> = {
	node: { parts: ['actions', 'trigger', 'editor', 'ui'], packages: ['n8n-workflow'] },
	actions: { parts: ['transport', 'model', 'ui'], packages: ['n8n-workflow', 'zod/v3'] },
	trigger: {
		parts: ['transport', 'model', 'ui'],
		packages: ['n8n-workflow', 'zod/v3', 'node:crypto'],
	},
	editor: { parts: ['transport', 'model', 'ui'], packages: ['n8n-workflow', 'zod/v3'] },
	transport: { parts: ['model'], packages: ['n8n-workflow', 'zod/v3', 'luxon', 'node:crypto'] },
	model: { parts: [], packages: ['zod/v3', 'node:crypto'] },
	ui: { parts: [], packages: [] },
	credentials: { parts: ['transport'], packages: [] },
};

interface Import {
	from: string;
	file: string;
	typeOnly: boolean;
}

/** All imports and re-exports of a file, as the compiler sees them. */
function importsOf(file: string): Import[] {
	const source = ts.createSourceFile(
		file,
		readFileSync(file, 'utf8'),
		ts.ScriptTarget.Latest,
		true,
	);
	const found: Import[] = [];
	const visit = (node: ts.Node): void => {
		const isStatement = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
		if (isStatement && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
			const typeOnly = ts.isImportDeclaration(node)
				? node.importClause?.isTypeOnly === true
				: node.isTypeOnly;
			found.push({ file, from: node.moduleSpecifier.text, typeOnly });
		} else if (ts.isCallExpression(node)) {
			const dynamic =
				node.expression.kind === ts.SyntaxKind.ImportKeyword ||
				(ts.isIdentifier(node.expression) && node.expression.text === 'require');
			const [name] = node.arguments;
			if (dynamic) found.push({ file, from: name?.getText(source) ?? '?', typeOnly: false });
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

const files = (pattern: string): string[] =>
	globSync(pattern, { cwd: root })
		.map((path) => join(root, path))
		.filter((path) => !path.includes('node_modules'));

const show = ({ file, from }: Import): string => `${relative(root, file)} → ${from}`;

test('the published code imports in the directions of the house only', () => {
	const all = files('{nodes,credentials}/**/*.ts').flatMap(importsOf);
	const wrong = all.filter(({ file, from, typeOnly }) => {
		const part = partOf(file);
		const rule = ARROWS[part];
		if (!rule) return true;
		if (!from.startsWith('.')) {
			// n8n's types say nothing at run time.
			return !rule.packages.includes(from) && !(typeOnly && from === 'n8n-workflow');
		}
		const target = partOf(resolve(dirname(file), from));
		return target !== part && !rule.parts.includes(target);
	});
	expect(wrong.map(show)).toEqual([]);
	expect(all.length).toBeGreaterThan(100);
});

test('the service and the published code share no code', () => {
	const across = [
		...files('service/**/*.ts')
			.flatMap(importsOf)
			.filter(({ from }) => /nodes\/|credentials\//.test(from)),
		...files('{nodes,credentials}/**/*.ts')
			.flatMap(importsOf)
			.filter(({ from }) => /(?:^|\/)service(?:\/|$)/.test(from)),
	];
	expect(across.map(show)).toEqual([]);
});

test('nothing outside the tests imports from them', () => {
	const wrong = files('{nodes,credentials,service}/**/*.ts')
		.flatMap(importsOf)
		.filter(({ from }) => from.startsWith('.') && /(^|\/)(test|scripts|tools)\//.test(from));
	expect(wrong.map(show)).toEqual([]);
});

test('host imports nothing of the demo, the tests and the benchmarks, which use it', () => {
	const all = files('test/host/*.ts').flatMap(importsOf);
	const wrong = all.filter(
		({ file, from, typeOnly }) =>
			from.startsWith('.') &&
			partOf(resolve(dirname(file), from)) !== 'host' &&
			// The first line that the service prints, by its type.
			!(typeOnly && partOf(resolve(dirname(file), from)) === 'service'),
	);
	expect(wrong.map(show)).toEqual([]);
	expect(all.length).toBeGreaterThan(50);
});
