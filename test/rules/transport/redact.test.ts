import { redact } from '../../../nodes/WorkspaceData/transport/credential';

const credential = { apiKey: 'Bearer wsd_live_pasted', clientSecret: 'client-secret-1' };
const tokens = [
	'wsd_live_abc',
	's/cr+t=1',
	"pass! w'ord",
	' wsd_live_xyz\n',
	undefined,
	'',
	'the',
	987654321,
	'wsd_live_\u200bhidden',
	'a"quoted\\secret',
	'half\uD800secret',
];

test.each([
	['the secret itself', 'key wsd_live_abc was refused', 'key *** was refused'],
	['whatever follows Bearer', 'auth: Bearer eyJhbGciOi.J9-_x=', 'auth: Bearer ***'],
	['percent-encoded', 'https://x/s%2Fcr%2Bt%3D1', 'https://x/***'],
	['form-encoded', 'client_secret=pass%21+w%27ord', 'client_secret=***'],
	['a key that was pasted with a line end', 'key wsd_live_xyz was refused', 'key *** was refused'],
	["a key that was pasted with 'Bearer '", 'key wsd_live_pasted', 'key ***'],
	['the client secret', 'client_secret=client-secret-1', 'client_secret=***'],
	['a key that is a number', 'key 987654321 was refused', 'key *** was refused'],
	["a key with what can't be seen", 'wsd_live_\u200bhidden', '***'],
	['a secret with half a character', 'half\uD800secret', '***'],
	['the secret of a subscription', '[{"secret": "whsec_1"}]', '[{"secret": "***"}]'],
	['nothing else', 'Bearer of news', 'Bearer of news'],
])('takes out %s', (_, text, clean) => {
	expect(redact(text, credential, tokens)).toBe(clean);
});
