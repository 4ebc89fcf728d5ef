import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { idsIn, nameOf, pathOf, readRows } from '../../support/reliabilityPage.mts';
import ReliabilityReporter from '../../support/reliabilityReporter.mts';

const root = resolve(__dirname, '../../..');

/** How many rows each complete part has. */
const PARTS = { A: 24, B: 39, C: 23, D: 28, E: 12, F: 14, G: 15 };

describe('docs/reliability.md', () => {
	const rows = readRows();

	test('has every row once, in order, with its promise', () => {
		const ids = Object.entries(PARTS).flatMap(([part, count]) =>
			Array.from({ length: count }, (_, index) => `${part}${index + 1}`),
		);
		const isCounted = (id: string) => id.charAt(0) in PARTS;
		expect(rows.map(({ id }) => id).filter(isCounted)).toEqual(ids);
		// The other parts list the rows that are held.
		const others = rows.map(({ id }) => id).filter((id) => !isCounted(id));
		const inOrder = [...new Set(others)].sort(
			(a, b) =>
				(a.charAt(0) < b.charAt(0) ? -1 : Number(a.charAt(0) > b.charAt(0))) ||
				Number(a.slice(1)) - Number(b.slice(1)),
		);
		expect(others).toEqual(inOrder);
		expect(rows.filter(({ when, then }) => when === '' || then === '')).toEqual([]);
	});

	test('names files that exist', () => {
		const named = rows.flatMap(({ tests }) => tests);
		expect(named.filter((name) => !existsSync(join(root, pathOf(name))))).toEqual([]);
		expect(named.length).toBeGreaterThan(60);
	});

	test('names a test for each row of parts A and B', () => {
		const bare = rows.filter(({ id, tests }) => /^[AB]/.test(id) && tests.length === 0);
		expect(bare).toEqual([]);
	});
});

test('recognizes names of files, and ids in titles', () => {
	expect(nameOf('/somewhere/test/unit/model/x.test.ts')).toBe('unit/model/x');
	expect(nameOf('/somewhere/test/e2e/rest/x.e2e.test.ts')).toBe('e2e/rest/x');
	expect(pathOf('e2e/rest/x')).toBe('test/e2e/rest/x.e2e.test.ts');
	expect(idsIn('A1–A18: what is verified A17, A18 answers (B3) I1 xB4 B123')).toEqual([
		'A17',
		'A18',
		'B3',
	]);
});

describe('the reporter', () => {
	/** The reporter's complaint after one file with these tests. */
	function complaint(titles: string[], { status = 'passed', testNamePattern = '' } = {}) {
		const reporter = new ReliabilityReporter({ testNamePattern });
		const testResults = titles.map((fullName) => ({ fullName, status }));
		reporter.onTestResult(null, {
			testFilePath: '/x/test/node/triggerDelivery.test.ts',
			testResults,
		});
		const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
		reporter.onRunComplete();
		write.mockRestore();
		return reporter.getLastError()?.message;
	}
	const promised = readRows()
		.filter(({ tests }) => tests.includes('node/triggerDelivery'))
		.map(({ id }) => id);

	test('is content with a test for each row that names the file', () => {
		expect(promised).toContain('A5');
		expect(complaint(promised.map((id) => `${id} holds`))).toBeUndefined();
	});
	test('fails the run when a row is in no name, or its test was skipped', () => {
		const others = promised.filter((id) => id !== 'A5').map((id) => `${id} holds`);
		expect(complaint(others)).toContain('A5: no test of node/triggerDelivery');
		expect(complaint(['A5 holds'], { status: 'pending' })).toContain('A5: no test');
	});
	test('says nothing about runs of some tests of a file', () => {
		expect(complaint(['A5 holds'], { testNamePattern: 'A5' })).toBeUndefined();
	});
});
