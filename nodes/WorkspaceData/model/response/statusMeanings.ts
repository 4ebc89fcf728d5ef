/** What an unsuccessful status means, for responses without text that can be shown. */

const MEANINGS: Record<number, string> = {
	400: "The service couldn't understand the request",
	401: "The service didn't accept the credential",
	403: "The credential doesn't allow this",
	404: "The service couldn't find the requested data",
	405: "The service doesn't offer this operation",
	408: 'The service gave up waiting for the request',
	409: 'The request conflicts with the current state',
	413: 'The request is larger than the service accepts',
	415: "The service doesn't accept this kind of content",
	422: 'The service rejected the values',
	429: 'Rate limit reached',
	500: "The service couldn't process the request",
	502: "The service couldn't be reached through its gateway",
	503: "The service isn't available right now",
	504: "The service didn't respond to its gateway in time",
};

/** Statuses with which proxies, firewalls and sign-in pages block a request. */
const KEPT_BACK: readonly number[] = [401, 403, 407, 451];

/** Returns true if a proxy or a firewall refused the request, not the service. */
export const isKeptBack = ({ status, foreign }: { status: number; foreign?: true }): boolean =>
	foreign === true && KEPT_BACK.includes(status);

/** The title of a response without its own. */
export function fallbackTitle(status: number, foreign?: true): string {
	if (isKeptBack({ status, foreign })) return 'A web page responded, not the service';
	if (status === 304) return 'The service returned no data, only that nothing has changed';
	if (status >= 300 && status < 400) return 'The service redirects to another address';
	return MEANINGS[status] ?? `The service responded with status ${status}`;
}
