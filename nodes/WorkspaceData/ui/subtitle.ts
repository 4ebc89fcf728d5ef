/** The line below a node's name on the canvas: what the node does, and with which card. */

/** Separates the two parts of the line. */
const SEPARATOR = ' · ';

/**
 * The name of the card, as far as the node knows it: n8n keeps the name of a card that was chosen from the list. Only
 * `toJSON` gives the whole locator; `$parameter.cardId` is its value. An ID or an expression is no name.
 */
const CARD_NAME = `(({ cardId, name, watch }) => {
	if (watch === "allCards") return "";
	if (cardId && String(cardId.value).startsWith("=")) return "";
	const known = cardId ? (cardId.mode === "name" ? cardId.value : cardId.cachedResultName) : name;
	return typeof known === "string" && !known.startsWith("=") ? known : "";
})($parameter.toJSON())`;

/** n8n ends an expression at two closing braces. */
const inExpression = (code: string): string => `={{ ${code.replaceAll('}}', '} }')} }}`;

const withCardName = (what: string): string =>
	inExpression(`[${what}, ${CARD_NAME}].filter(Boolean).join("${SEPARATOR}")`);

/**
 * The action node's line, for example "Create From Items · Orders".
 *
 * @param titles what each operation does, by `resource.operation`
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
