import { createHash } from 'node:crypto';
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { z } from 'zod';
import { parseBaseUrl, pathSegment, tokenAddress } from '../model/address';
import { BoundedMap } from '../model/boundedMap';
import { parsedBody } from '../model/json';
import { redact } from '../model/redact';
import { accessTokens } from './accessToken';
import { Cancelled, createUnlessCancelled, systemClock, wait, type Clock } from './clock';
import { CREDENTIAL_TYPES, readCredential, type Authentication } from './credential';
import { AccessTokenError, saysGone } from './failures';
import { createHold } from './hold';
import { createLimiter } from './limiter';
import { readNetworkFailure, type NetworkFailure } from './networkFailure';
import { createRateGate, type RateGate } from './rateGate';
import type { ApiAnswer, ApiRequest } from './request';
import { apiFailure, unreachable, type Asker } from './requestErrors';
import { IMPATIENT_WAIT_MS, judge, UNTRIED } from './verdict';

const DEFAULT_TIMEOUT_MS = 30_000;
/** Most requests of an execution at once, where nothing else is said. */
export const DEFAULT_MAX_PARALLEL = 10;
/** The pause after the first fault, in ms; doubles with each further one. */
const FIRST_PAUSE_MS = 300;

/** The service, as one credential sees it, for the length of one execution. */
export interface WorkspaceApi {
	baseUrl: string;
	workspaceId: string;
	/**
	 * Sends a request; waits for the rate limit, renews the token and tries again where that is safe.
	 *
	 * @throws InputError for a path parameter that cannot be used
	 * @throws ApiFailure when the service refuses
	 * @throws Unreachable when no answer comes
	 * @throws AccessTokenError when no access token can be had
	 * @throws Cancelled when the execution is cancelled
	 */
	request(request: ApiRequest): Promise<ApiAnswer>;
	/** Sends nothing more: what waits for its turn ends with Cancelled. */
	stop(): void;
	/**
	 * Keeps back what waits for its turn, until the returned function is called. After a failed request
	 * it is kept back until the caller has had its say.
	 */
	hold(): () => void;
	/** Takes this credential's secrets out of a text. */
	redact(text: string): string;
}

const answerSchema = z.object({
	statusCode: z.number(),
	headers: z.record(z.unknown()).catch({}),
	body: z.unknown(),
});

/** One gate for each key in this process: executions share what the key may send. */
const rateGates = new BoundedMap<string, RateGate>(100);

const fingerprint = (credential: ICredentialDataDecryptedObject): string =>
	createHash('sha256').update(JSON.stringify(credential)).digest('base64');

/**
 * Opens the service with the node's credential.
 *
 * @param authentication which of the two credential types the node uses
 * @throws InputError when the credential is missing or cannot be used; nothing has been sent
 */
