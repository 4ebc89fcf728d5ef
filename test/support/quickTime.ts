/**
 * Time that a test can let pass more quickly, where it waits for seconds. To be imported first: the nodes, n8n and the
 * reference service of this process then live in it together. What waits for the network is as quick as ever.
 */
const { setTimeout: setRealTimeout, Date: RealDate } = globalThis;
const realTimeout = AbortSignal.timeout.bind(AbortSignal);
const realPerformance = performance.now.bind(performance);
const dateAhead = RealDate.now() - realPerformance();

/** How many times as quickly time passes, and since when: in real time, and in that of the tests. */
let [times, sinceReal, since] = [1, realPerformance(), realPerformance()];

const quick = (): number => since + (realPerformance() - sinceReal) * times;
const now = (): number => Math.floor(quick() + dateAhead);

function setSpeed(wanted: number): void {
	since = quick();
	sinceReal = realPerformance();
	times = wanted;
}

/** Time passes ten times as quickly until the test ends. */
export const hurry = (): void => setSpeed(10);

class QuickDate extends RealDate {
	static override now(): number {
		return now();
	}

	constructor(...given: ConstructorParameters<typeof Date> | []) {
		if (given.length === 0) super(now());
		else super(...given);
	}
}

globalThis.Date = QuickDate as DateConstructor;
globalThis.setTimeout = Object.assign(
	(callBack: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
		setRealTimeout(callBack, ms / times, ...given),
	setRealTimeout,
) as typeof setTimeout;
AbortSignal.timeout = (ms) => realTimeout(Math.ceil(ms / times));
performance.now = quick;

afterEach(() => setSpeed(1));
// These two belong to the process, in which other files of tests follow.
afterAll(() => {
	AbortSignal.timeout = realTimeout;
	performance.now = realPerformance;
});
