const { default: Sequencer } = require('@jest/test-sequencer');

/** Folders and files that take minutes; jest goes by the size of a file where it has not run before. */
const long = ['browser/', ...['lifecycle', 'deliveries'].map((name) => `trigger/${name}`)];

/** The rank of a file: the one that takes longest comes first, so that no core is idle at the end. */
const rank = ({ path }) => {
	const at = long.findIndex((part) => path.includes(`/test/e2e/${part}`));
	return at === -1 ? long.length : at;
};

/** Begins with the files that take longest. */
module.exports = class extends Sequencer {
	/** @param {import('@jest/test-result').Test[]} tests */
	sort(tests) {
		return super.sort(tests).sort((one, other) => rank(one) - rank(other));
	}
};
