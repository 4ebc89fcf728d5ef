/** What the OpenID provider keeps and reads: tokens in our database, and clients, which are the service accounts. */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Account } from '../data/identities.ts';
import type { WorkspaceData } from '../data/workspaceData.ts';
import { hashSecret } from '../foundation/secrets.ts';

const nothing = async () => undefined;

/** A service account as the provider knows it. */
const clientOf = ({ clientId, secretHash, name }: Account): AdapterPayload => ({
	client_id: clientId,
	// The hash stands in for the secret; the comparison is ours.
	client_secret: secretHash,
	client_name: name,
	grant_types: ['client_credentials'],
	response_types: [],
	redirect_uris: [],
	token_endpoint_auth_method: 'client_secret_post',
});

/**
 * Keeps the provider's objects by model and by the hash of the identifier (which is the token). They expire by a clock
 * that never steps. A start with a clock that was set back would prolong them, so what they have left is cut to the life
 * that they were issued with.
 */
export function createAdapter({ database, identities, clock }: WorkspaceData) {
	const now = () => Math.round(clock.steady());
	database.run(
		`UPDATE tokens SET expires_at = MIN(expires_at,
			?1 + 1000 * (json_extract(payload, '$.exp') - json_extract(payload, '$.iat')))
		WHERE json_extract(payload, '$.exp') IS NOT NULL`,
		now(),
	);
	return (model: string): Adapter => ({
		async find(id) {
			if (model === 'Client') {
				const account = identities.account(id);
				return account?.revokedAt === null ? clientOf(account) : undefined;
			}
			const row = database.get<{ payload: string }>(
				`SELECT payload FROM tokens WHERE model = ? AND hash = ?
				AND (expires_at IS NULL OR expires_at > ?)`,
				...[model, hashSecret(id), now()],
			);
			return row && { ...(JSON.parse(row.payload) as AdapterPayload), jti: id };
		},
		/** Stores a payload without its `jti`, which is the token itself. */
		async upsert(id, { jti: _token, ...kept }, lifeSeconds) {
			const expiresAt = lifeSeconds === undefined ? null : now() + lifeSeconds * 1000;
			database.run('DELETE FROM tokens WHERE expires_at <= ?', now());
			database.run(
				'INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?, ?)',
				...[model, hashSecret(id), kept.clientId ?? null, JSON.stringify(kept), expiresAt],
			);
		},
		async destroy(id) {
			const sql = 'DELETE FROM tokens WHERE model = ? AND hash = ?';
			database.run(sql, model, hashSecret(id));
		},
		// Only flows with users need these, and only client credentials are enabled.
		findByUserCode: nothing,
		findByUid: nothing,
		consume: nothing,
		revokeByGrantId: nothing,
	});
}
