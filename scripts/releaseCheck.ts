/** What stops a release: placeholders, addresses of another repository, a missing changelog entry, another tag. */

/** The parts of package.json that a release is about. */
export interface Manifest {
	name: string;
	version: string;
	author: { name: string; email: string };
	homepage: string;
	bugs: string;
	repository: { url: string };
}

/** The run that wants to release. */
export interface ReleaseRun {
	/** `owner/name` of the repository that GitHub runs this in; undefined elsewhere. */
	repository?: string;
	/** The tag that started the run; undefined elsewhere. */
	tag?: string;
}

/** Hosts and owners that stand in examples and never for somebody. */
const exampleEmail = /@(?:.+\.)?example\.(?:com|net|org)$|\.invalid$/i;
/** An address that a page asks people to write to, and nobody reads. */
const exampleAddress = /[\w.+-]+@example\.(?:com|net|org)/i;
const REPOSITORY_LINK = /https:\/\/github\.com\/([\w.-]+\/[\w-]+)/g;
const exampleOwners = ['', 'example', 'owner', 'your-org', 'your-name'];

/** `owner/name` of a GitHub address; undefined if it is no such address. */
function slugOf(url: string): string | undefined {
	return /^(?:git\+)?https:\/\/github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url)?.[1];
}

/**
 * Tells what stops a release.
 *
 * @param manifest package.json
 * @param pages the texts that people read, by path; with CHANGELOG.md
 * @param run what is known of the run
 * @returns one sentence for each thing that is not right; empty when the release may run
 */
export function releaseObstacles(
	manifest: Manifest,
	pages: ReadonlyMap<string, string>,
	run: ReleaseRun = {},
): string[] {
	const { name, version, author, homepage, bugs, repository } = manifest;
	const obstacles: string[] = [];
	const slug = slugOf(repository.url);
	const [owner = ''] = slug?.split('/') ?? [];

	if (author.name === '' || author.name.includes(name)) {
		obstacles.push(`'author.name' in package.json is a placeholder: ${author.name}`);
	}
	if (!author.email.includes('@') || exampleEmail.test(author.email)) {
		obstacles.push(`'author.email' in package.json is a placeholder: ${author.email}`);
	}
	if (exampleOwners.includes(owner.toLowerCase()) || owner === name) {
		obstacles.push(`'repository.url' in package.json is a placeholder: ${repository.url}`);
	}
	const address = `https://github.com/${slug}`;
	for (const [key, value] of Object.entries({ homepage, bugs })) {
		if (!isBelow(value, address)) {
			obstacles.push(`'${key}' in package.json is not in the repository ${address}: ${value}`);
		}
	}
	if (run.repository !== undefined && run.repository !== slug) {
		obstacles.push(
			`This runs in the repository ${run.repository}, but package.json names ${slug ?? repository.url}. npm refuses provenance then.`,
		);
	}
	if (run.tag !== undefined && run.tag !== `v${version}`) {
		obstacles.push(`The tag is ${run.tag}, but package.json has version ${version}.`);
	}
	for (const [path, text] of pages) {
		for (const [link, linked = ''] of text.matchAll(REPOSITORY_LINK)) {
			const [, title = ''] = linked.split('/');
			if (linked !== slug && (title === name || title === slug?.split('/')[1])) {
				obstacles.push(`${path} links to another repository: ${link}`);
			}
		}
		if (exampleAddress.test(text)) obstacles.push(`${path} has a placeholder for an address.`);
	}
	if (!pages.get('CHANGELOG.md')?.split('\n').includes(`## ${version}`)) {
		obstacles.push(`CHANGELOG.md has no heading '## ${version}'.`);
	}
	return obstacles;
}

/** Whether an address is another one or something below it. */
function isBelow(address: string, top: string): boolean {
	return address === top || address.startsWith(`${top}#`) || address.startsWith(`${top}/`);
}
