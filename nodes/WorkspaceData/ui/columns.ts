/** The field mapper of the record operations, without what is different in each. */
export const columnsProperty = {
	displayName: 'Columns',
	name: 'columns',
	type: 'resourceMapper',
	default: { mappingMode: 'defineBelow', value: null },
	noDataExpression: true,
	required: true,
} as const;

/** How the mapper behaves in all of them. */
export const columnsMapper = {
	resourceMapperMethod: 'getColumns',
	fieldWords: { singular: 'field', plural: 'fields' },
	supportAutoMap: true,
	refreshStaleSchemaOnOpen: true,
	// Before a card is chosen nothing went wrong.
	hideNoDataError: true,
} as const;
