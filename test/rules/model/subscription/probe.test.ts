/** Probes: what they prove, and to whom. */
import fc from 'fast-check';
import {
	answerProbe,
	PROBE_HEADER,
	writeProbe,
} from '../../../../nodes/WorkspaceData/model/subscription/probe';

const SECRET = 'the secret of the credential';

/** The answer that a probe about `asked` gets where `saved` is saved. */
function answered(asked: string, saved: string, secret = SECRET) {
	const probe = writeProbe(asked, SECRET);
	const header = probe.headers[PROBE_HEADER];
	const response = answerProbe(Buffer.from(probe.body), header, saved, secret);
	return response && probe.read({ status: response.status, body: response.text });
}

test('says whether the mark is saved', () => {
	expect(answered('m1', 'm1')).toBe('yes');
	expect(answered('m1', 'm2')).toBe('no');
	expect(answered('m1', '')).toBe('no');
	// Nothing was saved with a mark before this version.
	expect(answered('', '')).toBe('no');
});

test('is no probe for a process with another credential', () => {
	expect(answered('m1', 'm1', 'another')).toBeUndefined();
});

test('carries neither the secret nor what it was made of', () => {
	const { body, headers } = writeProbe('m1', SECRET);
	expect(body + JSON.stringify(headers)).not.toContain(SECRET);
});

test('one that was changed is no probe', () => {
	const { body, headers } = writeProbe('m1', SECRET);
	const header = headers[PROBE_HEADER];
	const sent = (text: string, by: unknown) => answerProbe(Buffer.from(text), by, 'm1', SECRET);
	expect(sent(body.replace('m1', 'm2'), header)).toBeUndefined();
	expect(
		sent(
			body,
			header.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a')),
		),
	).toBeUndefined();
	for (const by of [undefined, '', '1', `1.${'a'.repeat(64)}`, `${header}0`]) {
		expect(sent(body, by)).toBeUndefined();
	}
});

test('any other response says nothing', () => {
	const probe = writeProbe('m1', SECRET);
	const other = writeProbe('m1', SECRET);
	const right = answerProbe(Buffer.from(other.body), other.headers[PROBE_HEADER], 'm1', SECRET);
	const bodies = fc.oneof(fc.string(), fc.constant(right?.text), fc.constant(probe.body));
	fc.assert(
		fc.property(fc.constantFrom(200, 204, 401, 404, 500), bodies, (status, body) => {
			expect(probe.read({ status, body })).toBe('none');
		}),
	);
});
