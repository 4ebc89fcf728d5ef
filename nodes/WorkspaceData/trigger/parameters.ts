/** Reads and checks the parameters of the trigger node. */
import type { IHookFunctions } from 'n8n-workflow';
import { readSwitch, plainNames, plainNumber, plainText } from '../values/parameterValue';
import { refuseEmptyExpressions, type ParameterDefinition } from '../model/emptyExpressions';
import { FieldIndex } from '../records/fieldIndex';
import { InputError } from '../values/inputError';
import { locateCard, readLocator } from '../records/locator';
import { readConditions, readMatchType, recordTest } from '../records/filter';
import { checkCondition } from '../values/condition';
import { OWN_VALUES } from '../model/response/record';
import type { Session } from '../transport/session';
import { toAuthentication, type Authentication } from '../transport/auth/credential';
import { listCards, listFields, type ReadOptions } from '../transport/cardAndFieldListings';
import { localTime } from '../transport/timeZone';
import { simplifyProperty } from '../properties/simplify';
import {
	DEFAULT_OVERLAP_MINUTES,
	DEFAULT_SILENCE_HOURS,
	EVENTS,
	optionsProperty,
} from './properties';

/** Min time without deliveries before a subscription is renewed, in hours. */
const MIN_SILENCE_HOURS = 1;

const UNIT_MS = { minutes: 60_000, hours: 3_600_000 } as const;

/** A context whose parameters don't belong to an item. */
type ParameterPlace = Pick<IHookFunctions, 'getNodeParameter'>;

/** The parameters of the trigger node. */
export type TriggerSettings = ReturnType<typeof readSettings>;

function toMs(value: unknown, parameter: string, unit: keyof typeof UNIT_MS): number {
	const number = plainNumber(value);
	if (Number.isFinite(number) && number >= 0) return number * UNIT_MS[unit];
	throw new InputError(
		`'${parameter}' can't be '${plainText(value)}'`,
		`Enter a number of ${unit}.`,
	);
}

/** Reads a parameter that decides something. @throws InputError if its expression returns no value */
function readDecision(
	context: ParameterPlace,
	definition: ParameterDefinition & { name: string; default: unknown },
): unknown {
	const { name, default: fallback } = definition;
	const value = context.getNodeParameter(name, fallback);
	const raw = context.getNodeParameter(name, fallback, { rawExpressions: true });
	refuseEmptyExpressions(definition, raw, value);
	return value;
}

/**
 * Reads the parameters.
 *
 * @throws InputError for an invalid value; names the parameter
 */
export function readSettings(context: ParameterPlace) {
	const events = plainNames(context.getNodeParameter('events', []));
	const unknown = events.find((event) => !EVENTS.includes(event));
	if (events.length === 0 || unknown !== undefined) {
		const wrong = unknown === undefined ? 'is empty' : `can't be '${unknown}'`;
		throw new InputError(`'Trigger On' ${wrong}`, `Select one or more of: ${EVENTS.join(', ')}.`);
	}
	const watch = context.getNodeParameter('watch', 'allCards');
	if (watch !== 'allCards' && watch !== 'oneCard') {
		throw new InputError(`'Watch' can't be '${plainText(watch)}'`, 'Select All Cards or One Card.');
	}
	const given = readDecision(context, optionsProperty);
	const options = (typeof given === 'object' ? given : {}) as Record<string, unknown>;
	const overlap = options.overlap ?? DEFAULT_OVERLAP_MINUTES;
	const silence = options.renewAfterSilence ?? DEFAULT_SILENCE_HOURS;
	const silenceMs = toMs(silence, 'Renew After Silence (Hours)', 'hours');
	return {
		authentication: toAuthentication(context.getNodeParameter('authentication', 'apiKey')),
		events,
		/** The locator of the card; undefined for all cards. */
		card: watch === 'oneCard' ? context.getNodeParameter('cardId', '') : undefined,
		simple: readSwitch(simplifyProperty.displayName, readDecision(context, simplifyProperty), true),
		fieldKeys: options.fieldKeys === 'id' ? ('id' as const) : ('name' as const),
		/** Names or IDs of fields; empty for all. */
		watchFields: plainNames(options.watchFields),
		/** The conditions that the record of an event must meet; empty for any record. */
		conditions: readConditions(options.filters),
		/** True if one condition is enough. */
		anyCondition: readMatchType(options.matchType),
		ignoreDuplicates: readSwitch('Ignore Duplicates', options.ignoreDuplicates, true),
		/** Undefined for any age. */
		maxEventAgeMs:
			toMs(options.maxEventAge ?? 0, 'Max Event Age (Minutes)', 'minutes') || undefined,
		catchUp: readSwitch('Catch Up on Missed Records', options.catchUp, false),
		overlapMs: toMs(overlap, 'Overlap After a Restart (Minutes)', 'minutes'),
		/** Time without deliveries before the subscription is renewed; undefined for never. */
		silenceMs: silenceMs > 0 ? Math.max(silenceMs, MIN_SILENCE_HOURS * UNIT_MS.hours) : undefined,
	};
}

/**
 * The kind of credential, also where other parameters are invalid. It can't have an expression, which n8n 2
 * evaluates only while it activates the trigger.
 */
export const readAuthentication = (context: Pick<IHookFunctions, 'getNode'>): Authentication =>
	context.getNode().parameters.authentication === 'serviceAccount' ? 'serviceAccount' : 'apiKey';

/**
 * The watched card.
 *
 * @returns its ID, or null for all cards
 * @throws InputError if none is selected, or if no card has the name
 */
export async function watchedCard(
	{ card }: TriggerSettings,
	session: Session,
	options: ReadOptions = {},
): Promise<string | null> {
	if (card === undefined) return null;
	const list = async () => await listCards(session, options);
	return (await locateCard(readLocator(card, 'Card'), list)).id;
}

/** Timeout of a listing while publishing, in ms. */
const QUICK = { impatient: true, timeoutMs: 3_000 } as const;

/**
 * Checks the conditions. If one card is watched, its fields are used. If all cards are watched, or if the
 * fields can't be read, everything else is checked.
 *
 * @throws InputError for an unknown field or condition, a missing value, or a value that the field can't
 * hold
 */
export async function checkConditions(
	context: Parameters<typeof localTime>[0],
	{ conditions, anyCondition }: TriggerSettings,
	session: Session,
	cardId: string | null,
): Promise<void> {
	if (conditions.length === 0) return;
	for (const { condition, value } of conditions) checkCondition(condition, value);
	const fields =
		cardId === null ? undefined : await listFields(session, cardId, QUICK).catch(() => undefined);
	const known = fields ? conditions : conditions.filter(({ key }) => OWN_VALUES.has(key));
	const index = new FieldIndex(fields ?? [], cardId ?? '');
	recordTest(known, anyCondition, index, { zone: localTime(context) });
}
