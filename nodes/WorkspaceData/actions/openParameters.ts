/** Reads the node's parameters. Expressions and saved workflows may hold any value. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { checkedValue, hasExpression } from '../values/checkedValue';
import type { Operation, Parameters } from './operation/defineOperation';

/**
 * Opens the parameters of an operation. A parameter without expressions is read once for all items, because n8n
 * copies the whole value each time, and a field mapper lists all fields of a card.
 */
export function openParameters(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	{ properties }: Pick<Operation, 'properties'>,
): Parameters<never> {
	const readers = new Map<string, (itemIndex: number) => unknown>();

	function readerOf(name: string): (itemIndex: number) => unknown {
		const definition = properties.find((property) => property.name === name);
		const fallback = definition?.default;
		const read = (itemIndex: number): unknown => {
			// n8n's own conversion loses nulls and refuses new options. Values are checked against the current listing.
			const unchecked = { skipValidation: true };
			return context.getNodeParameter(name, itemIndex, fallback, unchecked);
		};
		const raw: unknown = context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
		const check = (value: unknown) => (definition ? checkedValue(definition, raw, value) : value);
		if (!hasExpression(raw)) {
			const constant = check(read(0));
			return () => constant;
		}
		return (itemIndex) => check(read(itemIndex));
	}

	return {
		get(name: string, itemIndex: number): never {
			const reader = readers.get(name) ?? readerOf(name);
			readers.set(name, reader);
			return reader(itemIndex) as never;
		},
	};
}
