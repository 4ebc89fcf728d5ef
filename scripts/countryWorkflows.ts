import { type Country, rowOf } from './countries.ts';
import type { Workflow } from '../test/host/n8nClient.ts';
import type { Workbench } from '../test/host/workbench.ts';
import {
	byId,
	byName,
	chain,
	codeItems,
	manualTrigger,
	mapEach,
	type NodeDraft,
} from '../test/host/workflowBuilder.ts';

/** The card's name. */
export const cardName = 'Countries';

/** Makes our nodes with their credentials. */
type Nodes = Pick<Workbench, 'action' | 'trigger'>;

/**
 * Imports the countries with two nodes: their rows, and the card from them. With the API key.
 *
 * @param withRecords false makes the card and its fields only, as the trigger must exist before the
 * records; true adds the records to it
 */
export function importCountries(
	{ action }: Nodes,
	countries: readonly Country[],
	withRecords: boolean,
): Workflow {
	const importing = action('Card from the countries', {
		resource: 'card',
		operation: 'createFromItems',
		name: cardName,
		options: withRecords ? { ifExists: 'reuse' } : { createRecords: false },
	});
	const rows = codeItems('Countries', countries.map(rowOf));
	const what = withRecords ? 'Write the countries' : 'Create the card Countries';
	return chain(what, [manualTrigger(), rows, importing]);
}

/** Reads all records, with the service account. */
export function readRecords({ action }: Nodes): Workflow {
	const read = action('Read records', {
		authentication: 'serviceAccount',
		resource: 'record',
		operation: 'getAll',
		cardId: byName(cardName),
		returnAll: true,
	});
	return chain('Read the countries', [manualTrigger(), read]);
}

/** The records that {@link changeRecords} changes, and how. */
export const changes = {
	updatedRegion: 'Oceania',
	deletedRegion: 'Antarctic',
	/** The values after the update; a null clears. */
	values: { 'Review Due': '2027-01-31', 'UN Member': false, Latitude: 0, Capital: null, Flag: '' },
} as const;

/** Updates the records of one region and deletes those of another, with the service account. */
export function changeRecords({ action }: Nodes): Workflow {
	const find = (name: string, region: string) =>
		action(name, {
			authentication: 'serviceAccount',
			resource: 'record',
			operation: 'getAll',
			cardId: byName(cardName),
			returnAll: true,
			filters: { conditions: [{ field: 'Region', condition: 'equals', value: region }] },
			matchType: 'allConditions',
		});
	const update = action('Update records', {
		authentication: 'serviceAccount',
		resource: 'record',
		operation: 'update',
		cardId: byName(cardName),
		recordId: byId('={{ $json.id }}'),
		columns: mapEach({ ...changes.values, Capital: '={{ null }}' }),
	});
	const remove = action('Delete records', {
		authentication: 'serviceAccount',
		resource: 'record',
		operation: 'delete',
		cardId: byName(cardName),
		recordId: byId('={{ $json.id }}'),
	});
	const toDelete = { ...find('Find to delete', changes.deletedRegion), executeOnce: true };
	return chain('Change the countries', [
		manualTrigger(),
		find('Find to update', changes.updatedRegion),
		update,
		toDelete,
		remove,
	]);
}

/** Starts with each change of a record of the card, with the service account's subscription. */
export function watchRecords({ trigger }: Nodes): Workflow {
	const watch = trigger(
		'On change',
		{
			authentication: 'serviceAccount',
			events: ['record.created', 'record.updated', 'record.deleted'],
			watch: 'oneCard',
			cardId: byName(cardName),
		},
		{ webhookId: '6f1d8c1e-5a0b-4c0e-9a55-2b7d1f9f0c01' },
	);
	const rest: NodeDraft = { name: 'Seen', type: 'n8n-nodes-base.noOp', parameters: {} };
	return chain('Watch the countries', [watch, rest]);
}
