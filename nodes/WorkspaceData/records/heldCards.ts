/** Cards that an execution holds while it reads and creates in them: others of this process wait. */
import type { Api } from '../transport/api';
import { within } from '../transport/clock';

/**
 * Holds parts of a workspace, after all executions that asked earlier. All of them at once in one order, so that no two
 * executions wait for each other.
 *
 * @param names what is held, for example IDs of cards
 * @returns lets go; may be called again
 * @throws Cancelled if the execution is canceled while it waits
 */
export async function hold(
	{ address, signal }: Pick<Api, 'address' | 'signal'>,
	names: Iterable<string>,
): Promise<() => void> {
	const held: Array<() => void> = [];
	const letGo = () => held.splice(0).forEach((release) => release());
	for (const name of [...new Set(names)].sort()) {
		const holding = holdOne(JSON.stringify([address, name]), signal);
		held.push(
			await holding.catch((error: unknown) => {
				letGo();
				throw error;
			}),
		);
	}
	return letGo;
}

/** Holds parts of a workspace until some work has ended. @throws what the work throws; Cancelled as `hold` */
export async function whileHeld<Result>(
	api: Parameters<typeof hold>[0],
	names: Iterable<string>,
	work: () => Promise<Result>,
): Promise<Result> {
	const letGo = await hold(api, names);
	return await work().finally(letGo);
}

/** By what is held: settles when the last who asked for it has let go. Nothing is kept about what nobody holds. */
const lasts = new Map<string, Promise<void>>();

async function holdOne(key: string, signal: AbortSignal | undefined): Promise<() => void> {
	let release = (): void => {};
	const released = new Promise<void>((resolve) => (release = resolve));
	const earlier = lasts.get(key);
	const last = (earlier ?? Promise.resolve()).then(async () => await released);
	lasts.set(key, last);
	void last.then(() => {
		if (lasts.get(key) === last) lasts.delete(key);
	});
	if (earlier)
		await within(async () => await earlier, { signals: [signal] }).catch((error: unknown) => {
			release();
			throw error;
		});
	return release;
}
