/** A JSON Pointer to the value at the end of a path of keys. @see RFC 6901, section 3 */
export function jsonPointer(path: readonly PropertyKey[]): string {
	return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
