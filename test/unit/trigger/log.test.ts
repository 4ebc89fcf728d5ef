/** The trigger's lines in n8n's log: not too many, and none that silences the others. */
import type { IDataObject } from 'n8n-workflow';
import {
	reasonOf,
	warn,
	warnSparingly,
	type LogPlace,
	type WarningSlot,
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
	const warnings = new Map<string, WarningSlot>();
	for (const at of [0, 1, 30_000, 59_999])
		warnSparingly(context, 'a', 'Late', { warnings, now: at });
	expect(texts()).toEqual(['My Trigger: Late']);
	warnSparingly(context, 'a', 'Late', { warnings, now: 60_000 });
	expect(texts()[1]).toBe('My Trigger: Late (and 3 more since the last warning)');
	warnSparingly(context, 'a', 'Late', { warnings, now: 120_000 });
	expect(texts()[2]).toBe('My Trigger: Late');
	expect(texts()).toHaveLength(3);
});

test('the pause can be longer', () => {
	const { context, texts } = logged();
	const warnings = new Map<string, WarningSlot>();
	for (const at of [0, 60_000, 599_999, 600_000]) {
		warnSparingly(context, 'a', 'Strain', { warnings, now: at, intervalMs: 600_000 });
	}
	expect(texts()).toEqual([
		'My Trigger: Strain',
		'My Trigger: Strain (and 2 more since the last warning)',
	]);
});

test('a clock that is put back does not silence the log', () => {
	const { context, texts } = logged();
	const warnings = new Map<string, WarningSlot>();
	warnSparingly(context, 'a', 'One', { warnings, now: 1_000_000 });
	warnSparingly(context, 'a', 'Two', { warnings, now: 999_999 });
	warnSparingly(context, 'a', 'Three', { warnings, now: 999_999 });
	expect(texts()).toEqual(['My Trigger: One', 'My Trigger: Two']);
});

test('two kinds do not hide each other', () => {
	const { context, texts } = logged();
	const warnings = new Map<string, WarningSlot>();
	warnSparingly(context, 'a', 'One', { warnings, now: 0 });
	warnSparingly(context, 'b', 'Two', { warnings, now: 0 });
	expect(texts()).toHaveLength(2);
});

test.each([
	[new Error('No place'), 'No place'],
	[new Error('P7: no doubled stop.'), 'P7: no doubled stop'],
	['a text', 'a text'],
	[undefined, 'undefined'],
])('the reason of %s in words', (error, reason) => {
	expect(reasonOf(error)).toBe(reason);
});
