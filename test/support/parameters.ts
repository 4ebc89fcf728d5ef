import type { IDataObject } from 'n8n-workflow';

/** A resource locator by id; the value may be an expression. */
export const byId = (value: string): IDataObject => ({ __rl: true, mode: 'id', value });

/** A resource locator by name. */
export const byName = (value: string): IDataObject => ({ __rl: true, mode: 'name', value });

/** A resource locator as the editor's list leaves it. */
export const fromList = (value: string, cachedResultName: string): IDataObject => ({
	__rl: true,
	mode: 'list',
	value,
	cachedResultName,
});

/** "Map Each Column Manually". */
export const mapEach = (value: IDataObject, more: IDataObject = {}): IDataObject => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema: [],
	...more,
});

/** "Map Automatically". */
export const mapAutomatically = (matchingColumns: string[] = []): IDataObject => ({
	mappingMode: 'autoMapInputData',
	value: null,
	matchingColumns,
	schema: [],
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
