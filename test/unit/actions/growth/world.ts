/** A service with one card that gets fields and choices, and what a run plans for it. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { PlannedField } from '../../../../nodes/WorkspaceData/actions/growth/newFields';
import { createRun, type Run } from '../../../../nodes/WorkspaceData/actions/run/run';
import type { Write } from '../../../../nodes/WorkspaceData/actions/writing/valueConversion';
import { createWriter } from '../../../../nodes/WorkspaceData/actions/writing/writer';
import { ApiFailure } from '../../../../nodes/WorkspaceData/transport/failure/failures';
import type { ApiRequest } from '../../../../nodes/WorkspaceData/transport/request';
import { scriptedApi } from '../../../support/scriptedApi';

export const card = { id: 'c1', name: 'Books' };

export interface Kept {
	id: string;
	name: string;
	type: string;
	options?: string[];
}

let services = 0;

/** A service with one card. `refuse` may throw before a request is carried out, `lose` after it. */
export function world(initial: Kept[] = [], types?: string[]) {
	const fields: Kept[] = initial.map((field) => ({ ...field }));
	const hooks: { refuse(request: ApiRequest): void; lose(request: ApiRequest): void } = {
		refuse: () => {},
		lose: () => {},
	};
	function carryOut({ method, path, body }: ApiRequest): unknown {
		if (String(path[0]).startsWith('openapi')) {
			if (!types) throw new ApiFailure({ status: 404, title: 'No' });
			const type = { enum: types };
			return { components: { schemas: { Field: { properties: { type } } } } };
		}
		const last = path.at(-1);
		if (method === 'GET') return { fields };
		const given = body as unknown as Kept;
		if (method === 'POST') {
			const made = { ...given, id: `new${fields.length}` };
			fields.push(made);
			return made;
		}
		const changed = fields.find(({ id }) => typeof last === 'object' && id === last.value);
		return Object.assign(changed ?? {}, given);
	}
	const api = scriptedApi(
		(request) => {
			hooks.refuse(request);
			const body = carryOut(request);
			hooks.lose(request);
			return { body };
		},
		{ redact: (text) => text, baseUrl: `https://data${(services += 1)}.example.com/api/v1` },
	);
	const hints: string[] = [];
	const context = {
		getInputData: () => [{ json: {} }, { json: {} }],
		getExecutionCancelSignal: () => undefined,
		addExecutionHints: ({ message }: { message: string }) => hints.push(message),
		getTimezone: () => 'UTC',
	} as unknown as IExecuteFunctions;
	const own = { ...api, halted: new AbortController().signal };
	const run = createRun(context, own, async () => {});
	const sent = (method: string) =>
		api.sent.filter((request) => request.method === method).map(({ body }) => body);
	return { run, fields, hooks, hints, sent, api };
}
export const plan = (
	name: string,
	type = 'text',
	more: Partial<PlannedField> = {},
): PlannedField => ({
	name,
	type,
	why: 'because',
	textType: 'text',
	...more,
});

export const writeOf = (
	values: Record<string, unknown>,
	options: Write['options'] = {},
): Omit<Write, 'run' | 'writer'> => ({
	card,
	columns: {
		entries: Object.entries(values),
		matchingKeys: [],
		label: 'Values',
		hints: new Map(),
	},
	options,
	request: {},
	skipsUnchanged: true,
});

/** The write of an item of a run. */
export const itemOf = (run: Run, isDry: boolean, ...values: Parameters<typeof writeOf>): Write => ({
	...writeOf(...values),
	run,
	writer: createWriter(run, card, {}, isDry),
});
