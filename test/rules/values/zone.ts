/** A time zone two hours east of Greenwich, all year, in which it is always noon of one day. */
import type { Zone } from '../../../nodes/WorkspaceData/values/time';

const TODAY = Date.parse('2026-03-31T00:00:00Z');

export const zone: Zone = {
	toUtc(local) {
		const time = Date.parse(`${local.length === 10 ? `${local}T00:00` : local}+02:00`);
		return Number.isNaN(time) ? undefined : new Date(time).toISOString();
	},
	day(offset) {
		const time = TODAY + offset * 86_400_000;
		return Math.abs(time) < 8e14 ? new Date(time).toISOString().slice(0, 10) : undefined;
	},
};
