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

/** What a form takes away, after a question: a key, an account, a subscription or a record. */
interface Removal {
	path: string;
	/** The words of the question; undefined if the thing does not exist. */
	ask: NonNullable<Form['ask']>;
	remove(visit: Visit): void;
	/** Shown afterwards. */
	text: string;
	next?: NonNullable<Form['next']>;
}

const removal = ({ path, ask, remove, text, next }: Removal): Form => ({
	path,
	ask,
	run(visit) {
		if (!ask(visit)) return undefined;
		remove(visit);
		return { text, secrets: [] };
	},
	...(next && { next }),
});

/** The question about something that is found by its ID. */
function about<T>(found: T | undefined, question: (found: T) => Question): Question | undefined {
	return found === undefined ? undefined : question(found);
}

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
			const { name, tier: chosen } = read(nameForm, visit);
			const ofKey = chosen === '' ? null : chosen;
			const { apiKey } = data.identities.createKey(workspaceId, name, undefined, ofKey);
			return { text: `The API key "${name}" was created.`, secrets: [['API Key', apiKey]] };
		},
	},
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
		path: '/subscriptions/:id/resume',
		run(visit) {
			const { data, dispatcher } = visit.context;
			const found = subscriptionOf(visit);
			if (!found || !data.subscriptions.resume(found.id)) return undefined;
			dispatcher.wake(found.id);
			return { text: `The subscription ${found.id} is active again.`, secrets: [] };
		},
	},
	removal({
		path: '/keys/:id/revoke',
		ask(visit) {
			const { data, workspaceId } = visit.context;
			const live = data.identities.keys(workspaceId).filter(({ revokedAt }) => revokedAt === null);
			return about(
				live.find(({ id }) => id === idsOf(visit).id),
				({ name }) => ({
					question: `Revoke the API key “${name}”?`,
					consequence:
						'Every workflow that uses it fails until it has another one. This cannot be undone.',
					button: 'Revoke key',
				}),
			);
		},
		remove: (visit) => visit.context.data.identities.revokeKey(idsOf(visit).id),
		text: 'The API key was revoked.',
	}),
	removal({
		path: '/accounts/:id/revoke',
		ask(visit) {
			const { data, workspaceId } = visit.context;
			const all = data.identities.accounts(workspaceId);
			const live = all.filter(({ revokedAt }) => revokedAt === null);
			return about(
				live.find(({ clientId }) => clientId === idsOf(visit).id),
				({ name }) => ({
					question: `Revoke the service account “${name}”?`,
					consequence:
						'Its tokens stop working at once, and every workflow that uses it fails. This cannot be undone.',
					button: 'Revoke account',
				}),
			);
		},
		remove: (visit) => visit.context.data.identities.revokeAccount(idsOf(visit).id),
		text: 'The service account was revoked. Its tokens no longer work.',
	}),
	removal({
		path: '/subscriptions/:id/delete',
		ask: (visit) =>
			about(subscriptionOf(visit), ({ id, targetUrl, pending }) => ({
				question: `Delete the subscription ${id}?`,
				consequence: `${targetUrl} gets no further events, and ${pending} waiting deliveries are dropped.`,
				button: 'Delete subscription',
			})),
		remove({ context: { data, workspaceId }, ...visit }) {
			data.subscriptions.remove(workspaceId, idsOf(visit).id);
		},
		text: 'The subscription was deleted.',
	}),
	removal({
		path: '/records/:cid/:rid/delete',
		ask(visit) {
			const { data, workspaceId } = visit.context;
			const { cid, rid } = idsOf(visit);
			return about(data.records.get(workspaceId, cid, rid), ({ id }) => ({
				question: `Delete the record ${id}?`,
				consequence: 'Its values are deleted. This cannot be undone.',
				button: 'Delete record',
			}));
		},
		remove({ context: { data, workspaceId }, ...visit }) {
			const { cid, rid } = idsOf(visit);
			data.records.remove(workspaceId, cid, rid);
		},
		text: 'The record was deleted.',
		next: (visit) => `${settingsRoot}/records/${encodeURIComponent(idsOf(visit).cid)}`,
	}),
];
