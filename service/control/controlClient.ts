/** Control over HTTP. */
import type { Control } from './control.ts';

/** Control over HTTP: the calls of `Control`, each giving a promise. */
export type RemoteControl = {
	[Name in keyof Control]: (
		...input: Parameters<Control[Name]>
	) => Promise<Awaited<ReturnType<Control[Name]>>>;
};

/**
 * Connects to the control of a service in another process.
 * @param controlUrl and `controlToken` from the line of JSON that the service prints
 */
export function connectControl(controlUrl: string, controlToken: string): RemoteControl {
	const send = async (name: string, input: unknown) => {
		const response = await fetch(`${controlUrl}/${name}`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${controlToken}`,
				'content-type': 'application/json',
				// A benchmark may be silent for long: the service then closes a connection that is kept.
				connection: 'close',
			},
			body: JSON.stringify(input ?? {}),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`control ${name}: ${response.status} ${text}`);
		return JSON.parse(text) as unknown;
	};
	return new Proxy({} as RemoteControl, {
		// `then` must stay undefined, or awaiting the client would call it.
		get: (_target, name) =>
			typeof name === 'string' && name !== 'then'
				? (input?: unknown) => send(name, input)
				: undefined,
	});
}
