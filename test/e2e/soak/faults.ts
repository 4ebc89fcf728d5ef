/** Faults at random places of the work to come: 5 % of the requests. */
import type { RemoteControl } from '../../../service/control/controlClient.ts';

const SHARE = 0.05;

type Fault = Parameters<RemoteControl['fail']>[0];

/** A gateway that is overloaded or gone, connections that break before or after the change, slow answers. */
const KINDS: Record<string, Fault> = {
	429: { status: 429, headers: { 'retry-after': '1' } },
	503: { status: 503 },
	'502 with a web page': { status: 502, body: 'html' },
	'dropped before': { mode: 'dropBefore' },
	'dropped after': { mode: 'dropAfter' },
	slow: { mode: 'slowBody', byteMs: 2 },
};

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** @param seed chooses kinds and places */
export function createFaults(control: RemoteControl, seed: number) {
	const random = randomFrom(seed);
	const counts = new Map<string, number>();
	const names = Object.keys(KINDS);
	return {
		/** Puts faults among the next requests. Leftovers of the round before are forgotten. */
		async sow(requests: number): Promise<void> {
			await control.clearFailures();
			for (let n = 0; n < Math.round(requests * SHARE); n += 1) {
				const name = names[Math.floor(random() * names.length)] ?? '503';
				await control.fail({
					...KINDS[name],
					path: '/cards/',
					skip: Math.floor(random() * requests),
				});
				counts.set(name, (counts.get(name) ?? 0) + 1);
			}
			await control.setLatency({ ms: random() < 0.1 ? 200 : 5 });
		},
		summary: (): string => [...counts].map(([name, count]) => `${count} × ${name}`).join(', '),
	};
}
