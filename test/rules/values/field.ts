/** Fields as a listing has them. */
import { choiceListOf, readOptions } from '../../../nodes/WorkspaceData/values/choiceList';
import { kindOfType } from '../../../nodes/WorkspaceData/values/kinds/allKinds';
import type { ValueField } from '../../../nodes/WorkspaceData/values/kind';

export const field = (name: string, type = 'text', options: unknown = []): ValueField => ({
	...{ name, type, kind: kindOfType(type) },
	options: readOptions(choiceListOf({ options })),
});
