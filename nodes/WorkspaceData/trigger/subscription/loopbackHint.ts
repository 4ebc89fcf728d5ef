/** The hint that the service cannot reach n8n's webhook address. */
import { ApiFailure } from '../../transport/failure/failures';

const isLoopback = (url: string): boolean =>
	/^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i.test(new URL(url).hostname);

/** A hint for when the service cannot reach n8n's address. */
export function loopbackHint(targetUrl: string, baseUrl: string): string | undefined {
	if (!isLoopback(targetUrl) || isLoopback(baseUrl)) return undefined;
	return `n8n's webhook address is ${new URL(targetUrl).origin}, which only this machine can reach. Set N8N_WEBHOOK_URL (in n8n 1: WEBHOOK_URL) to an address that ${new URL(baseUrl).host} can reach. If that is not possible, use a Schedule Trigger and Get Many with Since Last Run`;
}

/** The error, with the hint where the service refused the address. */
export function withHint(error: unknown, hint: string | undefined): unknown {
	if (!hint || !(error instanceof ApiFailure) || error.problem.status >= 500) return error;
	const advice = [error.advice, hint].filter(Boolean).join(' ');
	return new ApiFailure(error.problem, advice, error.rateLimited);
}
