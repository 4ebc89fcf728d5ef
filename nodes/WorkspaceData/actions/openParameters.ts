/** Reads the node's parameters. Expressions and saved workflows may hold any value. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { checkedValue, hasExpression } from '../values/checkedValue';
import type { Operation, Parameters, PropertyDefinition } from './operation/defineOperation';

type Context = Pick<IExecuteFunctions, 'getNodeParameter'>;

/** Opens the parameters of an operation. */
export function openParameters(
	context: Context,
	{ properties }: Pick<Operation, 'properties'>,
): Parameters<never> {
	const readers = new Map(properties.map((one) => [one.name, readerOf(context, one)]));
	return { get: (name: string, itemIndex: number) => readers.get(name)?.(itemIndex) as never };
}

/**
 * Reads a parameter. Without expressions it is read once for all items, because n8n copies the whole value each time,
 * and a field mapper lists all fields of a card.
 */
function readerOf(
	context: Context,
	definition: PropertyDefinition,
): (itemIndex: number) => unknown {
	const { name, default: fallback } = definition;
	const raw: unknown = context.getNodeParameter(name, 0, fallback, { rawExpressions: true });
	const read = (itemIndex: number): unknown => {
		// n8n's own conversion loses nulls and refuses new options. Values are checked against the current listing.
		const unchecked = { skipValidation: true };
		const value: unknown = context.getNodeParameter(name, itemIndex, fallback, unchecked);
		return checkedValue(definition, raw, value);
	};
	if (hasExpression(raw)) return read;
	let constant: { value: unknown } | undefined;
	return () => (constant ??= { value: read(0) }).value;
}
