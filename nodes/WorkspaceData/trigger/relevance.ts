/** Checks if an event is for this node: its kind, its card, its age, its fields and its values. */
import { readFilter } from '../records/filter';
import type { FieldIndex } from '../records/fieldIndex';
import { OWN_VALUES } from '../records/ownValues';
import { localTime } from '../records/timeZone';
import { listedInQuotes } from '../values/messageText';
import { MINUTE_MS } from '../values/time';
import type { Delivery } from './event';
import { EVENTS } from './properties';
import { openSite, reasonOf } from './service';

/** How long the difference between the clocks counts, in ms, because either may be corrected. */
const CLOCK_VALID_MS = MINUTE_MS;
/** The response to a delivery waits for it. */
const TIME_CALL = { isUrgent: true, timeoutMs: 3_000 };

/** Explains for the log why a signed event isn't for this node; undefined if it is. */
export function misdirection({ event: body, signer }: Delivery): string | undefined {
	const { event, workspace_id, card_id } = body;
	const isOther = (id = '', own = ''): boolean => id !== '' && own !== '' && id !== own;
	if (!signer.events.includes(event)) {
		return `'Trigger On' doesn't include the event '${EVENTS.get(event) ?? event}'`;
	}
	if (isOther(workspace_id, signer.workspace)) return 'it is from another workspace';
	return isOther(card_id, signer.cardId) ? 'it is from another card' : undefined;
}

/**
 * Explains for the log why an event is too old, by the service's clock; undefined if it isn't, or if nobody knows. Somebody
 * may have corrected either clock, so they are compared again before an event is ignored, at most once a minute.
 */
export async function excessiveAge(delivery: Delivery): Promise<string | undefined> {
	const { context, node, event, settings } = delivery;
	const { maxEventAgeMs } = settings;
	const { happenedAt } = event;
	if (maxEventAgeMs === undefined || happenedAt === undefined) return undefined;
	const age = (): number => Date.now() + node.serviceClock.aheadMs - happenedAt;
	if (age() <= maxEventAgeMs && age() >= -CLOCK_VALID_MS) return undefined;
	if (Math.abs(Date.now() - node.serviceClock.learnedAt) >= CLOCK_VALID_MS) {
		const site = await openSite(context, node).catch(() => undefined);
		const time = await site?.api.time(TIME_CALL).catch(() => undefined);
		if (time === undefined) return undefined;
		node.serviceClock = { aheadMs: time - Date.now(), learnedAt: Date.now() };
	}
	return age() > maxEventAgeMs
		? `it is ${Math.round(age() / MINUTE_MS)} minutes old, more than 'Max Event Age (Minutes)' allows`
		: undefined;
}

/**
 * Returns true if an event affects the watched fields and meets the conditions. In doubt, the workflow starts.
 *
 * @param index the fields of the card; undefined if they aren't available
 */
export function isRelevant(delivery: Delivery, index: FieldIndex | undefined): boolean {
	const { event, settings } = delivery;
	const isWatched = event.event === 'record.updated' && settings.watchFields.length > 0;
	// Conditions are about records.
	const isFiltered = event.event.startsWith('record.') && settings.conditions.length > 0;
	if (isWatched && index && !concerns(delivery, index)) return false;
	return !isFiltered || meetsConditions(delivery, index);
}

/**
 * Returns true if an update may have changed a watched field. If one card is watched, an unknown name is a
 * renamed field. If all cards are watched, it is a field of other cards.
 */
function concerns({ context, node, event, settings }: Delivery, index: FieldIndex): boolean {
	const { data = {}, card_id } = event;
	const { watchFields, card } = settings;
	const idsOf = (name: string) => index.candidates(name).map(({ id }) => id);
	const hasChanged = (id: string) => Object.hasOwn(data, id);
	if (watchFields.flatMap((name) => [name, ...idsOf(name)]).some(hasChanged)) return true;
	const unknown = watchFields.filter((name) => idsOf(name).length === 0);
	if (card === undefined || unknown.length === 0) return false;
	const lacks = `Card ${card_id} has no field ${listedInQuotes(unknown)} to watch`;
	node.log(context, `${lacks}: every update of a record starts the workflow`);
	return true;
}

/**
 * Returns true if the values in an event meet the conditions. Missing values count as empty. If all cards
 * are watched, a condition on a field that the card doesn't have isn't met.
 */
function meetsConditions(delivery: Delivery, index: FieldIndex | undefined): boolean {
	const { context, node, event, settings } = delivery;
	const { record_id = '', data = {}, body, timestamp = null } = event;
	const { card, conditions, matchType } = settings;
	try {
		if (!index) throw new Error("the fields of the card couldn't be read");
		const isKnown = (key: string): boolean =>
			card !== undefined || OWN_VALUES.has(key) || index.candidates(key).length > 0;
		const known = conditions.filter(({ field }) => isKnown(String(field)));
		if (known.length < conditions.length && matchType === 'allConditions') return false;
		const createdAt = event.event === 'record.created' ? timestamp : null;
		const zone = localTime(context);
		const test = readFilter({ conditions: known }, matchType, index, { zone });
		return test?.({ id: record_id, data, createdAt, raw: body }) ?? false;
	} catch (error) {
		const reason = reasonOf(error);
		node.log(context, `'Filters' can't be compared, so an event started the workflow: ${reason}`);
		return true;
	}
}
