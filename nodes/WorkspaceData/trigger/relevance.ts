/** Checks if an event is for this node: its kind, its card, its age, its fields and its values. */
import { recordTest } from '../records/filter';
import type { FieldIndex } from '../records/fieldIndex';
import { OWN_VALUES } from '../records/ownValues';
import { listedInQuotes } from '../values/messageText';
import type { Zone } from '../values/time';
import type { DeliveredEvent } from './event';
import type { TriggerNode } from './node';
import { EVENTS } from './properties';
import { reasonOf } from './service';
import type { TriggerSettings } from './settings';
import type { Subscription } from './subscription';

/** Max names in a line of the log. */
const MAX_NAMED = 10;
/** How long the difference between the clocks counts, in ms, because either may be corrected. */
const CLOCK_VALID_MS = 60_000;

/** Explains for the log why a signed event isn't for this node; undefined if it is. */
export function misdirection(
	event: DeliveredEvent,
	{ workspace, cardId }: Pick<Subscription, 'workspace' | 'cardId'>,
	events: readonly string[],
): string | undefined {
	if (!events.includes(event.event)) {
		return `'Trigger On' doesn't include the event '${EVENTS.get(event.event) ?? event.event}'`;
	}
	if (event.workspace_id !== undefined && event.workspace_id !== workspace) {
		return 'it is from another workspace';
	}
	if (event.card_id !== undefined && cardId !== undefined && event.card_id !== cardId) {
		return 'it is from another card';
	}
	return undefined;
}

/**
 * Explains for the log why an event is too old; undefined if it isn't, or if nobody knows. Somebody may have corrected either
 * clock, so they are compared again before an event is ignored, at most once a minute.
 *
 * @param ask asks for the service's time, by a card; undefined if it doesn't say
 */
export async function excessiveAge(
	{ serviceClock }: Pick<TriggerNode, 'serviceClock'>,
	{ happenedAt = NaN, card_id }: DeliveredEvent,
	maxAgeMs: number | undefined,
	ask: (cardId: string) => Promise<number | undefined>,
): Promise<string | undefined> {
	if (maxAgeMs === undefined) return undefined;
	const age = (): number => Date.now() + serviceClock.aheadMs - happenedAt;
	const isKnown = Math.abs(Date.now() - serviceClock.learnedAt) < CLOCK_VALID_MS;
	if ((age() > maxAgeMs || age() < -CLOCK_VALID_MS) && !isKnown) {
		const time = card_id === undefined ? undefined : await ask(card_id).catch(() => undefined);
		if (time === undefined) return undefined;
		serviceClock.aheadMs = time - Date.now();
		serviceClock.learnedAt = Date.now();
	}
	if (!(age() > maxAgeMs)) return undefined;
	return `it is ${Math.round(age() / 60_000)} minutes old, more than 'Max Event Age (Minutes)' allows`;
}

/** What is needed to compare an event, in addition to the settings. */
interface ComparisonPlace {
	/** The fields of the event's card; undefined if they aren't available. */
	index: FieldIndex | undefined;
	zone: Zone;
	/** Logs why an event starts the workflow although it couldn't be compared. */
	log(message: string): void;
}

/** Returns true if an event affects the watched fields and meets the conditions. In doubt, the workflow starts. */
export function isRelevant(
	event: DeliveredEvent,
	settings: TriggerSettings,
	place: ComparisonPlace,
): boolean {
	const isWatched = event.event === 'record.updated' && settings.watchFields.length > 0;
	// Conditions are about records.
	const isFiltered = event.event.startsWith('record.') && settings.conditions.length > 0;
	return (
		(!isWatched || concerns(event, settings, place)) &&
		(!isFiltered || meetsConditions(event, settings, place))
	);
}

/**
 * Returns true if an update may have changed a watched field. If one card is watched, an unknown name is a
 * renamed field. If all cards are watched, it is a field of other cards.
 */
function concerns(
	{ data = {}, card_id }: DeliveredEvent,
	{ watchFields, card }: TriggerSettings,
	{ index, log }: ComparisonPlace,
): boolean {
	if (!index) return true;
	const hasChanged = (id: string): boolean => Object.hasOwn(data, id);
	const isChanged = (name: string): boolean =>
		hasChanged(name) || index.candidates(name).some(({ id }) => hasChanged(id));
	if (watchFields.some(isChanged)) return true;
	const unknown = watchFields.filter((name) => index.candidates(name).length === 0);
	if (card === undefined || unknown.length === 0) return false;
	const names = listedInQuotes(unknown, MAX_NAMED);
	log(
		`Card ${card_id} has no field ${names} to watch: every update of a record starts the workflow`,
	);
	return true;
}

/**
 * Returns true if the values in an event meet the conditions. Missing values count as empty. If all cards
 * are watched, a condition on a field that the card doesn't have isn't met.
 */
function meetsConditions(
	{ event, record_id = '', timestamp, data = {}, body }: DeliveredEvent,
	{ card, conditions, anyCondition }: TriggerSettings,
	{ index, zone, log }: ComparisonPlace,
): boolean {
	try {
		if (!index) throw new Error("the fields of the card couldn't be read");
		const isKnown = (key: string): boolean =>
			card !== undefined || OWN_VALUES.has(key) || index.candidates(key).length > 0;
		const known = conditions.filter(({ key }) => isKnown(key));
		if (known.length < conditions.length && !anyCondition) return false;
		const createdAt = event === 'record.created' ? (timestamp ?? null) : null;
		const test = recordTest(known, anyCondition, index, { zone });
		return test?.({ id: record_id, data, createdAt, raw: body }) ?? false;
	} catch (error) {
		log(`'Filters' can't be compared, so an event started the workflow: ${reasonOf(error)}`);
		return true;
	}
}
