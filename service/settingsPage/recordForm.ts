/** The form of a record: its values as a person types them. */
import type { FastifyReply } from 'fastify';
import type { Field } from '../data/fields.ts';
import type { ApiRecord } from '../data/records.ts';
import { isProblem, type Problem } from '../foundation/problem.ts';
import { cardPath, type Visit } from './context.ts';
import { html, render } from './render.ts';

/** What a form holds for a field: text, or the names of the chosen options. */
type Typed = string | string[];

/** A value as the form shows it. */
export function toTyped({ type }: Pick<Field, 'type'>, value: unknown): Typed {
	if (value === undefined || value === null) return '';
	if (type === 'multi_select') return value as string[];
	return type !== 'json' && typeof value === 'string' ? value : JSON.stringify(value);
}

/** What was typed, as a value of the field; text that is none is refused when it is stored. */
function toValue({ type }: Field, typed: Typed): unknown {
	if (typed.length === 0) return null;
	if (typeof typed !== 'string') return typed;
	switch (type) {
		case 'multi_select':
			return [typed];
		case 'number':
		case 'boolean':
		case 'json':
			try {
				return JSON.parse(typed) as unknown;
			} catch {
				return typed;
			}
		default:
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
): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const field of fields) {
		const typed = typedIn(body, field);
		const before = withoutReturns(toTyped(field, record?.data[field.id]));
		if (String(before) !== String(typed)) values[field.id] = toValue(field, typed);
	}
	return values;
}

/** The form of a record, or of a new one; with what was typed if that was refused. */
export function recordPage(visit: Visit, refused?: Problem): string {
	const { data, workspaceId, request } = visit;
	const { cid, rid } = visit.ids;
	const fields = data.fields.list(workspaceId, cid);
	const record = rid === undefined ? undefined : data.records.get(workspaceId, cid, rid);
	return render('record', 'records', visit, {
		card: data.cards.get(workspaceId, cid),
		record,
		action: request.url,
		error: refused?.message,
		inputs: fields.map((field) => ({
			...field,
			typed: refused ? typedIn(request.body, field) : toTyped(field, record?.data[field.id]),
		})),
	});
}

/** Stores what was typed, and returns to the card; to the form, with the reason, if that was refused. */
export function saveRecord(visit: Visit): FastifyReply {
	const { data, workspaceId, ids, request, reply } = visit;
	const { cid, rid } = ids;
	try {
		const fields = data.fields.list(workspaceId, cid);
		if (rid === undefined) {
			data.records.create(workspaceId, cid, changedValues(fields, request.body));
		} else {
			const record = data.records.get(workspaceId, cid, rid);
			data.records.update(workspaceId, cid, rid, changedValues(fields, request.body, record));
		}
	} catch (error) {
		if (!isProblem(error) || error.problem.status !== 422) throw error;
		return html(reply.code(422), recordPage(visit, error));
	}
	const text = rid === undefined ? 'The record was added.' : 'The record was changed.';
	visit.session.notices.push({ text, secrets: [] });
	return reply.redirect(cardPath(ids), 303);
}
