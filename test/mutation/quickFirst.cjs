/** The order of the test files: rules first, because what they notice needs no slower test. */
module.exports = class {
	/** @param {Array<{ path: string }>} tests */
	sort(tests) {
		const isSlow = (/** @type {{ path: string }} */ { path }) =>
			Number(!/\/(rules|service\/parts)\//.test(path));
		return [...tests].sort((a, b) => isSlow(a) - isSlow(b) || (a.path < b.path ? -1 : 1));
	}

	cacheResults() {}
};
