/** The execution that looks for missed records. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod/v3';
import { indexFields, type FieldIndex } from '../../model/fieldIndex';
import type { Search } from '../../model/subscription/eventsAndEffects';
import { openSession } from '../../transport/session';
import { type Clock, systemClock } from '../../transport/http/clock';
import { listFields } from '../../transport/cardAndFieldListings';
import { localTime } from '../../transport/timeZone';
import { isFiltered, meetsConditions } from '../delivery/relevance';
import { reasonOf, warn } from '../log';
import { missedEvent, outputOf } from '../output';
import { watchedCard, type TriggerSettings } from '../parameters';
import { openStore } from '../subscription/storage';
import { openKnownRecords } from './knownRecords';
import { createdBetween, findMissed, keyOf } from './missedRecords';

const toIso = (ms: number): string => new Date(ms).toISOString();

/** The item that starts an execution which looks for missed records. */
export const searchJob = ({ from, earlier, upTo }: Search): IDataObject => ({
	event: 'catch_up',
	from: toIso(from),
	to: toIso(upTo),
	earlier: earlier.map(toIso),
});

const time = z.string().transform((text) => Date.parse(text));
const jobSchema = z
	.object({
		event: z.literal('catch_up'),
		from: time,
		to: time,
		earlier: z.array(time).default([]),
	})
	.transform(({ from, to, earlier }): Search => ({ from, earlier, upTo: to }));

/** The search in such an item; undefined for another one. */
export const readSearchJob = (json: unknown): Search | undefined => jobSchema.safeParse(json).data;

/** The missed records as items. @throws what reading the cards throws, except that one of all cards is gone or refused */
export async function catchUp(
	context: IExecuteFunctions,
	settings: TriggerSettings,
	search: Search,
	clock: Clock = systemClock,
): Promise<INodeExecutionData[]> {
	const session = await openSession(context, settings.authentication, clock);
	// As subscribed: a card that was chosen by name may have another one by now.
	const { current } = await openStore(context, undefined).read();
	const watched = current ? current.cardId : await watchedCard(settings, session);
	const known = openKnownRecords(context);
	const warned = new Set<string>();
	const warnOnce = (message: string): void => {
		if (!warned.has(message)) warn(context, message);
		warned.add(message);
	};
	const created = (after: number, upTo: number) =>
		createdBetween(session, watched, after, upTo, ({ id, name }, error) =>
			warnOnce(
				`Missed records of card '${name}' (${id}) are left out, because it cannot be read: ${reasonOf(error)}`,
			),
		);
	const missed = await findMissed(created, search, known);
	const oldest = clock.now() + (current?.clockAheadMs ?? 0) - settings.maxEventAgeMs;
	const wanted = missed.filter(({ createdAt }) => createdAt >= oldest);

	const indexes = new Map<string, FieldIndex | undefined>();
	const isNamed = settings.simple && settings.fieldKeys === 'name';
	const needsFields = isNamed || settings.conditions.length > 0;
	for (const cardId of needsFields ? new Set(wanted.map((one) => one.cardId)) : []) {
		const fields = await listFields(session, cardId).catch(() => undefined);
		indexes.set(cardId, fields && indexFields(fields, cardId));
	}
	const zone = localTime(context);
	// Last: a search that failed is done again.
	const found = missed.map((one) => ({ key: keyOf(one), createdAt: one.createdAt }));
	const delivered = await known.complete(search.upTo, found);
	return wanted.flatMap((one) => {
		if (delivered.has(keyOf(one))) return [];
		const event = missedEvent(one, session.workspaceId);
		const index = indexes.get(one.cardId);
		const place = { index, zone, warn: warnOnce };
		if (isFiltered(event, settings) && !meetsConditions(event, settings, place)) return [];
		return [{ json: outputOf(event, settings, index) }];
	});
}
