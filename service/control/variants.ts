/** The shapes that the interface leaves open, and faults that services of this kind have. */
import { z } from 'zod/v4';

/**
 * The choices of each variant. The first is what this service does on its own (DECISIONS.md); the others exist so that a
 * client can be tried against all of them. README.md says what each does.
 */
const choices = {
	lists: ['named', 'bare', 'data', 'items'],
	objects: ['bare', 'named', 'data'],
	createStatus: [201, 200, 204],
	updateStatus: [200, 204],
	changedRecords: ['whole', 'id'],
	deleteStatus: [204, 200],
	webhookIdKey: ['webhook_id', 'id'],
	webhookSecret: ['top', 'wrapped'],
	fieldOptions: ['strings', 'idName', 'valueLabel'],
	fieldIdKey: ['id', 'field_id'],
	extraProperties: [false, true],
	tokenExpiresIn: [true, false],
	updatedEventData: ['changed', 'full'],
	limitAboveMaximum: ['refuse', 'clamp'],
	clearedFields: ['absent', 'null'],
	longNumbers: [false, true],
	storedTexts: ['exact', 'lowerCase', 'trimmed', 'wholeSeconds'],
	storedNames: ['exact', 'snakeCase'],
	nameKey: ['name', 'label', 'title', 'field_name'],
	readOnlyKey: [
		...(['none', 'read_only', 'readOnly', 'readonly'] as const),
		...(['computed', 'is_computed', 'isReadOnly'] as const),
	],
	charset: ['utf-8', 'iso-8859-1', 'utf-16le'],
	limitAboveTen: [200, 400, 403, 413, 422],
	listPages: ['one', 'pages'],
	problems: ['bare', 'nested'],
	createdAt: ['exact', 'same', 'day', 'seconds'],
} as const;

/** One choice for each variant. */
export type Variants = { -readonly [Name in keyof typeof choices]: (typeof choices)[Name][number] };

const entries = Object.entries(choices);

/** The variants that a caller chooses. */
export const variantsSchema = z.strictObject(
	Object.fromEntries(entries.map(([name, values]) => [name, z.literal([...values]).optional()])),
) as unknown as z.ZodType<Partial<Variants>, Partial<Variants>>;

/** The behavior of the service unless told otherwise. */
export const defaultVariants = Object.fromEntries(
	entries.map(([name, [first]]) => [name, first]),
) as Readonly<Variants>;
