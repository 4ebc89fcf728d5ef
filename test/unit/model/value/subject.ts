/** today's code */
import { sameness } from '../../../../nodes/WorkspaceData/model/value/comparison';
import { compareBy, orderKey } from '../../../../nodes/WorkspaceData/model/value/sort';
import { conditionTest } from '../../../../nodes/WorkspaceData/model/value/condition';
import { toFieldValue } from '../../../../nodes/WorkspaceData/model/value/values';
import type { Field } from '../../../../nodes/WorkspaceData/model/answer/field';
import { DateTime } from 'luxon';
const toUtc = (local: string) => {
	const time = DateTime.fromISO(local, { zone: 'UTC+2' });
	return time.isValid ? (time.toUTC().toISO() ?? undefined) : undefined;
};
export const keyOf = (field: Field, value: unknown) => sameness(field, value);
export const compare = (field: Field, a: unknown, b: unknown) => {
	const o = { field, direction: 'asc' as const };
	return compareBy([o])([orderKey(o, a)], [orderKey(o, b)]);
};
export const enter = (field: Field, value: unknown) => toFieldValue(field, value, { emptyValues: 'send', toUtc });
export const equals = (field: Field, value: unknown) => conditionTest('equals', value, field, toUtc);
