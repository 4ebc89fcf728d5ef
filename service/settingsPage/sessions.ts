/** Who is signed in to the settings page; kept in memory, so a restart signs everybody out. */
import type { Clock } from '../foundation/clock.ts';
import { hashSecret, newSecret, secretMatches } from '../foundation/secrets.ts';

/** Something to be shown once, after a form was sent. */
export interface Notice {
	text: string;
	/** Names and values that are shown nowhere else. */
	secrets: Array<[name: string, value: string]>;
}

/** Somebody who is signed in. */
export interface Session {
	/** Shown on the next page they see, and then forgotten. */
	notices: Notice[];
	endsAt: number;
}

/** Life of a session, in ms. */
const sessionMs = 8 * 60 * 60 * 1000;

/** Sessions at a time; the oldest ends when there is one more. */
const maximumSessions = 1_000;

/** The sessions. */
export class Sessions {
	readonly #passwordHash: string;
	readonly #clock: Pick<Clock, 'monotonic'>;
	readonly #sessions = new Map<string, Session>();

	/** @param password the one password of the settings page */
	constructor(password: string, clock: Pick<Clock, 'monotonic'>) {
		this.#passwordHash = hashSecret(password);
		this.#clock = clock;
	}

	/** @returns the ID for the cookie; undefined if the password is wrong */
	signIn(given: string): string | undefined {
		if (!secretMatches(given, this.#passwordHash)) return undefined;
		const [oldest = ''] = this.#sessions.keys();
		if (this.#sessions.size >= maximumSessions) this.#sessions.delete(oldest);
		const id = newSecret();
		this.#sessions.set(id, { notices: [], endsAt: this.#clock.monotonic() + sessionMs });
		return id;
	}

	find(id: string | undefined): Session | undefined {
		const session = this.#sessions.get(id ?? '');
		return session && session.endsAt > this.#clock.monotonic() ? session : undefined;
	}

	signOut(id: string | undefined): void {
		this.#sessions.delete(id ?? '');
	}
}
