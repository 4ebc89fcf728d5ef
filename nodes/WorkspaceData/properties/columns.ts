/** The field mapper of the operations that write records. */

/** Labels of the mapper in the editor. */
export const VALUES_LABEL = 'Values to Send';
export const UPDATE_LABEL = 'Values to Update';

/** @param mode `upsert` if records are matched by some of the fields */
function mapperProperty(mode: 'add' | 'upsert', valuesLabel: string) {
	return {
		displayName: 'Columns',
		name: 'columns',
		type: 'resourceMapper',
		default: { mappingMode: 'defineBelow', value: null },
		noDataExpression: true,
		required: true,
		typeOptions: {
			loadOptionsDependsOn: ['cardId.value'],
			resourceMapper: {
				resourceMapperMethod: 'getColumns',
				mode,
				valuesLabel,
				fieldWords: { singular: 'field', plural: 'fields' },
				addAllFields: true,
				multiKeyMatch: mode === 'upsert',
				supportAutoMap: true,
				refreshStaleSchemaOnOpen: true,
				// Before a card is selected, there is no error to show.
				hideNoDataError: true,
			},
		},
	} as const;
}

/**
 * What to do before a card is selected: the mapper of a new node shows nothing until the panel is opened
 * again. It is hidden in other cases, as n8n takes a condition for showing it as met by any expression.
 */
export const selectCardNotice = {
	displayName: 'Select a card to see its fields.',
	name: 'selectCardNotice',
	type: 'notice',
	default: '',
	displayOptions: { hide: { cardId: [{ _cnd: { not: '' } }] } },
} as const;

/** The mapper of Create. */
export const createColumnsProperty = mapperProperty('add', VALUES_LABEL);

/**
 * The mapper of the operations that update. Records are selected in another way, so there is nothing to
 * match.
 */
export const updateColumnsProperty = mapperProperty('add', UPDATE_LABEL);

/** The mapper of the operations that find records by some of the values. */
export const matchColumnsProperty = mapperProperty('upsert', VALUES_LABEL);
