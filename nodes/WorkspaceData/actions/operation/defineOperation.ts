/** Defines an operation: its parameters with their types, and its work for all input items. */
import type { INodeProperties } from 'n8n-workflow';
import type { JsonObject } from '../../values/json';
import type { Locator } from '../../records/locator';
import type { ItemResult, Results } from '../../records/entry';
import type { Run } from '../../records/run';
import { AT_ONCE } from '../../transport/api';
import { Cancelled } from '../../transport/errors';
import { inParallel } from '../../values/inParallel';

export interface OperationDefinition<P extends readonly PropertyDefinition[]> {
	/** The value of the parameter 'operation'. */
	value: string;
	/** The name in the operation selector. */
	name: string;
	/** The name in the nodes panel. */
	action: string;
	description: string;
	properties: P;
	/** True if it changes data: an error that ends the run says what was done. */
	writes?: boolean;
	/** True if it returns the input items themselves: they keep their files. */
	passesOn?: boolean;
	/** @throws what makes the work impossible for every item */
	execute: Execute<P[number]>;
}

/** An operation with any parameters. */
export type Operation = OperationDefinition<readonly PropertyDefinition[]>;

/** A resource: one value of the parameter 'resource', and its operations. */
export interface Resource {
	value: string;
	name: string;
	/** A new node starts with the first one; the selector sorts them by name. */
	operations: readonly Operation[];
}

/**
 * Defines an operation. Parameter names and types are inferred from `properties`, so a misspelled name is a compile
 * error.
 */
export function defineOperation<const P extends readonly PropertyDefinition[]>(
	definition: OperationDefinition<P>,
): Operation {
	// The types of the parameters end here: from now on, parameters are read by name.
	return definition as unknown as Operation;
}

/** Makes an operation of the work for one item, which returns the `json` of its output items. */
export function eachItem<P extends PropertyDefinition>(
	work: (run: Run, get: GetOf<P>, itemIndex: number) => Promise<JsonObject[]>,
): Execute<P> {
	return async (run, parametersOf) => {
		const items = await workOn(run, noResults(run), async (result, itemIndex) => {
			result.json = await work(run, parametersOf(itemIndex), itemIndex);
		});
		return { items };
	};
}

/** Makes the change for an item. It adds its output to the result as it goes, so that an error doesn't lose it. */
type Change = (result: ItemResult) => Promise<unknown>;

/**
 * Makes an operation of a change for each item. None is sent while an item is refused, unless the run continues on errors.
 *
 * @param prepare reads an item, and what it names
 */
export function eachChange<P extends PropertyDefinition>(
	prepare: (run: Run, get: GetOf<P>) => Promise<Change>,
): Execute<P> {
	return async (run, parametersOf) => {
		const changes: Change[] = [];
		const items = await workOn(run, noResults(run), async (_, itemIndex) => {
			changes[itemIndex] = await prepare(run, parametersOf(itemIndex));
		});
		await workOn(run, items, async (result, itemIndex) => await changes[itemIndex]?.(result));
		return { items };
	};
}

/** Works on the items that have no error, in parallel. After the first error no further one begins, unless the run continues on errors. */
async function workOn(
	run: Run,
	items: ItemResult[],
	work: (item: ItemResult, itemIndex: number) => Promise<unknown>,
): Promise<ItemResult[]> {
	let isStopped = !run.continues && items.some(({ error }) => error !== undefined);
	await inParallel(AT_ONCE, items.entries(), async ([itemIndex, item]) => {
		if (item.error !== undefined) return;
		try {
			if (isStopped) throw new Cancelled();
			await run.breathe();
			await work(item, itemIndex);
		} catch (error) {
			isStopped = !run.continues;
			item.error = error;
		}
	});
	return items;
}

const noResults = ({ context }: Run): ItemResult[] =>
	context.getInputData().map(() => ({ json: [] }));

/** Does an operation's work for all input items. */
export type Execute<P> = (run: Run, parametersOf: ParametersOf<P>) => Promise<Results>;

/** Returns what reads the parameters of an item. */
export type ParametersOf<P> = (itemIndex: number) => GetOf<P>;

/** Reads a parameter for the item at hand, with its expressions evaluated. @throws InputError if one returns no value */
export type GetOf<P> = <Name extends keyof ParameterValues<P> & string>(
	name: Name,
) => ParameterValues<P>[Name];

/** A parameter of the node, as an operation's file defines it. */
export type PropertyDefinition = DeepReadonly<INodeProperties>;

type DeepReadonly<T> = T extends (infer U)[]
	? ReadonlyArray<DeepReadonly<U>>
	: T extends object
		? { readonly [K in keyof T]: DeepReadonly<T[K]> }
		: T;

/** The names and types of parameters, inferred from their definitions. */
export type ParameterValues<P> = {
	[Q in P as Q extends { readonly name: infer N extends string } ? N : never]: ValueOf<Q>;
};

/** The type of a parameter's value, inferred from its definition. */
type ValueOf<P> = P extends { readonly type: infer T extends keyof Values }
	? Values[T]
	: P extends { readonly type: 'options' }
		? P extends { readonly options: ReadonlyArray<{ readonly value: infer V }> }
			? V
			: string
		: P extends { readonly type: 'collection' }
			? Partial<ParameterValues<Options<P>>>
			: P extends { readonly type: 'fixedCollection' }
				? Groups<Options<P>>
				: unknown;

/** The entries of the groups of a fixed collection. */
type Groups<G> = {
	[One in G as One extends { readonly name: infer N extends string } ? N : never]: One extends {
		readonly values: ReadonlyArray<infer Part>;
	}
		? Array<ParameterValues<Part>>
		: never;
};

type Options<P> = P extends { readonly options: infer O extends readonly unknown[] }
	? O[number]
	: never;

/** The types of values by the type of their parameter. */
interface Values {
	string: string;
	number: number;
	boolean: boolean;
	multiOptions: string[];
	resourceLocator: Locator;
}
