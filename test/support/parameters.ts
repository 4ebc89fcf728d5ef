import type { IDataObject } from 'n8n-workflow';
import { byId, byName, mapAutomatically, mapEach } from '../host/workflowBuilder.ts';

export { byId, byName, mapAutomatically, mapEach };

/** A resource locator as the editor's list leaves it. */
export const fromList = (value: string, cachedResultName: string): IDataObject => ({
	__rl: true,
	mode: 'list',
	value,
	cachedResultName,
});

/** One condition of a filter. */
export const where = (field: string, condition: string, value: unknown = ''): IDataObject => ({
	filters: { conditions: [{ field, condition, value }] } as IDataObject,
});

/** Record Create with one value: the `key` of the input item, or `x`. */
export const createKey = (cardId: string, more: IDataObject = {}): IDataObject => ({
	resource: 'record',
	operation: 'create',
	cardId: byId(cardId),
	columns: mapEach({ Key: '={{ $json.key ?? "x" }}' }),
	...more,
});
