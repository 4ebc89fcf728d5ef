import { field as schema, type Field } from '../../../nodes/WorkspaceData/transport/schemas';

/** A field as the service lists it. */
export const field = (
	name: string,
	type = 'text',
	options: unknown = [],
	id = `id-${name}`,
): Field => schema.parse({ id, name, type, options });
