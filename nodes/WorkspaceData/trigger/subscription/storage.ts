/** The subscriptions of a node in n8n's static data. */
import type { IDataObject } from 'n8n-workflow';
import {
	readSubscriptions,
	type StoredSubscriptions,
	writeSubscriptions,
} from '../../model/subscription/stored';

/** A context with the static data of its node. */
export interface StorePlace {
	getWorkflowStaticData(type: string): IDataObject;
}

/** The key in the node's static data. */
const KEY = 'subscriptions';

/** Whether anything was ever saved of this node, as far as this context shows. */
export const hasStore = (context: StorePlace): boolean =>
	typeof context.getWorkflowStaticData('node')[KEY] === 'string';

/** The saved subscriptions; in deliveries and executions as n8n has just read them from its database. */
export const readStore = (context: StorePlace): StoredSubscriptions =>
	readSubscriptions(context.getWorkflowStaticData('node')[KEY]);

/**
 * Has n8n save subscriptions: after a lifecycle hook or a delivery at once, after an execution when that
 * ends. n8n writes all static data of the workflow as this context has them.
 */
export function writeStore(context: StorePlace, subscriptions: StoredSubscriptions): void {
	context.getWorkflowStaticData('node')[KEY] = writeSubscriptions(subscriptions);
}
