import type { Resource } from '../operation';
import { getApiDescription } from './get.operation';

/** The description that the service publishes of itself. */
export const apiDescription: Resource = {
	value: 'apiDescription',
	name: 'API Description',
	operations: [getApiDescription],
};
