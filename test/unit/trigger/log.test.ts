/** The trigger's lines in n8n's log: not too many, and none that silences the others. */
import type { IDataObject } from 'n8n-workflow';
import {
	noWarnings,
	reasonOf,
	warn,
	warnSparingly,
	type LogPlace,
} from '../../../nodes/WorkspaceData/trigger/log';

function logged() {
	const lines: Array<[string, IDataObject]> = [];
	const context = {
		getNode: () => ({ name: 'My Trigger' }),
		getWorkflow: () => ({ id: 'w7' }),
		logger: { warn: (line: string, facts: IDataObject) => lines.push([line, facts]) },
	} as unknown as LogPlace;
	return { context, lines, texts: () => lines.map(([line]) => line) };
}

test('a line names the node, and the workflow beside it', () => {
	const { context, lines } = logged();
	warn(context, 'Something');
	expect(lines).toEqual([['My Trigger: Something', { workflowId: 'w7' }]]);
});

test('a flood is one line a minute, and the next one says how many were left out', () => {
	const { context, texts } = logged();
	const slot = noWarnings();
	for (const at of [0, 1, 30_000, 59_999]) warnSparingly(context, slot, at, 'Late');
	expect(texts()).toEqual(['My Trigger: Late']);
	warnSparingly(context, slot, 60_000, 'Late');
	expect(texts()[1]).toBe('My Trigger: Late (and 3 more since the last warning)');
	warnSparingly(context, slot, 120_000, 'Late');
	expect(texts()[2]).toBe('My Trigger: Late');
	expect(texts()).toHaveLength(3);
});

test('the pause can be longer', () => {
	const { context, texts } = logged();
	const slot = noWarnings();
	for (const at of [0, 60_000, 599_999, 600_000]) {
		warnSparingly(context, slot, at, 'Strain', 600_000);
	}
	expect(texts()).toEqual([
		'My Trigger: Strain',
		'My Trigger: Strain (and 2 more since the last warning)',
	]);
});

test('a clock that is put back does not silence the log', () => {
	const { context, texts } = logged();
	const slot = noWarnings();
	warnSparingly(context, slot, 1_000_000, 'One');
	warnSparingly(context, slot, 999_999, 'Two');
	warnSparingly(context, slot, 999_999, 'Three');
	expect(texts()).toEqual(['My Trigger: One', 'My Trigger: Two']);
});

test('two kinds do not hide each other', () => {
	const { context, texts } = logged();
	warnSparingly(context, noWarnings(), 0, 'One');
	warnSparingly(context, noWarnings(), 0, 'Two');
	expect(texts()).toHaveLength(2);
});

test.each([
	[new Error('No place'), 'No place'],
	['a text', 'a text'],
	[undefined, 'undefined'],
])('the reason of %s in words', (error, reason) => {
	expect(reasonOf(error)).toBe(reason);
});
