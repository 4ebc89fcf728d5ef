import type { Clock } from './clock';

/** Keeps requests back until the caller has decided whether the run continues. */
export interface Hold {
	/**
	 * Keeps back all requests that have not been sent yet.
	 *
	 * @returns releases them on the next tick, so that whoever sees the failure first can stop them
	 */
	keep(): () => void;
	/** Resolves when nothing keeps requests back. */
	released(): Promise<void>;
}

/** Creates a hold that keeps nothing back yet. */
export function createHold({ sleep }: Pick<Clock, 'sleep'>): Hold {
	let kept = 0;
	const waiting: Array<() => void> = [];
	const letGo = () => {
		kept -= 1;
		if (kept > 0) return;
		for (const go of waiting.splice(0)) go();
	};
	return {
		keep() {
			kept += 1;
			let isKept = true;
			return () => {
				if (isKept) void sleep(0).then(letGo);
				isKept = false;
			};
		},
		async released() {
			while (kept > 0) await new Promise<void>((go) => waiting.push(go));
		},
	};
}
