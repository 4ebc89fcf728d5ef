/** Probes: what they prove, and to whom. */
import fc from 'fast-check';
import {
	isAllSaved,
	isFromOwnNode,
	notSavedMark,
	probeKey,
	readProbe,
	readProbeAnswer,
	readProbeHeader,
	savedProof,
	writeProbe,
	writeProbeHeader,
} from '../../../../nodes/WorkspaceData/model/subscription/proof';
import {
	NO_SUBSCRIPTIONS,
	type RetiredSubscription,
} from '../../../../nodes/WorkspaceData/model/subscription/stored';

const key = probeKey('the credential’s secret');
const body = writeProbe('n1', ['whk_1', 'whk_2']);

test('a probe is read with the nonce of its header only', () => {
	expect(readProbe(body, 'n1')).toEqual(['whk_1', 'whk_2']);
	for (const other of ['n2', undefined, '']) expect(readProbe(body, other)).toBeUndefined();
	for (const text of ['', '{}', '{"probe":"n1"}', '{"probe":"n1","known":[1]}', 'n1']) {
		expect(readProbe(text, 'n1')).toBeUndefined();
	}
	expect(readProbe('{}', undefined)).toBeUndefined();
});

test('the processes of one n8n know each other, and nobody else', () => {
	expect(probeKey('the credential’s secret')).toBe(key);
	expect(Buffer.from(key, 'base64')).toHaveLength(32);
	const header = writeProbeHeader('n1', body, key);
	const read = readProbeHeader(header);
	if (!read) throw new Error('The header cannot be read');
	expect(read.nonce).toBe('n1');
	expect(isFromOwnNode(read, Buffer.from(body), key)).toBe(true);
	expect(isFromOwnNode(read, Buffer.from(body), probeKey('another'))).toBe(false);
	expect(isFromOwnNode(read, Buffer.from(`${body} `), key)).toBe(false);
	expect(isFromOwnNode({ ...read, nonce: 'n2' }, Buffer.from(body), key)).toBe(false);
});

test.each([
	undefined,
	[`n1.${'a'.repeat(64)}`],
	'',
	'n1',
	'.',
	`.${'a'.repeat(64)}`,
	`n1.${'a'.repeat(63)}`,
	`n1.${'a'.repeat(65)}`,
	`n.1.${'a'.repeat(64)}`,
	`n1.${'g'.repeat(64)}`,
])('%j is no header of a probe', (header) => {
	expect(readProbeHeader(header)).toBeUndefined();
});

test('only the proof says saved, only the mark says not saved, and only with their status', () => {
	const answers = {
		confirmed: { status: 200, body: savedProof('n1', 'secret') },
		refused: { status: 401, body: notSavedMark('n1', key) },
	};
	const read = (answer: { status: number; body: unknown }) =>
		readProbeAnswer(answer, 'n1', { secret: 'secret', key });
	expect(read(answers.confirmed)).toBe('confirmed');
	expect(read(answers.refused)).toBe('refused');
	expect(read({ ...answers.confirmed, status: 401 })).toBe('unknown');
	expect(read({ ...answers.refused, status: 200 })).toBe('unknown');
	fc.assert(
		fc.property(fc.constantFrom(200, 401, 404, 500), fc.anything(), (status, other) => {
			expect(read({ status, body: other })).toBe('unknown');
		}),
	);
	const others: Array<[string, string, string]> = [
		['n2', 'secret', key],
		['n1', 'other', key],
	];
	for (const [nonce, secret, own] of others) {
		expect(readProbeAnswer(answers.confirmed, nonce, { secret, key: own })).toBe('unknown');
	}
	const foreign = { secret: 'secret', key: probeKey('another') };
	expect(readProbeAnswer(answers.refused, 'n1', foreign)).toBe('unknown');
	expect(readProbeAnswer(answers.refused, 'n2', { secret: 'secret', key })).toBe('unknown');
});

test('proof and mark of one nonce differ, so neither can be passed off as the other', () => {
	expect(savedProof('n1', key)).not.toBe(notSavedMark('n1', key));
	expect(writeProbeHeader('n1', '', key)).not.toContain(savedProof('n1', key));
});

test('all is saved where no others are saved than the ones named', () => {
	const saved = (...ids: string[]) => ({
		...NO_SUBSCRIPTIONS,
		retired: ids.map((id) => ({ id }) as RetiredSubscription),
	});
	expect(isAllSaved(saved(), [])).toBe(true);
	expect(isAllSaved(saved('a', 'b'), ['b', 'a', 'c'])).toBe(true);
	expect(isAllSaved(saved('a', 'b'), ['a'])).toBe(false);
});
