import { createHash } from 'node:crypto';
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { parseBaseUrl, pathSegment, tokenAddress } from '../model/address';
import { BoundedMap } from '../model/boundedMap';
import { redact } from '../model/redact';
import { accessTokens } from './accessToken';
import { circuitOf, createCircuit, PROBE_TIMEOUT_MS, soundOf, type Sound } from './circuit';
import { createUnlessCancelled, systemClock, wait, type Clock } from './clock';
import { CREDENTIAL_TYPES, readCredential, type Authentication } from './credential';
import { AccessTokenError, Cancelled, NetworkFailure, SilentService } from './failures';
import { createLimiter } from './concurrency';
import { openExchange } from './exchange';
import { readNetworkFault } from './networkFault';
import { createRateGate, type RateGate } from './rateGate';
import { readAnswer, type ApiAnswer, type ApiRequest } from './request';
import { apiFailure, unreachable, type Asker } from './explain';
import { IMPATIENT_WAIT_MS, judge, UNTRIED } from './retryPolicy';
import { withTimeLimit } from './timeLimit';
import { unreachableAuth } from './tokenRequest';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_PARALLEL = 10;
/** Time-outs in a row after which the rest of an execution fails at once. */
const MAX_SILENCES = 3;
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
	/** Takes this credential's secrets out of a text. */
	redact(text: string): string;
}

type Outcome = ApiAnswer | NetworkFailure | AccessTokenError;

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
	const signal =
		'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	const unlessCancelled = createUnlessCancelled(signal);
	const ownCircuit = createCircuit(MAX_SILENCES, clock);
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

	/** One try. Faults come back as values, for the retry policy. */
	async function attempt(options: IHttpRequestOptions, timeoutMs: number): Promise<Outcome> {
		const data = { ...credential };
		const exchange = openExchange(data);
		return await withTimeLimit(timeoutMs, clock, async (end) => {
			exchange.end = end;
			const answering = context.helpers.httpRequestWithAuthentication.call(
				context,
				credentialType,
				{ ...options, timeout: timeoutMs, abortSignal: end },
				{ credentialsDecrypted: { id: '', name: '', type: credentialType, data } },
			);
			const answer = readAnswer(await unlessCancelled(answering));
			if (!answer) throw new NetworkFailure('', 'the answer could not be read', true, false);
			return answer;
		}).catch((error: unknown) => {
			if (signal?.aborted) throw new Cancelled();
			if (exchange.refusal) return exchange.refusal;
			const fault = readNetworkFault(error);
			return isAccount && !exchange.sent ? unreachableAuth(credential, fault) : fault;
		});
	}

	/** One try, unless the service has been silent. Who cannot wait heeds the time-outs of others, too. */
	async function attemptUnlessSilent(
		options: IHttpRequestOptions,
		{ timeoutMs = DEFAULT_TIMEOUT_MS, impatient }: ApiRequest,
	): Promise<Outcome> {
		const shared = circuitOf(baseUrl, clock);
		const asked = impatient ? shared : ownCircuit;
		const probe = asked.enter();
		if (probe === undefined) return new SilentService();
		const start = clock.now();
		let sound: Sound = 'unknown';
		try {
			const limit = probe && impatient ? Math.min(timeoutMs, PROBE_TIMEOUT_MS) : timeoutMs;
			const outcome = await attempt(options, limit);
			if (!(outcome instanceof AccessTokenError)) {
				sound = soundOf(outcome, clock.now() - start, probe);
			}
			return outcome;
		} finally {
			asked.leave(sound, probe);
			if (asked !== shared) shared.leave(sound, false);
		}
	}

	/** One try, when the rate limit lets it pass. @returns also which access token it had */
	async function attemptInTurn(options: IHttpRequestOptions, request: ApiRequest) {
		await gate.enter(halt, request.impatient ? IMPATIENT_WAIT_MS : Infinity);
		let headers: ApiAnswer['headers'] | undefined;
		try {
			const serial = isAccount ? accessTokens.serial(credential) : 0;
			const outcome = await attemptUnlessSilent(options, request);
			if (!(outcome instanceof Error)) headers = outcome.headers;
			return { outcome, serial };
		} finally {
			gate.leave(headers);
		}
	}

	async function send(request: ApiRequest, options: IHttpRequestOptions): Promise<ApiAnswer> {
		let history = UNTRIED;
		let fault: NetworkFailure | undefined;
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
				default:
					if (outcome instanceof SilentService) throw unreachable(fault ?? outcome, request, asker);
					if (outcome instanceof Error) throw unreachable(outcome, request, asker);
					if (verdict.act === 'done') return outcome;
					if (verdict.act === 'alreadyGone') return { ...outcome, status: 204, body: '' };
					freshTokenRefused ||= outcome.status === 401 && history.renewed;
					throw apiFailure(outcome, request, asker);
			}
			if (outcome instanceof NetworkFailure) fault = outcome;
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
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			};
			return await inTurn(request.maxParallel ?? DEFAULT_MAX_PARALLEL, async () => {
				if (halt.aborted) throw new Cancelled();
				return await send(request, options);
			});
		},
	};
}
