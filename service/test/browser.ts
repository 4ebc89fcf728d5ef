/** A browser without script at the settings page: follows no redirect, and keeps its cookie. */
import type { Service } from '../index.ts';

/** Signs in. @returns the response */
export const signIn = async (
	{ settingsUrl, settingsPassword }: Pick<Service, 'settingsUrl' | 'settingsPassword'>,
	fields: Record<string, string> = {},
	headers: Record<string, string> = {},
) =>
	await fetch(`${settingsUrl}/sign-in`, {
		method: 'POST',
		redirect: 'manual',
		headers,
		body: new URLSearchParams({ password: settingsPassword, ...fields }),
	});

/** A browser in which somebody has signed in. */
export async function openBrowser(service: Service) {
	const answer = await signIn(service);
	const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
	const send = async (path: string, init: RequestInit = {}) =>
		await fetch(new URL(path, service.settingsUrl), {
			redirect: 'manual',
			headers: { cookie },
			...init,
		});
	return {
		cookie,
		send,
		page: async (path = '/settings') => await (await send(path)).text(),
		submit: async (path: string, fields: Record<string, string> = {}) =>
			await send(path, { method: 'POST', body: new URLSearchParams(fields) }),
	};
}
