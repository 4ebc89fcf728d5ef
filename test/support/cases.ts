/** How many cases the property tests try: as many as is quick, and `FAST_CHECK_TIMES=10 npm run jest` ten times as many. */
const TIMES = Number(process.env.FAST_CHECK_TIMES ?? 1);

/** fast-check's option for a property that tries so many cases in `npm test`. */
export const cases = (usual: number): { numRuns: number } => ({
	numRuns: Math.ceil(usual * TIMES),
});
