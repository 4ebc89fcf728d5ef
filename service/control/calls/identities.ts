/** Calls about who may call: keys, accounts, workspaces. */
import { z } from 'zod/v4';
import { roles } from '../../foundation/settings.ts';
import type { ControlContext } from '../context.ts';
import { call } from './call.ts';

const account = z.strictObject({ clientId: z.string() });

/** Makes the calls. */
export function identityCalls({ data: { identities }, workspaceId: own }: ControlContext) {
	return {
		/** Makes an API key for a workspace, the service's own unless another is named. */
		createKey: call(
			z
				.strictObject({
					name: z.string().default('key'),
					workspaceId: z.string().default(own),
				})
				.prefault({}),
			(input) => identities.createKey(input.workspaceId, input.name),
		),
		/** Revokes an API key. @returns whether there was such a live key */
		revokeKey: call(z.strictObject({ apiKey: z.string() }), ({ apiKey }) => {
			const key = identities.findKey(apiKey);
			return { revoked: key !== undefined && identities.revokeKey(key.id) };
		}),
		/** Makes a service account. */
		createAccount: call(
			z
				.strictObject({
					name: z.string().default('account'),
					role: z.enum(roles).default('editor'),
					workspaceId: z.string().default(own),
				})
				.prefault({}),
			({ workspaceId, ...given }) => identities.createAccount(workspaceId, given),
		),
		/** Revokes a service account; its tokens die at once. */
		revokeAccount: call(account, ({ clientId }) => ({
			revoked: identities.revokeAccount(clientId),
		})),
		/** Kills an account's tokens; it can get new ones. @returns how many there were */
		revokeTokens: call(account, ({ clientId }) => ({
			revoked: identities.revokeTokens(clientId),
		})),
		/** Makes another workspace with its API key. */
		createWorkspace: call(
			z.strictObject({ name: z.string().default('Another workspace') }).prefault({}),
			({ name }) => {
				const { id } = identities.createWorkspace(name, 'owner@example.com');
				return { workspaceId: id, apiKey: identities.createKey(id, 'key').apiKey };
			},
		),
	};
}
