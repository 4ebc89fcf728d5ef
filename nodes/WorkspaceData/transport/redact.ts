/** Removes secrets from text. */
const MASK = '***';
/** Shorter values may occur as words by chance. No real key or secret is that short. */
const MIN_SECRET_LENGTH = 6;

/**
 * Characters that are invisible or not allowed in a header. The HTTP client drops them, and the service may
 * do so too.
 */
const UNSENT = /[^\x20-\x7E\x80-\xFF]|\p{Cc}|\p{Cf}/gu;

/** The characters that HTML has names for. */
const ENTITIES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** A pattern for a special character, also where it is encoded for a URL (also twice), a form, JSON or HTML. */
function patternOf(char: string): string {
	const units = char.split('').map((unit) => hex(unit.charCodeAt(0), 4));
	const code = char.codePointAt(0) ?? 0;
	const forms = [
		`\\\\*\\u${units.join('\\u')}`,
		`\\\\u${units.join('\\\\u')}`,
		[...Buffer.from(char)].map((byte) => `%(?:25)*${hex(byte, 2)}`).join(''),
		`&(?:${ENTITIES[char] ?? '#'}|#0*${code}|#x0*${hex(code, 1)});`,
	];
	return `(?:${(char === ' ' ? [...forms, '\\+'] : forms).join('|')})`;
}

/** A secret as it is sent: without spaces and line ends that were pasted with it, and without unsent characters. */
function formsOf(secret: string): string[] {
	const text = secret.trim();
	return [...new Set([text, text.replace(UNSENT, '')])];
}

/**
 * Removes secrets from text before anybody sees it: the given values anywhere, and whatever follows
 * `Bearer`.
 *
 * @param secrets text or numbers; other values are ignored
 */
export function redact(text: string, secrets: readonly unknown[]): string {
	return secrets
		.filter((secret) => typeof secret === 'string' || typeof secret === 'number')
		.flatMap((secret) => formsOf(String(secret)))
		.filter((form) => form.length >= MIN_SECRET_LENGTH)
		.sort((a, b) => b.length - a.length)
		.map((form) => new RegExp(form.replace(/[^a-z\d]/giu, patternOf), 'gi'))
		.reduce((result, pattern) => result.replaceAll(pattern, MASK), text)
		.replace(/\bBearer\s+[\w\-.~+/=]{6,}/gi, `Bearer ${MASK}`);
}
