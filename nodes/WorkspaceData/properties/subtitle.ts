/** The line below a node's name on the canvas: what the node does, and the card it uses. */

/** Separates the two parts of the line. */
const SEPARATOR = ' · ';

/**
 * The name of the card, if the node knows it: n8n saves the name of a card that was selected from the list.
 * Only `toJSON` returns the whole locator, while `$parameter.cardId` is its value. An ID or an expression
 * isn't a name.
 */
const CARD_NAME = `(({ cardId, name, watch }) => {
	if (watch === "allCards") return "";
	if (cardId && String(cardId.value).startsWith("=")) return "";
	const known = cardId ? (cardId.mode === "name" ? cardId.value : cardId.cachedResultName) : name;
	return typeof known === "string" && !known.startsWith("=") ? known : "";
})($parameter.toJSON())`;

/** n8n ends an expression at two closing braces, so they are separated. */
const inExpression = (code: string): string => `={{ ${code.replaceAll('}}', '} }')} }}`;

const withCardName = (what: string): string =>
	inExpression(`[${what}, ${CARD_NAME}].filter(Boolean).join("${SEPARATOR}")`);

/**
 * The action node's line, for example "Create From Items · Orders".
 *
 * @param titles of each operation, by `resource.operation`
 */
export function operationSubtitle(titles: Readonly<Record<string, string>>): string {
	return withCardName(
		`(${JSON.stringify(titles)})[$parameter["resource"] + "." + $parameter["operation"]]`,
	);
}

/** The trigger's line, for example "Record Created, Record Updated · Orders". */
export const eventsSubtitle = withCardName(
	`$parameter["events"].map((event) => event.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ")).join(", ")`,
);
