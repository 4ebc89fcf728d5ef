/** The network of a world: n8n's HTTP client hands its requests over in this process, no socket is opened. */
import type { Response, Sent, SimulatedService } from './service';

/** The parts of an axios request and of axios that are used here. */
interface AxiosRequest {
	method?: string;
	data?: unknown;
	headers: { toJSON(): Record<string, unknown> };
	timeout?: number;
	signal?: AbortSignal;
	validateStatus?: ((status: number) => boolean) | null;
}

interface Axios {
	defaults: { adapter: unknown };
	getUri(request: AxiosRequest): string;
	AxiosError: new (message: string, code: string, ...more: unknown[]) => Error;
	CanceledError: new (message: string, request: AxiosRequest) => Error;
}

/** The copy that n8n uses. */
function axiosOfN8n(): Axios {
	const path = require.resolve('axios', { paths: [require.resolve('n8n-core')] });
	return jest.requireActual<{ default: Axios }>(path).default;
}

/** Services by their origin. */
const services = new Map<string, SimulatedService>();

/** Addresses outside of the world that somebody sent something to. */
export const strangers: string[] = [];

/** Puts a service into the network. @returns takes it out */
export function connect(service: SimulatedService): () => void {
	services.set(service.origin, service);
	return () => services.delete(service.origin);
}

function readSent(axios: Axios, request: AxiosRequest): Sent {
	const headers: Record<string, string> = {};
	for (const [name, value] of Object.entries(request.headers.toJSON()))
		headers[name.toLowerCase()] = String(value);
	const method = (request.method ?? 'get').toUpperCase();
	const body = typeof request.data === 'object' ? String(request.data) : (request.data ?? '');
	return { method, url: new URL(axios.getUri(request)), headers, body: body as string };
}

/** The service's response, unless the request is given up before. */
async function send(axios: Axios, request: AxiosRequest): Promise<Response> {
	const sent = readSent(axios, request);
	const service = services.get(sent.url.origin);
	const failure = (message: string, code: string, more: object = {}) =>
		Object.assign(new axios.AxiosError(message, code, request, {}), more);
	return await new Promise<Response>((resolve, reject) => {
		const { signal, timeout = 0 } = request;
		const cancel = (): void => reject(new axios.CanceledError('canceled', request));
		if (signal?.aborted) return cancel();
		signal?.addEventListener('abort', cancel, { once: true });
		if (timeout > 0) setTimeout(() => reject(failure('timeout exceeded', 'ECONNABORTED')), timeout);
		if (!service) strangers.push(sent.url.href);
		service?.handle(sent).then(resolve, (error: unknown) => {
			const { message, code } = error as NodeJS.ErrnoException;
			reject(code === undefined ? error : failure(message, code, { cause: error }));
		});
	});
}

/** Makes n8n's HTTP client send everything through this network. @returns undoes it */
export function openNetwork(): () => void {
	const axios = axiosOfN8n();
	const { adapter: original } = axios.defaults;
	axios.defaults.adapter = async (request: AxiosRequest) => {
		const { body, ...answered } = await send(axios, request);
		const response = { ...answered, data: body, statusText: '', config: request, request: {} };
		if (request.validateStatus?.(answered.status) !== false) return response;
		const message = `Request failed with status code ${answered.status}`;
		throw new axios.AxiosError(message, 'ERR_BAD_RESPONSE', request, {}, response);
	};
	return () => {
		axios.defaults.adapter = original;
	};
}
