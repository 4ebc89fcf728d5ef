/** Whether a body is a web page: of a proxy or a sign-in form, never of the service itself. */
export const isWebPage = (body: unknown): boolean =>
	typeof body === 'string' && /<(!doctype|html|head|body)\b/i.test(body);
