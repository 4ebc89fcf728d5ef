/** The parameters of the trigger node, and what is refused when a person publishes. */
import type { IHookFunctions } from 'n8n-workflow';
import { OWN_VALUES } from '../records/ownValues';
import { readConditions, recordTest, type Filters } from '../records/filter';
import { FieldIndex } from '../records/fieldIndex';
import { fieldsOf, type Api } from '../transport/api';
import { localTime } from '../records/timeZone';
import { filtersProperty, matchTypeProperty } from '../properties/filters';
import { simplifyProperty } from '../properties/simplify';
import { checkedValue } from '../values/checkedValue';
import { checkCondition } from '../values/condition';
import { refuseEmptyExpressions, type ParameterDefinition } from '../values/emptyExpressions';
import { InputError } from '../values/inputError';
import { isObject } from '../values/jsonObject';
import { plainNames, plainNumber, plainText, readSwitch } from '../values/parameterValue';
import { EVENTS, optionsProperty } from './properties';

const UNIT_MS = { minutes: 60_000, hours: 3_600_000 } as const;
/** While a person waits. */
const LIST_CALL = { isUrgent: true, timeoutMs: 3_000 };

/** A context whose parameters don't belong to an item. */
type ParameterPlace = Pick<IHookFunctions, 'getNodeParameter'>;

/** The parameters of the trigger node. */
export type TriggerSettings = ReturnType<typeof readSettings>;

/** Reads the parameters. @throws InputError for an invalid value; names the parameter */
export function readSettings(context: ParameterPlace) {
	const events = plainNames(context.getNodeParameter('events', []));
	const unknown = events.find((event) => !EVENTS.has(event));
	if (events.length === 0 || unknown !== undefined) {
		const wrong = unknown === undefined ? 'is empty' : `can't be '${unknown}'`;
		const known = [...EVENTS.values()].join(', ');
		throw new InputError(`'Trigger On' ${wrong}`, `Select one or more of: ${known}.`);
	}
	const watch = context.getNodeParameter('watch', 'allCards');
	if (watch !== 'allCards' && watch !== 'oneCard') {
		throw new InputError(`'Watch' can't be '${plainText(watch)}'`, 'Select All Cards or One Card.');
	}
	const given = readDecision(context, optionsProperty);
	const options: Record<string, unknown> = isObject(given) ? given : {};
	const silenceMs = toMs(options.renewAfterSilence, 'Renew After Silence (Hours)', 'hours');
	return {
		events,
		/** The locator of the card; undefined for all cards. */
		card: watch === 'oneCard' ? context.getNodeParameter('cardId', '') : undefined,
		simple: readSwitch('Simplify', readDecision(context, simplifyProperty), true),
		fieldKeys: options.fieldKeys === 'id' ? ('id' as const) : ('name' as const),
		/** Names or IDs of fields; empty for all. */
		watchFields: plainNames(options.watchFields),
		/** The conditions that the record of an event must meet; empty for any record. */
		conditions: readConditions(
			checkedValue(filtersProperty, undefined, options.filters) as Filters,
		),
		/** True if one condition is enough. */
		anyCondition: checkedValue(matchTypeProperty, undefined, options.matchType) === 'anyCondition',
		ignoreDuplicates: readSwitch('Ignore Duplicates', options.ignoreDuplicates, true),
		/** Undefined for any age. */
		maxEventAgeMs: toMs(options.maxEventAge, 'Max Event Age (Minutes)', 'minutes'),
		/** Time without deliveries before the subscription is renewed; undefined for never. */
		silenceMs: silenceMs && Math.max(silenceMs, UNIT_MS.hours),
	};
}

/** Reads a parameter that decides something. @throws InputError if its expression returns no value */
function readDecision(context: ParameterPlace, definition: ParameterDefinition & { name: string }) {
	const value: unknown = context.getNodeParameter(definition.name, undefined);
	const raw = context.getNodeParameter(definition.name, undefined, { rawExpressions: true });
	refuseEmptyExpressions(definition, raw, value);
	return value;
}

/** @returns undefined for 0 */
function toMs(value: unknown = 0, label: string, unit: keyof typeof UNIT_MS): number | undefined {
	const number = plainNumber(value);
	if (Number.isFinite(number) && number >= 0) return number * UNIT_MS[unit] || undefined;
	throw new InputError(`'${label}' can't be '${plainText(value)}'`, `Enter a number of ${unit}.`);
}

/** @throws InputError for settings with which an event can never start the workflow */
export function refuseSettings({ events, card, conditions }: TriggerSettings): void {
	if (card !== undefined && events.includes('card.created')) {
		throw new InputError(
			"'Trigger On' can't include 'Card Created' while 'Watch' is 'One Card'",
			"A new card isn't the card that is watched. Remove the event, or select 'All Cards'.",
		);
	}
	for (const { key, condition, value } of conditions) {
		checkCondition(condition, value);
		if (key !== 'created_at' || events.includes('record.created')) continue;
		throw new InputError(
			"'Filters' can't compare 'Created At' without the event 'Record Created'",
			"Other events don't say when the record was created. Add the event, or remove the condition.",
		);
	}
}

/**
 * Checks fields and conditions of one card. What can't be checked, because all cards are watched or the fields can't be
 * read, is no reason to refuse.
 *
 * @throws InputError for a field that the card lacks, or a value that a field can't hold
 */
export async function refuseFields(
	context: Parameters<typeof localTime>[0],
	{ conditions, anyCondition, watchFields }: TriggerSettings,
	api: Api,
	cardId: string | undefined,
): Promise<void> {
	if (conditions.length + watchFields.length === 0) return;
	const listing = cardId === undefined ? undefined : api.list(fieldsOf(cardId), LIST_CALL);
	const fields = await listing?.catch(() => undefined);
	const index = new FieldIndex(fields ?? [], cardId ?? '');
	const known = fields ? conditions : conditions.filter(({ key }) => OWN_VALUES.has(key));
	recordTest(known, anyCondition, index, { zone: localTime(context) });
	const lacking = watchFields.filter((name) => index.candidates(name).length === 0);
	if (fields && lacking.length > 0) throw index.missing(lacking);
}
