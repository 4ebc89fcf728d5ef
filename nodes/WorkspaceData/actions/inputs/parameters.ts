import type { IExecuteFunctions } from 'n8n-workflow';
import type { Operation } from '../operation';

/** Whether n8n computes a part of this value for each item: a text that begins with `=`, at any depth. */
function hasExpression(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression);
}

/**
 * Opens the parameters of an operation. One without expressions is read once for all items: n8n copies the whole
 * value each time it is asked, and a field mapper lists all fields of a card.
 *
 * @returns reads a parameter for an item
 */
export function openParameters(
	context: Pick<IExecuteFunctions, 'getNodeParameter'>,
	{ properties }: Pick<Operation, 'properties'>,
): (name: string, itemIndex: number) => unknown {
	/** The parameters without expressions. */
	const constants = new Map<string, { value: unknown } | undefined>();
	const defaults = new Map(properties.map((property) => [property.name, property.default]));

	const read = (name: string, itemIndex: number): unknown =>
		context.getNodeParameter(
			name,
			itemIndex,
			defaults.get(name),
			// n8n's own conversion loses nulls and refuses new options; values are checked against the live listing.
			{ skipValidation: true },
		);

	function readConstant(name: string): { value: unknown } | undefined {
		const raw = context.getNodeParameter(name, 0, defaults.get(name), { rawExpressions: true });
		return hasExpression(raw) ? undefined : { value: read(name, 0) };
	}

	return (name, itemIndex) => {
		if (!constants.has(name)) constants.set(name, readConstant(name));
		const constant = constants.get(name);
		return constant ? constant.value : read(name, itemIndex);
	};
}
