import { redact } from '../../../nodes/WorkspaceData/model/redact';

test.each([
	['the secret itself', 'key wsd_live_abc was refused', 'key *** was refused'],
	['every occurrence', 'wsd_live_abc wsd_live_abc', '*** ***'],
	['percent-encoded', 'client_secret=s%2Fcr%2Bt%3D1', 'client_secret=***'],
	[
		'whatever follows Bearer',
		'Authorization: Bearer eyJhbGciOi.J9-_x=',
		'Authorization: Bearer ***',
	],
	['nothing else', 'Bearer of news', 'Bearer of news'],
])('takes out %s', (_, text, clean) => {
	expect(redact(text, ['wsd_live_abc', 's/cr+t=1', undefined, '', 'the'])).toBe(clean);
});
