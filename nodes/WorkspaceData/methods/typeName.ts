/** The names of field types in the editor. */

/** Words that are written in capitals. */
const CAPITALS = new Set(['ID', 'JSON', 'URL']);

/** The name of a field type in the editor: the service's word as a title, `Single Select` for `single_select`. */
export const typeName = (type: string): string =>
	type
		.split(/[_\s-]+/)
		.filter(Boolean)
		.map((word) =>
			CAPITALS.has(word.toUpperCase())
				? word.toUpperCase()
				: `${word[0]?.toUpperCase()}${word.slice(1)}`,
		)
		.join(' ');
