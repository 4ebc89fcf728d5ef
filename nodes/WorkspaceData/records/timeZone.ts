/** The time zone of a workflow. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { DateTime } from 'luxon';
import type { Zone } from '../values/time';

/** Interprets dates and times in the workflow's time zone. */
export function localTime(context: Pick<IExecuteFunctions, 'getTimezone'>): Zone {
	return {
		toUtc(local) {
			const time = DateTime.fromISO(local, { zone: context.getTimezone() });
			if (!time.isValid) return undefined;
			// Luxon moves a time that the clocks skip by an hour, so two different values would become one time.
			const clock = local.slice(11, 16);
			if (clock !== '' && time.toFormat('HH:mm') !== clock) return undefined;
			if (time.toFormat('yyyy-MM-dd') !== local.slice(0, 10)) return undefined;
			const utc = time.toUTC();
			// Years outside this range have more digits than the service accepts.
			return utc.year >= 0 && utc.year <= 9999 ? (utc.toISO() ?? undefined) : undefined;
		},
		day(offset) {
			const day = DateTime.now().setZone(context.getTimezone()).plus({ days: offset });
			const isUsable = day.isValid && day.year > 0 && day.year <= 9999;
			return (isUsable && day.toISODate()) || undefined;
		},
	};
}