export async function openApi(
	context: IAllExecuteFunctions,
	authentication: Authentication,
	clock: Clock = systemClock,
): Promise<WorkspaceApi> {
	const credentialType = CREDENTIAL_TYPES[authentication];
	const credential = await readCredential(context, credentialType);
	const baseUrl = parseBaseUrl(credential.baseUrl);
	const workspaceSegment = pathSegment(credential.workspaceId, 'Workspace ID');
	const isAccount = authentication === 'serviceAccount';
	if (isAccount) tokenAddress(credential.authUrl, credential.realm);
	const gate = rateGates.getOrCreate(fingerprint(credential), () => createRateGate(clock));
	const inTurn = createLimiter();
	const held = createHold(clock);
	const signal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const unlessCancelled = createUnlessCancelled(signal);
	const stopping = new AbortController();
	/** For all waiting: the execution was cancelled, or nothing more is to be sent. */
	const halt = AbortSignal.any([stopping.signal, ...(signal ? [signal] : [])]);
	/** A token fresh from the auth server was refused: asking for more would not help. */
	let freshTokenRefused = false;

	const clean = (text: string) =>
		redact(text, [
			credential.apiKey,
			credential.clientSecret,
			...(isAccount ? accessTokens.recent(credential) : []),
		]);
	const asker: Asker = { authentication, host: new URL(baseUrl).host, redact: clean };

	const roots = {
		workspace: `${baseUrl}/workspaces/${workspaceSegment}`,
		api: baseUrl,
		origin: new URL(baseUrl).origin,
	};

	function address({ path, root = 'workspace' }: ApiRequest): string {
		const segments = path.map((part) =>
			typeof part === 'string' ? part : pathSegment(part.value, part.parameter),
		);
		return [roots[root], ...segments].join('/');
	}

	/** One try. Faults come back as values, for the caller to judge. */
	async function attempt(
		options: IHttpRequestOptions,
	): Promise<ApiAnswer | NetworkFailure | AccessTokenError> {
		const decrypted = { id: '', name: '', type: credentialType, data: { ...credential } };
		const answering = context.helpers.httpRequestWithAuthentication.call(
			context,
			credentialType,
			{ ...options },
			{ credentialsDecrypted: decrypted },
		);
		// n8n aborts the request itself, but not the one for an access token before it.
		return await unlessCancelled(answering)
			.then((response: unknown) => {
				const { statusCode, headers, body } = answerSchema.parse(response);
				return { status: statusCode, headers, body: parsedBody(body) };
			})
			.catch((error: unknown) => {
				if (signal?.aborted) throw new Cancelled();
				const cause = error instanceof Error ? error.cause : undefined;
				if (cause instanceof AccessTokenError) return cause;
				return readNetworkFailure(error);
			});
	}

	/** One try, when the rate limit lets it pass. @returns also which access token it had */
	async function attemptInTurn(options: IHttpRequestOptions, { impatient }: ApiRequest) {
		await gate.enter(halt, impatient ? IMPATIENT_WAIT_MS : Infinity);
		let headers: ApiAnswer['headers'] | undefined;
		try {
			const serial = isAccount ? accessTokens.serial(credential) : 0;
			const outcome = await attempt(options);
			if (!(outcome instanceof Error)) headers = outcome.headers;
			return { outcome, serial };
		} finally {
			gate.leave(headers);
		}
	}

	async function send(request: ApiRequest, options: IHttpRequestOptions): Promise<ApiAnswer> {
		let history = UNTRIED;
		for (;;) {
			const { outcome, serial } = await attemptInTurn(options, request);
			if (outcome instanceof AccessTokenError) throw outcome;
			const now = clock.now();
			const mayRenew = isAccount && !freshTokenRefused;
			const verdict = judge(outcome, request, history, { now, mayRenew });
			switch (verdict.act) {
				case 'wait':
					gate.hold(now + verdict.ms);
					break;
				case 'renewToken':
					accessTokens.reject(credential, serial);
					break;
				case 'again': {
					const pause = FIRST_PAUSE_MS * 2 ** history.faults;
					await wait(pause * (0.5 + clock.random()), clock, halt);
					break;
				}
				default: {
					if (outcome instanceof Error) throw unreachable(outcome, request, asker);
					if (verdict.act === 'done') return outcome;
					const failure = apiFailure(outcome, request, asker);
					if (verdict.act === 'alreadyGone' && saysGone(failure, [request.deletes ?? ''])) {
						return { ...outcome, status: 204, body: '' };
					}
					freshTokenRefused ||= outcome.status === 401 && history.renewed;
					throw failure;
				}
			}
			history = verdict.history;
		}
	}

	return {
		baseUrl,
		workspaceId: String(credential.workspaceId).trim(),
		redact: clean,
		stop() {
			stopping.abort();
		},
		hold: () => held.keep(),
		async request(request) {
			const options: IHttpRequestOptions = {
				method: request.method,
				url: address(request),
				...(request.query && { qs: request.query }),
				...(request.body && {
					// Text, not an object: n8n drops `{}`, and the HTTP client would lose keys like `__proto__`.
					body: JSON.stringify(request.body),
					headers: { 'Content-Type': 'application/json' },
				}),
				json: true,
				timeout: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			};
			const sending = async (): Promise<ApiAnswer> => {
				if (halt.aborted) throw new Cancelled();
				return await send(request, options).catch((error: unknown) => {
					// Before its turn is over: the next request would be on its way before anyone hears of this.
					if (!halt.aborted) held.keep()();
					throw error;
				});
			};
			if (request.ahead) return await sending();
			return await inTurn(request.maxParallel ?? DEFAULT_MAX_PARALLEL, async () => {
				await held.released();
				return await sending();
			});
		},
	};
}
