/** The forms of the settings page: keys, accounts, subscriptions; and the questions before what cannot be undone. */
import { z } from 'zod/v4';
import { tierNames } from '../foundation/tiers.ts';
import { problem } from '../http/problem.ts';
import { roles } from '../storage/accounts.ts';
import type { SettingsContext } from './context.ts';
import type { Question } from './page.ts';
import type { Notice } from './sessions.ts';

/** Runs a form, given the ID in its path and its fields. @returns the notice for the next page */
export type FormAction = (id: string, body: unknown) => Notice | undefined;
/** The words of a question; undefined where there is nothing to ask about. */
export type Asked = Pick<Question, 'question' | 'consequence' | 'button'>;

/** The forms of one kind of thing, by path. `:id` in a path is the thing. */
export interface Forms {
	actions: Record<string, FormAction>;
	questions: Record<string, (id: string) => Asked | undefined>;
}

const tier = z.enum(['', ...tierNames]).default('');
const nameForm = z.object({ name: z.string().trim().min(1).max(200), tier });
const accountForm = nameForm.extend({ role: z.enum(roles) });

/** Reads a form. @throws ProblemError validation-failed */
function read<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
	const result = schema.safeParse(body);
	if (result.success) return result.data;
	throw problem('validation-failed', 'The form is not filled in properly.');
}

const done = (text: string): Notice => ({ text, secrets: [] });

/** Forms about API keys. */
export function keyForms({ store: { identities }, workspaceId }: SettingsContext): Forms {
	const find = (id: string) =>
		identities.keys(workspaceId).find((key) => key.id === id && key.revokedAt === null);
	return {
		actions: {
			'/keys'(_id, body) {
				const { name, tier: chosen } = read(nameForm, body);
				const ofKey = chosen === '' ? null : chosen;
				const { apiKey } = identities.createKey(workspaceId, name, undefined, ofKey);
				return { text: `The API key "${name}" was created.`, secrets: [['API Key', apiKey]] };
			},
			'/keys/:id/revoke'(id) {
				if (!find(id) || !identities.revokeKey(id)) return undefined;
				return done('The API key was revoked.');
			},
		},
		questions: {
			'/keys/:id/revoke'(id) {
				const key = find(id);
				return (
					key && {
						question: `Revoke the API key “${key.name}”?`,
						consequence:
							'Every workflow that uses it fails until it has another one. This cannot be undone.',
						button: 'Revoke key',
					}
				);
			},
		},
	};
}

/** Forms about service accounts. */
export function accountForms({ store: { identities }, workspaceId }: SettingsContext): Forms {
	const find = (id: string) =>
		identities
			.accounts(workspaceId)
			.find(({ clientId, revokedAt }) => clientId === id && revokedAt === null);
	return {
		actions: {
			'/accounts'(_id, body) {
				const { name, role, tier: chosen } = read(accountForm, body);
				const ofAccount = chosen === '' ? null : chosen;
				const { clientId, clientSecret } = identities.createAccount(
					...([workspaceId, name, role, undefined, undefined, ofAccount] as const),
				);
				return {
					text: `The service account "${name}" was created.`,
					secrets: [
						['Client ID', clientId],
						['Client Secret', clientSecret],
					],
				};
			},
			'/accounts/:id/revoke'(id) {
				if (!find(id) || !identities.revokeAccount(id)) return undefined;
				return done('The service account was revoked. Its tokens no longer work.');
			},
		},
		questions: {
			'/accounts/:id/revoke'(id) {
				const account = find(id);
				return (
					account && {
						question: `Revoke the service account “${account.name}”?`,
						consequence:
							'Its tokens stop working at once, and every workflow that uses it fails. This cannot be undone.',
						button: 'Revoke account',
					}
				);
			},
		},
	};
}

/** Forms about webhook subscriptions. */
export function subscriptionForms({ data, workspaceId }: SettingsContext): Forms {
	const find = (id: string) =>
		data.subscriptions.list(workspaceId).find((subscription) => subscription.id === id);
	return {
		actions: {
			'/subscriptions/:id/resume'(id) {
				if (!find(id) || !data.subscriptions.resume(id)) return undefined;
				return done(`The subscription ${id} is active again.`);
			},
			'/subscriptions/:id/delete'(id) {
				if (!find(id)) return undefined;
				data.subscriptions.remove(workspaceId, id);
				return done(`The subscription ${id} was deleted.`);
			},
		},
		questions: {
			'/subscriptions/:id/delete'(id) {
				const found = find(id);
				return (
					found && {
						question: `Delete the subscription ${id}?`,
						consequence: `${found.targetUrl} gets no further events, and ${found.pending} waiting deliveries are dropped.`,
						button: 'Delete subscription',
					}
				);
			},
		},
	};
}
