/** What may have been created although the response was lost: it isn't created again for a minute. */
import { BoundedMap } from '../../values/boundedMap';
import { mayHaveHappened, UnexpectedResponse } from '../../transport/failure/failureKinds';
import { systemClock } from '../../transport/http/clock';

/** How long a request without a clear response may still be carried out, in ms. */
export const UNCLEAR_MS = 60_000;

/** Cards, fields and choices whose creation got no clear response. */
export class UnclearCreations {
	/** When that was, in ms since the epoch, by address. */
	private readonly at = new BoundedMap<string, number>(1_000);

	/**
	 * Creates something with a name, unless a creation less than a minute ago got no clear response: it may still succeed.
	 *
	 * @param key the address of what is created, the same in all executions
	 * @param shown the name in a message, for example `Field 'Price'`
	 * @param create returns undefined if the response doesn't show it
	 * @param find finds it without a clear response, because the request isn't repeated
	 * @returns undefined if it was created, but isn't found
	 * @throws UnexpectedResponse if it may exist
	 */
	async creating<T>(
		key: string,
		shown: string,
		create: () => Promise<T | undefined>,
		find: () => Promise<T | undefined> = async () => undefined,
	): Promise<T | undefined> {
		if (systemClock.now() - (this.at.get(key) ?? -Infinity) < UNCLEAR_MS) {
			throw new UnexpectedResponse(
				`${shown} may exist already, but the service doesn't list it`,
				'Its creation less than a minute ago got no clear response. Nothing was created, to avoid a duplicate. Run the item again in a minute.',
			);
		}
		let failure: unknown;
		const shownNow = await create().catch((error: unknown) => {
			if (!mayHaveHappened(error)) throw error;
			failure = error;
			return undefined;
		});
		const made = shownNow ?? (await find().catch(() => undefined));
		if (made === undefined) this.at.set(key, systemClock.now());
		if (made === undefined && failure !== undefined) throw failure;
		return made;
	}
}
