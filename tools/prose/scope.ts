/** The files that `npm run lint` reads as prose. */
export const scope = {
	/** Markdown pages. */
	pages: ['[!L]*.md', '.github/*.md', 'docs/**/*.md', 'service/*.md'],
	/** Workflows whose sticky notes are read. */
	notes: ['examples/*.json'],
	/** Sources whose texts for people (labels, descriptions, messages) are read. */
	texts: ['{nodes,credentials,test/host,scripts}/**/*.ts', 'tools/*.ts'],
	/** Sources whose comments are read. */
	comments: ['{nodes,credentials,service,scripts,test,tools}/**/*.ts'],
};
