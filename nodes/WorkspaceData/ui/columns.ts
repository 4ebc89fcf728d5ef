/** The field mapper of the record operations, without the parts that differ. */
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

/** The label of the mapper in operations that update. */
export const UPDATE_LABEL = 'Values to Update';

/** The mapper of the operations that update: records are chosen otherwise, so there is nothing to match. */
export const updateColumnsProperty = {
	...columnsProperty,
	typeOptions: {
		loadOptionsDependsOn: ['cardId.value'],
		resourceMapper: {
			...columnsMapper,
			mode: 'add',
			valuesLabel: UPDATE_LABEL,
			addAllFields: true,
			multiKeyMatch: false,
		},
	},
} as const;
