/** The forms of the settings page, and the questions before what cannot be undone. */
import { z } from 'zod/v4';
import { roles, tierNames } from '../foundation/settings.ts';
import { problem } from '../http/problem.ts';
import { idsOf, settingsRoot, type Visit } from './context.ts';
import type { Notice } from './sessions.ts';

/** The words of a question. */
export interface Question {
	question: string;
	consequence: string;
	button: string;
}

/** A form: `ask` is the page before it, `run` what it does. Both return undefined if the thing does not exist. */
export interface Form {
	/** Below the settings page; `:id` in it is the thing. */
	path: string;
	ask?(visit: Visit): Question | undefined;
	run(visit: Visit): Notice | undefined;
	/** Where to continue; the settings page if it is missing. */
	next?(visit: Visit): string;
}

const tier = z.enum(['', ...tierNames]).default('');
const nameForm = z.object({ name: z.string().trim().min(1).max(200), tier });
const accountForm = nameForm.extend({ role: z.enum(roles) });

/** Reads a form. @throws ProblemError validation-failed */
function read<S extends z.ZodType>(schema: S, { request }: Visit): z.output<S> {
	const result = schema.safeParse(request.body);
	if (result.success) return result.data;
	throw problem('validation-failed', 'The form is not filled in properly.');
}

const done = (text: string): Notice => ({ text, secrets: [] });

const keyOf = (visit: Visit) => {
	const { data, workspaceId } = visit.context;
	const keys = data.identities.keys(workspaceId);
	return keys.find(({ id, revokedAt }) => id === idsOf(visit).id && revokedAt === null);
};

const accountOf = (visit: Visit) => {
	const { data, workspaceId } = visit.context;
	const { id } = idsOf(visit);
	const account = data.identities.account(id);
	return account?.workspaceId === workspaceId && account.revokedAt === null ? account : undefined;
};

const subscriptionOf = (visit: Visit) => {
	const { data, workspaceId } = visit.context;
	return data.subscriptions.list(workspaceId).find(({ id }) => id === idsOf(visit).id);
};

const keyForms: Form[] = [
	{
		path: '/keys',
		run(visit) {
			const { data, workspaceId } = visit.context;
			const { name, tier: chosen } = read(nameForm, visit);
			const ofKey = chosen === '' ? null : chosen;
			const { apiKey } = data.identities.createKey(workspaceId, name, undefined, ofKey);
			return { text: `The API key "${name}" was created.`, secrets: [['API Key', apiKey]] };
		},
	},
	{
		path: '/keys/:id/revoke',
		ask(visit) {
			const key = keyOf(visit);
			return (
				key && {
					question: `Revoke the API key “${key.name}”?`,
					consequence:
						'Every workflow that uses it fails until it has another one. This cannot be undone.',
					button: 'Revoke key',
				}
			);
		},
		run(visit) {
			const key = keyOf(visit);
			if (!key || !visit.context.data.identities.revokeKey(key.id)) return undefined;
			return done('The API key was revoked.');
		},
	},
];

const accountForms: Form[] = [
	{
		path: '/accounts',
		run(visit) {
			const { data, workspaceId } = visit.context;
			const { tier: chosen, ...given } = read(accountForm, visit);
			const account = { ...given, tier: chosen === '' ? null : chosen };
			const { clientId, clientSecret } = data.identities.createAccount(workspaceId, account);
			return {
				text: `The service account "${given.name}" was created.`,
				secrets: [
					['Client ID', clientId],
					['Client Secret', clientSecret],
				],
			};
		},
	},
	{
		path: '/accounts/:id/revoke',
		ask(visit) {
			const account = accountOf(visit);
			return (
				account && {
					question: `Revoke the service account “${account.name}”?`,
					consequence:
						'Its tokens stop working at once, and every workflow that uses it fails. This cannot be undone.',
					button: 'Revoke account',
				}
			);
		},
		run(visit) {
			const account = accountOf(visit);
			if (!account) return undefined;
			visit.context.data.identities.revokeAccount(account.clientId);
			return done('The service account was revoked. Its tokens no longer work.');
		},
	},
];

const subscriptionForms: Form[] = [
	{
		path: '/subscriptions/:id/resume',
		run(visit) {
			const { data, dispatcher } = visit.context;
			const found = subscriptionOf(visit);
			if (!found || !data.subscriptions.resume(found.id)) return undefined;
			dispatcher.wake(found.id);
			return done(`The subscription ${found.id} is active again.`);
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
		run(visit) {
			const found = subscriptionOf(visit);
			if (!found) return undefined;
			visit.context.data.subscriptions.remove(found.workspaceId, found.id);
			return done(`The subscription ${found.id} was deleted.`);
		},
	},
];

const recordForms: Form[] = [
	{
		path: '/records/:cid/:rid/delete',
		ask(visit) {
			const { data, workspaceId } = visit.context;
			const { cid, rid } = idsOf(visit);
			data.records.get(workspaceId, cid, rid);
			return {
				question: `Delete the record ${rid}?`,
				consequence: 'Its values are deleted. This cannot be undone.',
				button: 'Delete record',
			};
		},
		run(visit) {
			const { cid, rid } = idsOf(visit);
			visit.context.data.records.remove(visit.context.workspaceId, cid, rid);
			return done(`The record ${rid} was deleted.`);
		},
		next: (visit) => `${settingsRoot}/records/${encodeURIComponent(idsOf(visit).cid)}`,
	},
];

/** All forms but that of a record. */
export const forms: readonly Form[] = [
	...keyForms,
	...accountForms,
	...subscriptionForms,
	...recordForms,
];
