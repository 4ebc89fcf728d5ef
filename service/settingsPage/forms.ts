/** The forms of the settings page, and the questions before what cannot be undone. */
import { z } from 'zod/v4';
import { type Account, roles } from '../data/identities.ts';
import { problem } from '../foundation/problem.ts';
import { cardPath, type Notice, type Visit } from './pages.ts';

/** A form: `ask` is the page before it, which returns undefined if the thing doesn't exist; `run` is what it does. */
export interface Form {
	/** Below the settings page; `:id` in it is the thing. */
	path: string;
	ask?(visit: Visit): { question: string; consequence: string; button: string } | undefined;
	run(visit: Visit): Notice | undefined;
	/** Where to continue; the settings if it is missing. */
	next?(visit: Visit): string;
}

const nameForm = z.object({ name: z.string().trim().min(1).max(200) });
const accountForm = nameForm.extend({ role: z.enum(roles) });

/** All forms but that of a record. */
export const forms: readonly Form[] = [
	{
		path: '/keys',
		run(visit) {
			const { name } = read(nameForm, visit);
			const { apiKey } = visit.store.identities.createKey(visit.workspaceId, name);
			return { text: `The API key "${name}" was created.`, secrets: [['API Key', apiKey]] };
		},
	},
	{
		path: '/accounts',
		run(visit) {
			const account = read(accountForm, visit);
			const { identities } = visit.store;
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
			const found = subscriptionOf(visit);
			if (!found || !visit.store.subscriptions.resume(found.id)) return undefined;
			return { text: `The subscription ${found.id} is active again.` };
		},
	},
	{
		path: '/subscriptions/:id/delete',
		ask(visit) {
			const found = subscriptionOf(visit);
			if (!found) return undefined;
			return {
				question: `Delete the subscription ${found.id}?`,
				consequence: `${found.targetUrl} gets no further events, and ${found.pending} waiting deliveries are dropped.`,
				button: 'Delete subscription',
			};
		},
		run({ store, workspaceId, ids }) {
			store.subscriptions.remove(workspaceId, ids.id);
			return { text: 'The subscription was deleted.' };
		},
	},
	{
		path: '/keys/:id/revoke',
		ask({ store, workspaceId, ids }) {
			const found = store.identities.keys(workspaceId).find(({ id }) => id === ids.id);
			return askToRevoke('API key', found, 'Every workflow that uses it fails from then on.');
		},
		run({ store, ids }) {
			store.identities.revokeKey(ids.id);
			return { text: 'The API key was revoked.' };
		},
	},
	{
		path: '/accounts/:id/revoke',
		ask({ store, workspaceId, ids }) {
			const found = store.identities.accounts(workspaceId).find((one) => one.clientId === ids.id);
			return askToRevoke('service account', found, 'Its tokens stop working at once.');
		},
		run({ store, ids }) {
			store.identities.revokeAccount(ids.id);
			return { text: 'The service account was revoked. Its tokens no longer work.' };
		},
	},
	{
		path: '/records/:cid/:rid/delete',
		next: ({ ids }) => cardPath(ids.cid),
		ask: ({ store, workspaceId, ids }) => ({
			question: `Delete the record ${store.records.get(workspaceId, ids.cid, ids.rid).id}?`,
			consequence: 'Its values are deleted. This cannot be undone.',
			button: 'Delete record',
		}),
		run({ store, workspaceId, ids }) {
			store.records.remove(workspaceId, ids.cid, ids.rid);
			return { text: 'The record was deleted.' };
		},
	},
];

/** The question before a key or account is revoked; none if there is no such live one. */
function askToRevoke(
	what: string,
	found: Pick<Account, 'name' | 'revokedAt'> | undefined,
	consequence: string,
) {
	if (found?.revokedAt !== null) return undefined;
	const question = `Revoke the ${what} “${found.name}”?`;
	return { question, consequence: `${consequence} This cannot be undone.`, button: 'Revoke' };
}

/** Reads a form. @throws Problem validation-failed */
function read<S extends z.ZodType>(schema: S, { request }: Visit): z.output<S> {
	const result = schema.safeParse(request.body);
	if (result.success) return result.data;
	throw problem('validation-failed', 'The form is not filled in properly.');
}

const subscriptionOf = ({ store, workspaceId, ids }: Visit) =>
	store.subscriptions.list(workspaceId).find(({ id }) => id === ids.id);
