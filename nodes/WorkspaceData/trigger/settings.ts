/** The parameters of the trigger node, and what is refused when a person publishes. */
import type { IHookFunctions } from 'n8n-workflow';
import { OWN_VALUES } from '../records/ownValues';
import { fieldKey, readFilter, type Filters, type MatchType } from '../records/filter';
import { FieldIndex } from '../records/fieldIndex';
import { locatorValue } from '../records/locator';
import { fieldsOf, type Api } from '../transport/api';
import { localTime } from '../records/timeZone';
import { simplifyProperty } from '../properties/recordOptions';
import { checkedValue, type ParameterDefinition } from '../values/checkedValue';
import { checkCondition } from '../values/condition';
import { InputError } from '../values/inputError';
import { HOUR_MS, MINUTE_MS } from '../values/time';
import { eventsProperty, optionsProperty, watchProperty } from './properties';

/** While a person waits. */
const LIST_CALL = { isUrgent: true, timeoutMs: 3_000 };

/** The parameter 'Options', checked by its definition. */
interface Options {
	fieldKeys?: 'id' | 'name';
	filters?: Filters;
	ignoreDuplicates?: boolean;
	matchType?: MatchType;
	maxEventAge?: number;
	renewAfterSilence?: number;
	watchFields?: string[];
}

/** The parameters of the trigger node. */
export type TriggerSettings = ReturnType<typeof readSettings>;

/** Reads the parameters. @throws InputError for an invalid value; names the parameter */
export function readSettings(context: Pick<IHookFunctions, 'getNodeParameter'>) {
	const read = (definition: ParameterDefinition & { name: string }): unknown => {
		const { name, default: fallback } = definition;
		const raw = context.getNodeParameter(name, fallback, { rawExpressions: true });
		return checkedValue(definition, raw, context.getNodeParameter(name, fallback));
	};
	const events = read(eventsProperty) as string[];
	if (events.length === 0) throw new InputError("'Trigger On' is empty", 'Select an event.');
	const options = read(optionsProperty) as Options;
	return {
		events,
		/** The locator of the card; undefined for all cards. */
		card: read(watchProperty) === 'oneCard' ? context.getNodeParameter('cardId', '') : undefined,
		simple: read(simplifyProperty) as boolean,
		fieldKeys: options.fieldKeys ?? 'name',
		/** Names or IDs of fields; empty for all. */
		watchFields: options.watchFields ?? [],
		/** The conditions that the record of an event must meet; empty for any record. */
		conditions: options.filters?.conditions ?? [],
		matchType: options.matchType ?? ('allConditions' as const),
		ignoreDuplicates: options.ignoreDuplicates ?? true,
		/** Undefined for any age. */
		maxEventAgeMs: options.maxEventAge ? options.maxEventAge * MINUTE_MS : undefined,
		/** Time without deliveries before the subscription is renewed; undefined for never. */
		silenceMs: options.renewAfterSilence ? options.renewAfterSilence * HOUR_MS : undefined,
	};
}

/** @throws InputError for settings with which an event can never start the workflow */
export function refuseSettings({ events, card, conditions }: TriggerSettings): void {
	if (card !== undefined && events.includes('card.created')) {
		throw new InputError(
			"'Trigger On' can't include 'Card Created' while 'Watch' is 'One Card'",
			"A new card isn't the card that is watched. Remove the event, or select 'All Cards'.",
		);
	}
	for (const { field, condition, value } of conditions) {
		checkCondition(condition, locatorValue(value));
		if (fieldKey(field, 'Filters') !== 'created_at' || events.includes('record.created')) continue;
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
	{ conditions, matchType, watchFields }: TriggerSettings,
	api: Api,
	cardId: string | undefined,
): Promise<void> {
	if (conditions.length + watchFields.length === 0) return;
	const listing = cardId === undefined ? undefined : api.list(fieldsOf(cardId), LIST_CALL);
	const fields = await listing?.catch(() => undefined);
	const index = new FieldIndex(fields ?? [], cardId ?? '');
	const isKnown = (key: unknown) => fields !== undefined || OWN_VALUES.has(String(key));
	const known = conditions.filter(({ field }) => isKnown(field));
	readFilter({ conditions: known }, matchType, index, { zone: localTime(context) });
	const lacking = watchFields.filter((name) => index.candidates(name).length === 0);
	if (fields && lacking.length > 0) throw index.missing(lacking);
}
