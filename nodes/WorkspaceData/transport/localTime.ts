import type { IExecuteFunctions } from 'n8n-workflow';
import { DateTime } from 'luxon';
import type { ToUtc } from '../model/time';

/** Dates and times as the workflow's time zone means them. */
export const localTime =
	(context: Pick<IExecuteFunctions, 'getTimezone'>): ToUtc =>
	(local) => {
		const time = DateTime.fromISO(local, { zone: context.getTimezone() });
		return time.isValid ? (time.toUTC().toISO() ?? undefined) : undefined;
	};
