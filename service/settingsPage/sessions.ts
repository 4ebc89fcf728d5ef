import { hashSecret, newSecret, secretMatches } from '../foundation/secrets.ts';
import type { Notice } from './page.ts';

/** Somebody who is signed in to the settings page. */
export interface Session {
	/** What their forms have to carry. */
	formToken: string;
	/** Shown on the next page they see, and then forgotten. */
	notice: Notice | undefined;
	endsAt: number;
}

/** Who is signed in; kept in memory, so a restart signs everybody out. */
export interface Sessions {
	/** @returns the value for the cookie, or undefined where the password is wrong */
	signIn(password: string): string | undefined;
	find(cookie: string | undefined): Session | undefined;
	signOut(cookie: string | undefined): void;
}

const lifetimeMs = 8 * 60 * 60 * 1000;

/** @param password the one password of the settings page */
export function createSessions(password: string): Sessions {
	const passwordHash = hashSecret(password);
	const sessions = new Map<string, Session>();
	return {
		signIn(given) {
			if (!secretMatches(given, passwordHash)) return undefined;
			const now = Date.now();
			for (const [id, { endsAt }] of sessions) if (endsAt <= now) sessions.delete(id);
			const cookie = newSecret();
			sessions.set(hashSecret(cookie), {
				formToken: newSecret(),
				notice: undefined,
				endsAt: now + lifetimeMs,
			});
			return cookie;
		},
		find(cookie) {
			const session = cookie === undefined ? undefined : sessions.get(hashSecret(cookie));
			return session && session.endsAt > Date.now() ? session : undefined;
		},
		signOut(cookie) {
			if (cookie !== undefined) sessions.delete(hashSecret(cookie));
		},
	};
}
