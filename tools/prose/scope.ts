/**
 * The files that `npm run lint` reads as prose. Widen it here; `node tools/node24.mjs tools/prose.ts --all` tells
 * what the rest would show.
 */
export const scope = {
	/** Markdown pages. */
	pages: ['[!L]*.md', '.github/*.md', 'docs/**/*.md', 'service/*.md'],
	/** Workflows whose sticky notes are read. */
	notes: ['examples/*.json'],
	/** Sources whose texts for people (labels, descriptions, messages) are read. */
	texts: ['{nodes,credentials,host,demo}/**/*.ts', 'tools/*.ts'],
	/** Sources whose comments are read. */
	comments: ['{nodes,credentials,service,host,demo,bench,tools}/**/*.ts'],
};

/** Everything that could be read. */
export const everything: typeof scope = {
	...scope,
	comments: ['{nodes,credentials,service,host,demo,bench,test,tools}/**/*.ts'],
};
