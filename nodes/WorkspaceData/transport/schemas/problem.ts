/** The body of an unsuccessful response: problem details, or a message. @see RFC 7807; RFC 6749, section 5.2 */
import { z } from 'zod/v3';

const text = z.string().trim().min(1).optional().catch(undefined);

/** The last path segment of a problem's type. */
const kindOf = (type = ''): string | undefined => {
	const kind = /([^/:]+)\/?$/.exec(type.split(/[?#]/)[0] ?? '')?.[1];
	return kind === 'blank' ? undefined : kind;
};

const messages = { message: text, error_description: text, description: text, error: text };

export const problem = z
	.object({ type: text, title: text, detail: text, ...messages })
	.catch({})
	.transform(({ type, title, detail, ...others }) => {
		const said = others.message ?? others.error_description ?? others.description ?? others.error;
		const more = title === undefined ? detail : (detail ?? said);
		return { title: title ?? said, detail: more, kind: kindOf(type) };
	});
