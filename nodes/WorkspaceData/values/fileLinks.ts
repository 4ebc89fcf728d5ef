/** Links to files, which may be signed and then differ each time. */
import { isObject } from '../model/response/jsonObject';

/**
 * Replaces files with their IDs, because their links may be signed and then differ each time. Of other objects
 * with an ID and a link, only the links are left out.
 */
export function withoutLinks(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutLinks);
	if (!isObject(value) || !isIdentifier(value.id) || !Object.values(value).some(isLink))
		return value;
	if (Object.keys(value).some((key) => FILE_KEY.test(key))) return { id: value.id };
	return JSON.parse(
		JSON.stringify(value, (_key, part: unknown) => (isLink(part) ? undefined : part)),
	);
}

/** Properties that only files have. */
const FILE_KEY = /^(?:file_?(?:name|size|type)|(?:mime|content)_?type)$/i;

const isIdentifier = (id: unknown): boolean => typeof id === 'string' || typeof id === 'number';
const isLink = (part: unknown): boolean => typeof part === 'string' && /^https?:\/\//i.test(part);
