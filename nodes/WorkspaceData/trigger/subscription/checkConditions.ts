/** Whoever publishes a trigger is told of conditions that the watched card can never meet. */
import type { IHookFunctions } from 'n8n-workflow';
import { indexFields, type FieldIndex } from '../../model/fieldIndex';
import { recordTest } from '../../model/value/recordFilter';
import { openApi } from '../../transport/api';
import type { Clock } from '../../transport/http/clock';
import { listFields } from '../../transport/listings';
import { localTime } from '../../transport/localTime';
import { type TriggerSettings, watchedCard } from '../parameters';

/** How long publishing may wait for a listing, in ms. */
const QUICK = { impatient: true, timeoutMs: 3_000 } as const;

/** The fields of the watched card; undefined where the service does not tell. */
async function fieldsOfCard(
	context: IHookFunctions,
	settings: TriggerSettings,
	clock: Clock,
): Promise<FieldIndex | undefined> {
	try {
		const api = await openApi(context, settings.authentication, clock);
		const cardId = await watchedCard(settings, api, QUICK);
		return cardId === null ? undefined : indexFields(await listFields(api, cardId, QUICK), cardId);
	} catch {
		// Subscribing comes next, and says what is wrong.
		return undefined;
	}
}

/**
 * Compares the conditions with the fields of the card, where one card is watched.
 *
 * @throws InputError for an unknown field or condition, or a value that the field cannot hold
 */
export async function checkConditions(
	context: IHookFunctions,
	settings: TriggerSettings,
	clock: Clock,
): Promise<void> {
	const { card, conditions, anyCondition } = settings;
	if (card === undefined || conditions.length === 0) return;
	const index = await fieldsOfCard(context, settings, clock);
	const place = { zone: localTime(context), hint: () => {} };
	if (index) recordTest(conditions, anyCondition, index, place);
}
