/** The address of the identity provider. */
import { parseAddress, pathSegment } from '../serviceUrl';

/**
 * The address that issues access tokens for a realm.
 *
 * @param authUrl address of the identity provider, from the credential
 * @param realm name of the realm
 * @throws InputError if either can't be used
 * @see service interface, parts 4 and 5
 */
export function tokenAddress(authUrl: unknown, realm: unknown): string {
	const root = parseAddress(authUrl, 'Auth URL', 'https://auth.example.com');
	return `${root}/realms/${pathSegment(realm, 'Realm')}/protocol/openid-connect/token`;
}
