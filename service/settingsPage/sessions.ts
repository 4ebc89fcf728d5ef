import { hashSecret, newSecret, secretMatches } from '../foundation/secrets.ts';
import type { Clock } from '../foundation/clock.ts';

/** Something to be shown once, after a form was sent. */
export interface Notice {
	text: string;
	/** Names and values that are shown nowhere else. */
	secrets: Array<[name: string, value: string]>;
}

/** Somebody who is signed in to the settings page. */
export interface Session {
	/** Shown on the next page they see, and then forgotten. */
	notices: Notice[];
	endsAt: number;
}

/** Who is signed in; kept in memory, so a restart signs everybody out. */
export interface Sessions {
	/** @returns the id for the cookie, or undefined where the password is wrong */
	signIn(password: string): string | undefined;
	find(id: string | undefined): Session | undefined;
	signOut(id: string): void;
}

/** Life of a session, in ms. */
export const sessionMs = 8 * 60 * 60 * 1000;

/** Sessions at a time; the oldest ends when there is one more. */
const maximumSessions = 1_000;

/** @param password the one password of the settings page */
export function createSessions(password: string, clock: Pick<Clock, 'monotonic'>): Sessions {
	const passwordHash = hashSecret(password);
	const sessions = new Map<string, Session>();
	return {
		signIn(given) {
			if (!secretMatches(given, passwordHash)) return undefined;
			const [oldest] = sessions.keys();
			if (sessions.size >= maximumSessions && oldest !== undefined) sessions.delete(oldest);
			const id = newSecret();
			sessions.set(id, { notices: [], endsAt: clock.monotonic() + sessionMs });
			return id;
		},
		find(id) {
			const session = id === undefined ? undefined : sessions.get(id);
			return session && session.endsAt > clock.monotonic() ? session : undefined;
		},
		signOut(id) {
			sessions.delete(id);
		},
	};
}
