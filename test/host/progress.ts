/** What a person reads while n8n is installed. */

/** How much an installation takes on the disk, in bytes. */
const INSTALLED_BYTES = 1.3e9;

/**
 * A line about work that fills the disk.
 *
 * @param bytes written so far
 * @param ms since it began
 */
export function progressLine(what: string, bytes: number, ms: number): string {
	const share = Math.min(0.99, Math.max(0, bytes / INSTALLED_BYTES));
	const minutes = Math.ceil((ms * (1 - share)) / share / 60_000);
	const left = share < 0.02 ? '' : `, about ${minutes} min left`;
	return `  ${what}: ${Math.round(share * 100)} %, ${Math.round(ms / 1000)} s so far${left}`;
}
