/** The forms of the settings page, and the questions before what cannot be undone. */
import { z } from 'zod/v4';
import { roles } from '../foundation/settings.ts';
import { problem } from '../foundation/problem.ts';
import { cardPath, type Notice, type Visit } from './context.ts';

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

const subscriptionOf = ({ data, workspaceId, ids }: Visit) =>
	data.subscriptions.list(workspaceId).find(({ id }) => id === ids.id);

/** All forms but that of a record. */
export const forms: readonly Form[] = [
	{
		path: '/keys',
		run(visit) {
			const { name } = read(nameForm, visit);
			const { apiKey } = visit.data.identities.createKey(visit.workspaceId, name);
			return { text: `The API key "${name}" was created.`, secrets: [['API Key', apiKey]] };
		},
	},
	{
		path: '/accounts',
		run(visit) {
			const account = read(accountForm, visit);
			const { identities } = visit.data;
			const { clientId, clientSecret } = identities.createAccount(visit.workspaceId, account);
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
			const { id } = subscriptionOf(visit) ?? {};
			if (id === undefined || !visit.data.subscriptions.resume(id)) return undefined;
			visit.dispatcher.wake(id);
			return said(`The subscription ${id} is active again.`);
		},
	},
	{
		path: '/keys/:id/revoke',
		ask({ data, workspaceId, ids }) {
			const found = data.identities.keys(workspaceId).find(({ id }) => id === ids.id);
			if (found?.revokedAt !== null) return undefined;
			return {
				question: `Revoke the API key “${found.name}”?`,
				consequence:
					'Every workflow that uses it fails until it has another one. This cannot be undone.',
				button: 'Revoke key',
			};
		},
		run({ data, ids }) {
			data.identities.revokeKey(ids.id);
			return said('The API key was revoked.');
		},
	},
	{
		path: '/accounts/:id/revoke',
		ask({ data, workspaceId, ids }) {
			const found = data.identities.account(ids.id);
			if (found?.revokedAt !== null || found.workspaceId !== workspaceId) return undefined;
			return {
				question: `Revoke the service account “${found.name}”?`,
				consequence:
					'Its tokens stop working at once, and every workflow that uses it fails. This cannot be undone.',
				button: 'Revoke account',
			};
		},
		run({ data, ids }) {
			data.identities.revokeAccount(ids.id);
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
		run({ data, workspaceId, ids }) {
			data.subscriptions.remove(workspaceId, ids.id);
			return said('The subscription was deleted.');
		},
	},
	{
		path: '/records/:cid/:rid/delete',
		ask: ({ data, workspaceId, ids }) => ({
			question: `Delete the record ${data.records.get(workspaceId, ids.cid, ids.rid).id}?`,
			consequence: 'Its values are deleted. This cannot be undone.',
			button: 'Delete record',
		}),
		run({ data, workspaceId, ids }) {
			data.records.remove(workspaceId, ids.cid, ids.rid);
			return said('The record was deleted.');
		},
		next: ({ ids }) => cardPath(ids),
	},
];
