/** The request for an access token, as n8n's HTTP client carries it out. */
import type { IHttpRequestOptions } from 'n8n-workflow';
import { AccessTokenError } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import { requestAccessToken } from '../../../../nodes/WorkspaceData/transport/auth/tokenRequest';

const credential = {
	authUrl: 'https://auth.example.com',
	realm: 'main',
	clientId: 'me',
	clientSecret: 'shh',
};

/** n8n gives the body alone, and throws for a refusal, unless it is told otherwise. */
const n8nAnswers = (statusCode: number, body: object) => async (options: IHttpRequestOptions) => {
	if (statusCode >= 300 && !options.ignoreHttpStatusErrors) throw new Error('Refused');
	return options.returnFullResponse ? { statusCode, headers: {}, body } : body;
};

test('a token and its lifetime are read', async () => {
	const send = n8nAnswers(200, { access_token: 'token', expires_in: 60 });
	expect(await requestAccessToken(credential, send)).toEqual({
		access_token: 'token',
		expires_in: 60,
	});
});

test('a refusal is told as what it is, with the words of the auth server', async () => {
	const send = n8nAnswers(401, { error: 'invalid_client', error_description: 'Unknown client' });
	const outcome = await requestAccessToken(credential, send);
	expect(outcome).toBeInstanceOf(AccessTokenError);
	expect(outcome).toMatchObject({
		message: 'The service account was not accepted',
		description: expect.stringContaining('Unknown client'),
		transient: false,
	});
});
