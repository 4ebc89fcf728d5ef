/** The body of an unsuccessful response: problem details, or a message. @see RFC 7807; RFC 6749, section 5.2 */
import { z } from 'zod/v3';

/** An unsuccessful response in words. */
export interface Problem {
	title?: string;
	detail?: string;
	/** Last path segment of the problem's `type`, for example `record-not-found`. */
	kind?: string;
}

const text = z.string().trim().min(1).optional().catch(undefined);

const kindOf = (type = ''): string | undefined => {
	const kind = /([^/:]+)\/?$/.exec(type.split(/[?#]/)[0] ?? '')?.[1];
	return kind === 'blank' ? undefined : kind;
};

export const problem = z
	.object({
		type: text,
		title: text,
		detail: text,
		message: text,
		error: text,
		error_description: text,
		description: text,
	})
	.catch({})
	.transform((body): Problem => {
		const said = body.message ?? body.error_description ?? body.description ?? body.error;
		const kind = kindOf(body.type);
		const [title, detail] = body.title ? [body.title, body.detail ?? said] : [said, body.detail];
		return { ...(title && { title }), ...(detail && { detail }), ...(kind && { kind }) };
	});
