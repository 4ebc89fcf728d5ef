/** The network of a world: n8n's HTTP client hands its requests over in this process, no socket is opened. */
import { Readable } from 'node:stream';
import { Broken, type Answer, type Sent, type SimulatedService } from './simulatedService';

/** The parts of an axios request and of axios that are used here. */
interface AxiosRequest {
	method?: string;
	url?: string;
	baseURL?: string;
	data?: unknown;
	headers: { toJSON(): Record<string, unknown> };
	responseType?: string;
	timeout?: number;
	signal?: AbortSignal;
	validateStatus?: ((status: number) => boolean) | null;
}

interface Axios {
	defaults: { adapter: unknown };
	getUri(request: AxiosRequest): string;
	AxiosError: new (
		message: string,
		code: string,
		request: AxiosRequest,
		sent: unknown,
		response?: unknown,
	) => Error;
	CanceledError: new (message: string, request: AxiosRequest) => Error;
}

/** The copy that n8n uses, whichever n8n it is. */
function axiosOfN8n(): Axios {
	const path = require.resolve('axios', { paths: [require.resolve('n8n-core')] });
	return jest.requireActual<{ default?: Axios } & Axios>(path);
}

/** Services by their origin. */
const services = new Map<string, SimulatedService>();

/** Hosts outside of the world that somebody sent something to. */
export const strangers: string[] = [];

/** Puts a service into the network, or takes it out. */
export function connect(service: SimulatedService): () => void {
	services.set(service.origin, service);
	return () => services.delete(service.origin);
}

const textOf = (data: unknown): string => {
	if (data === undefined || data === null) return '';
	if (typeof data === 'string') return data;
	return data instanceof URLSearchParams || Buffer.isBuffer(data)
		? data.toString()
		: JSON.stringify(data);
};

function readSent(axios: Axios, request: AxiosRequest): Sent {
	const headers = Object.entries(request.headers.toJSON()).map(([name, value]) => [
		name.toLowerCase(),
		String(value),
	]);
	return {
		method: (request.method ?? 'get').toUpperCase(),
		url: new URL(axios.getUri(request)),
		headers: Object.fromEntries(headers) as Record<string, string>,
		body: textOf(request.data),
	};
}

/** The service's answer, unless the request is given up before. */
async function answerOrEnd(axios: Axios, request: AxiosRequest, sent: Sent): Promise<Answer> {
	const service = services.get(sent.url.origin);
	if (!service) {
		strangers.push(sent.url.href);
		throw new Broken('ECONNREFUSED');
	}
	return await new Promise<Answer>((resolve, reject) => {
		const { signal, timeout = 0 } = request;
		const cancel = (): void => reject(new axios.CanceledError('canceled', request));
		if (signal?.aborted) return cancel();
		signal?.addEventListener('abort', cancel, { once: true });
		if (timeout > 0) {
			const late = (): void =>
				reject(new axios.AxiosError('timeout exceeded', 'ECONNABORTED', request, {}));
			setTimeout(late, timeout);
		}
		service.handle(sent).then(resolve, reject);
	});
}

/** Makes n8n's HTTP client send everything through this network. @returns undoes it */
export function openNetwork(): () => void {
	const module = axiosOfN8n() as { default?: Axios } & Axios;
	const axios = module.default ?? module;
	const { adapter: original } = axios.defaults;
	axios.defaults.adapter = async (request: AxiosRequest) => {
		const sent = readSent(axios, request);
		const answer = await answerOrEnd(axios, request, sent).catch((error: unknown) => {
			if (!(error instanceof Broken)) throw error;
			const failure = new axios.AxiosError(error.message, error.code, request, {});
			throw Object.assign(failure, {
				cause: Object.assign(new Error(error.message), {
					code: error.code,
					...(error.code === 'ECONNREFUSED' && { syscall: 'connect' }),
				}),
			});
		});
		const bytes = Buffer.from(answer.body);
		const response = {
			data: dataFor(request.responseType, bytes),
			status: answer.status,
			statusText: '',
			headers: answer.headers,
			config: request,
			request: {},
		};
		const { validateStatus = null } = request;
		if (!validateStatus || validateStatus(answer.status)) return response;
		const code = answer.status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE';
		const message = `Request failed with status code ${answer.status}`;
		throw new axios.AxiosError(message, code, request, {}, response);
	};
	return () => {
		axios.defaults.adapter = original;
	};
}

function dataFor(responseType: string | undefined, bytes: Buffer): unknown {
	if (responseType === 'stream') return Readable.from(bytes.length > 0 ? [bytes] : []);
	return responseType === 'arraybuffer' ? bytes : bytes.toString();
}
