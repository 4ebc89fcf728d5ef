/** The credential's Web URL: where people open a card in a browser. */
import type { IAllExecuteFunctions } from 'n8n-workflow';
import { entryText, readCredential } from '../transport/credential';

/** The placeholder for a card's ID in the credential's 'Web URL'. */
const CARD_PLACE = '{card}';

/**
 * The addresses of cards in a browser, from the credential. The node never sends a request to them.
 *
 * @returns undefined if the credential has no Web URL, or if it isn't a web address
 */
export async function readCardPages(
	context: IAllExecuteFunctions,
	authentication: unknown,
): Promise<((cardId: string) => string) | undefined> {
	const { credential } = await readCredential(context, authentication);
	const pattern = entryText(credential.webUrl);
	const isUsable = /^https?:\/\//i.test(pattern) && URL.canParse(pattern);
	if (!isUsable || !pattern.includes(CARD_PLACE)) return undefined;
	return (cardId) => pattern.replaceAll(CARD_PLACE, () => encodeURIComponent(cardId));
}
