/** The form of a record: its values as a person types them. */
import type { FastifyReply } from 'fastify';
import type { Field } from '../data/fields.ts';
import type { ApiRecord, Data } from '../data/records.ts';
import { isProblem, type Problem } from '../foundation/problem.ts';
import { cardPath, render, type Visit } from './pages.ts';

/** What a form holds for a field: text, or the names of the chosen options. */
type Typed = string | string[];

/** The form of a record, or of a new one; with what was typed if that was refused. */
export function recordPage(visit: Visit, refused?: Problem): FastifyReply {
	const { store, workspaceId, request } = visit;
	const { cid } = visit.ids;
	const record = recordOf(visit);
	return render('record', visit, {
		card: store.cards.get(workspaceId, cid),
		record,
		action: request.url,
		error: refused?.message,
		inputs: store.fields.list(workspaceId, cid).map((field) => ({
			...field,
			typed: refused ? typedIn(request.body, field) : toTyped(field, record?.data[field.id]),
		})),
	});
}

/** Stores what was typed, and returns to the card; to the form, with the reason, if that was refused. */
export function saveRecord(visit: Visit): FastifyReply {
	const { store, workspaceId, ids, request, reply } = visit;
	const { cid } = ids;
	const record = recordOf(visit);
	try {
		const values = changedValues(store.fields.list(workspaceId, cid), request.body, record);
		if (record) store.records.update(workspaceId, cid, record.id, values);
		else store.records.create(workspaceId, cid, values);
	} catch (error) {
		if (!isProblem(error) || error.problem.status !== 422) throw error;
		void reply.code(422);
		return recordPage(visit, error);
	}
	visit.notices.push({ text: `The record was ${record ? 'changed' : 'added'}.` });
	return reply.redirect(cardPath(cid), 303);
}

const recordOf = ({ store, workspaceId, ids: { cid, rid } }: Visit) =>
	rid === undefined ? undefined : store.records.get(workspaceId, cid, rid);

/** A value as the form shows it. */
export function toTyped({ type }: Pick<Field, 'type'>, value: unknown): Typed {
	if (value === undefined) return '';
	if (type === 'multi_select') return value as string[];
	return type !== 'json' && typeof value === 'string' ? value : JSON.stringify(value);
}

/** What was typed, as a value of the field; text that is none is refused when it is stored. */
function toValue({ type }: Field, typed: Typed): unknown {
	if (typed.length === 0) return null;
	if (type === 'multi_select') return [typed].flat();
	if (typeof typed !== 'string' || !['number', 'boolean', 'json'].includes(type)) return typed;
	try {
		return JSON.parse(typed) as unknown;
	} catch {
		return typed;
	}
}

/** The text of a form, with the line breaks that were there before the browser sent it. */
const withoutReturns = (typed: Typed): Typed =>
	typeof typed === 'string' ? typed.replaceAll('\r\n', '\n') : typed;

/** What was typed for a field. */
const typedIn = (body: unknown, { id }: Field) =>
	withoutReturns(((body ?? {}) as Record<string, Typed | undefined>)[id] ?? '');

/**
 * The values that a form changes: a field that nobody touched is left out, so nothing is read again in another form.
 * @param record the record before; undefined for a new one
 */
export function changedValues(
	fields: readonly Field[],
	body: unknown,
	record?: Pick<ApiRecord, 'data'>,
): Data {
	const values: Data = {};
	for (const field of fields) {
		const typed = typedIn(body, field);
		const before = withoutReturns(toTyped(field, record?.data[field.id]));
		if (String(before) !== String(typed)) values[field.id] = toValue(field, typed);
	}
	return values;
}
