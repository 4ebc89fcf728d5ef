/** The forms of the settings page, and the questions before what cannot be undone. */
import { z } from 'zod/v4';
import { roles } from '../foundation/settings.ts';
import { problem } from '../foundation/problem.ts';
import { idsOf, settingsRoot, type Visit } from './context.ts';
import type { Notice } from './sessions.ts';

/** The words of a question. */
export interface Question {
	question: string;
	consequence: string;
	button: string;
}

/** A form: `ask` is the page before it, which returns undefined if the thing doesn't exist; `run` is what it does. */
export interface Form {
	/** Below the settings page; `:id` in it is the thing. */
	path: string;
	ask?(visit: Visit): Question | undefined;
	run(visit: Visit): Notice | undefined;
	/** Where to continue; the settings page if it is missing. */
	next?(visit: Visit): string;
}

const nameForm = z.object({ name: z.string().trim().min(1).max(200) });
const accountForm = nameForm.extend({ role: z.enum(roles) });

/** Reads a form. @throws ProblemError validation-failed */
function read<S extends z.ZodType>(schema: S, { request }: Visit): z.output<S> {
	const result = schema.safeParse(request.body);
	if (result.success) return result.data;
	throw problem('validation-failed', 'The form is not filled in properly.');
}

const said = (text: string): Notice => ({ text, secrets: [] });

const subscriptionOf = (visit: Visit) => {
	const { data, workspaceId } = visit.context;
	return data.subscriptions.list(workspaceId).find(({ id }) => id === idsOf(visit).id);
};

/** All forms but that of a record. */
export const forms: readonly Form[] = [
	{
		path: '/keys',
		run(visit) {
			const { data, workspaceId } = visit.context;
			const { name } = read(nameForm, visit);
			const { apiKey } = data.identities.createKey(workspaceId, name);
			return { text: `The API key "${name}" was created.`, secrets: [['API Key', apiKey]] };
		},
	},
	{
		path: '/accounts',
		run(visit) {
			const { data, workspaceId } = visit.context;
			const account = read(accountForm, visit);
			const { clientId, clientSecret } = data.identities.createAccount(workspaceId, account);
			return {
				text: `The service account "${account.name}" was created.`,
				secrets: [
					['Client ID', clientId],
					['Client Secret', clientSecret],
				],
			};
		},
	},
	{
		path: '/subscriptions/:id/resume',
		run(visit) {
			const { data, dispatcher } = visit.context;
			const found = subscriptionOf(visit);
			if (!found || !data.subscriptions.resume(found.id)) return undefined;
			dispatcher.wake(found.id);
			return said(`The subscription ${found.id} is active again.`);
		},
	},
	{
		path: '/keys/:id/revoke',
		ask(visit) {
			const { data, workspaceId } = visit.context;
			const found = data.identities.keys(workspaceId).find(({ id }) => id === idsOf(visit).id);
			if (found?.revokedAt !== null) return undefined;
			return {
				question: `Revoke the API key “${found.name}”?`,
				consequence:
					'Every workflow that uses it fails until it has another one. This cannot be undone.',
				button: 'Revoke key',
			};
		},
		run(visit) {
			visit.context.data.identities.revokeKey(idsOf(visit).id);
			return said('The API key was revoked.');
		},
	},
	{
		path: '/accounts/:id/revoke',
		ask(visit) {
			const { data, workspaceId } = visit.context;
			const found = data.identities.account(idsOf(visit).id);
			if (found?.revokedAt !== null || found.workspaceId !== workspaceId) return undefined;
			return {
				question: `Revoke the service account “${found.name}”?`,
				consequence:
					'Its tokens stop working at once, and every workflow that uses it fails. This cannot be undone.',
				button: 'Revoke account',
			};
		},
		run(visit) {
			visit.context.data.identities.revokeAccount(idsOf(visit).id);
			return said('The service account was revoked. Its tokens no longer work.');
		},
	},
	{
		path: '/subscriptions/:id/delete',
		ask(visit) {
			const found = subscriptionOf(visit);
			return (
				found && {
					question: `Delete the subscription ${found.id}?`,
					consequence: `${found.targetUrl} gets no further events, and ${found.pending} waiting deliveries are dropped.`,
					button: 'Delete subscription',
				}
			);
		},
		run({ context: { data, workspaceId }, ...visit }) {
			data.subscriptions.remove(workspaceId, idsOf(visit).id);
			return said('The subscription was deleted.');
		},
	},
	{
		path: '/records/:cid/:rid/delete',
		ask(visit) {
			const { data, workspaceId } = visit.context;
			const { cid, rid } = idsOf(visit);
			return {
				question: `Delete the record ${data.records.get(workspaceId, cid, rid).id}?`,
				consequence: 'Its values are deleted. This cannot be undone.',
				button: 'Delete record',
			};
		},
		run({ context: { data, workspaceId }, ...visit }) {
			const { cid, rid } = idsOf(visit);
			data.records.remove(workspaceId, cid, rid);
			return said('The record was deleted.');
		},
		next: (visit) => `${settingsRoot}/records/${encodeURIComponent(idsOf(visit).cid)}`,
	},
];
