/** What a message advises after an answer that is not a success. */
import { apiFailure } from '../../../../nodes/WorkspaceData/transport/failure/explain';

const page = '<!DOCTYPE html><html><head><title>Bad gateway</title></head></html>';

function adviceFor(
	status: number,
	body: unknown,
	creates?: string,
	authentication: 'apiKey' | 'serviceAccount' = 'apiKey',
): string {
	const request = { method: creates ? 'POST' : 'GET', ...(creates && { creates }) } as const;
	const origin = { authentication, host: 'data.example.com:443', redact: (text: string) => text };
	return apiFailure({ status, headers: {}, body }, request, origin).advice ?? '';
}

test.each([502, 503, 504])(
	'a web page with status %s: wait, then look at the address (M10)',
	(status) => {
		expect(adviceFor(status, page)).toMatch(/web page.*again later.*'Base URL'/);
	},
);

test('503 in the words of the service: run it again later (M10)', () => {
	expect(adviceFor(503, { title: 'Maintenance' })).toMatch(/again later/);
	expect(adviceFor(503, { title: 'Maintenance' })).not.toContain('web page');
});

test('a create that met 503 may have happened, whatever else is said (M10)', () => {
	expect(adviceFor(503, page, 'record')).toContain('may have been created');
});

test('403: choose an account that may edit (M10)', () => {
	const body = {
		type: 'https://example.com/problems/insufficient-role',
		title: 'Insufficient role',
	};
	expect(adviceFor(403, body)).toMatch(/API key.*choose an account that may edit/);
	expect(adviceFor(403, body, undefined, 'serviceAccount')).toMatch(/role of this service account/);
});

test.each(["'Email' must be unique", 'A record with this Code already exists', 'Duplicate value'])(
	'409 "%s": use Create or Update (M10)',
	(detail) => {
		expect(adviceFor(409, { title: 'Conflict', detail }, 'record')).toContain("'Create or Update'");
		expect(adviceFor(409, { title: 'Conflict', detail }, 'card')).not.toContain(
			"'Create or Update'",
		);
	},
);

test('409 for another reason: the words of the service alone (M10)', () => {
	expect(adviceFor(409, { title: 'Option in use', detail: 'Two records use it' }, 'record')).toBe(
		'',
	);
});
