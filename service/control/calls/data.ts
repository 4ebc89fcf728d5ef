/** Calls that change data past the API: fill, seed, rename. */
import { z } from 'zod/v4';
import type { Field } from '../../data/fields.ts';
import { type FieldType, fieldTypes } from '../../foundation/fieldTypes.ts';
import type { ControlContext } from '../context.ts';
import { call, card } from './call.ts';

/** A value of a field's type that differs from record to record. */
function sample({ name, type, options }: Field, n: number): unknown {
	const option = options[n % Math.max(1, options.length)]?.name;
	const values: Record<FieldType, unknown> = {
		text: `${name} ${n}`,
		long_text: `${name} ${n}\nSecond line.`,
		number: n,
		boolean: n % 2 === 0,
		date: new Date(Date.UTC(2020, 0, 1 + (n % 3_650))).toISOString().slice(0, 10),
		datetime: new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString(),
		single_select: option,
		multi_select: option === undefined ? [] : [option],
		email: `person${n}@example.com`,
		url: `https://example.com/${n}`,
		json: { n },
	};
	return values[type] ?? null;
}

const seededField = z.strictObject({
	name: z.string(),
	type: z.enum(fieldTypes),
	options: z.array(z.string()).default([]),
});

const seededCard = z.strictObject({
	name: z.string(),
	description: z.string().default(''),
	fields: z.array(seededField).default([]),
	/** Data by field name. */
	records: z.array(z.record(z.string(), z.unknown())).default([]),
});

/** Makes a card with fields and records. @returns the ids */
function seedCard(
	{ data, workspaceId }: ControlContext,
	{ name, description, fields, records }: z.output<typeof seededCard>,
) {
	const { id } = data.cards.insert(workspaceId, name, description);
	const fieldIds = Object.fromEntries(
		fields.map((field) => [field.name, data.fields.create(workspaceId, id, field).id]),
	);
	const recordIds = records.map((row) => {
		const byId = Object.entries(row).map(([key, value]) => [fieldIds[key] ?? key, value] as const);
		return data.records.insert(id, Object.fromEntries(byId)).id;
	});
	return { id, name, fieldIds, recordIds };
}

/** Makes the calls. */
export function dataCalls(context: ControlContext) {
	const { data } = context;
	const { database, fields, records } = data;
	return {
		/** Gives all fields of a card new ids. @returns old id → new id */
		rotateFieldIds: call(card, ({ cardId }) => fields.rotate(cardId)),
		/** Renames a field. */
		renameField: call(card.extend({ fieldId: z.string(), name: z.string() }), (input) => {
			const { cardId, fieldId, name } = input;
			fields.update(data.cards.workspaceOf(cardId), cardId, fieldId, { name });
		}),
		/** Puts records into a card, with values of the fields' types, without events. */
		fillCard: call(card.extend({ count: z.int().min(1).max(1_000_000) }), (input) => {
			data.cards.workspaceOf(input.cardId);
			const list = fields.of(input.cardId);
			database.transaction(() => {
				for (let n = 0; n < input.count; n++) {
					const values = list.map((field) => [field.id, sample(field, n)] as const);
					records.insert(input.cardId, Object.fromEntries(values));
				}
			});
			return { count: records.count(input.cardId) };
		}),
		/** Makes cards with fields and records, without events. @returns their ids */
		seed: call(z.strictObject({ cards: z.array(seededCard) }), ({ cards }) =>
			database.transaction(() => ({ cards: cards.map((one) => seedCard(context, one)) })),
		),
		/** Announces a collaborator of a card (event collaborator.added). */
		addCollaborator: call(
			card.extend({ email: z.string(), role: z.string().default('editor') }),
			({ cardId, email, role }) =>
				data.cards.addCollaborator(data.cards.workspaceOf(cardId), cardId, { email, role }),
		),
	};
}
