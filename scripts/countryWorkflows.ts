import { type Country, rowOf } from './countries.ts';
import type { CredentialReferences } from '../test/host/credentials.ts';
import type { CredentialType } from '../test/host/credentials.ts';
import type { JsonObject, Workflow } from '../test/host/n8nClient.ts';
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

/** The parts that the nodes of the workflows need. */
type Parts = Pick<Workbench, 'credentials' | 'types'>;

function credentialOf(credentials: CredentialReferences, type: CredentialType): Partial<NodeDraft> {
	return { credentials: { [type]: credentials[type] } };
}

const authenticationOf = {
	workspaceDataApi: 'apiKey',
	workspaceDataServiceAccountApi: 'serviceAccount',
} as const;

function action(
	{ credentials, types }: Parts,
	credential: CredentialType,
	name: string,
	parameters: JsonObject,
): NodeDraft {
	return {
		name,
		type: types.action,
		parameters: { authentication: authenticationOf[credential], ...parameters },
		...credentialOf(credentials, credential),
	};
}

/**
 * Imports the countries with two nodes: their rows, and the card from them. With the API key.
 *
 * @param withRecords false makes the card and its fields only, as the trigger must exist before the
 * records; true adds the records to it
 */
export function importCountries(
	parts: Parts,
	countries: readonly Country[],
	withRecords: boolean,
): Workflow {
	const importing = action(parts, 'workspaceDataApi', 'Card from the countries', {
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
export function readRecords(parts: Parts): Workflow {
	const read = action(parts, 'workspaceDataServiceAccountApi', 'Read records', {
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
export function changeRecords(parts: Parts): Workflow {
	const find = (name: string, region: string) =>
		action(parts, 'workspaceDataServiceAccountApi', name, {
			resource: 'record',
			operation: 'getAll',
			cardId: byName(cardName),
			returnAll: true,
			filters: { conditions: [{ field: 'Region', condition: 'equals', value: region }] },
			matchType: 'allConditions',
		});
	const update = action(parts, 'workspaceDataServiceAccountApi', 'Update records', {
		resource: 'record',
		operation: 'update',
		cardId: byName(cardName),
		recordId: byId('={{ $json.id }}'),
		columns: mapEach({ ...changes.values, Capital: '={{ null }}' }),
	});
	const remove = action(parts, 'workspaceDataServiceAccountApi', 'Delete records', {
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
export function watchRecords({ credentials, types }: Parts): Workflow {
	const trigger: NodeDraft = {
		name: 'On change',
		type: types.trigger,
		webhookId: '6f1d8c1e-5a0b-4c0e-9a55-2b7d1f9f0c01',
		parameters: {
			authentication: 'serviceAccount',
			events: ['record.created', 'record.updated', 'record.deleted'],
			watch: 'oneCard',
			cardId: byName(cardName),
		},
		...credentialOf(credentials, 'workspaceDataServiceAccountApi'),
	};
	const rest: NodeDraft = { name: 'Seen', type: 'n8n-nodes-base.noOp', parameters: {} };
	return chain('Watch the countries', [trigger, rest]);
}
