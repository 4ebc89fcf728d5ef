/** What a person reads while n8n is installed. */

/** How much an installation takes on the disk before it is slimmed, in bytes. */
const INSTALLED_BYTES = 2.1e9;

/**
 * A line about work that fills the disk.
 *
 * @param bytes written so far
 * @param ms since it began
 */
export function progressLine(what: string, bytes: number, ms: number): string {
	const share = Math.max(0, bytes / INSTALLED_BYTES);
	const progress = `${Math.round(ms / 1000)} s so far`;
	// Nobody believes a minute that stays.
	if (share >= 0.99) return `  ${what}: almost done, ${progress}`;
	const minutes = Math.ceil((ms * (1 - share)) / share / 60_000);
	const left = share < 0.02 ? '' : `, about ${minutes} min left`;
	return `  ${what}: ${Math.round(share * 100)} %, ${progress}${left}`;
}
