import { readField, type Field } from '../../../nodes/WorkspaceData/model/response/field';

/** A field as the service lists it. */
export function field(
	name: string,
	type = 'text',
	options: unknown = [],
	id = `id-${name}`,
): Field {
	const read = readField({ id, name, type, options });
	if (!read) throw new Error(`Not a field: ${name}`);
	return read;
}
