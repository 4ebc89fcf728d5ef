/** Defines an operation: its parameters with their types, and its work for one item. */
import type { INodeProperties } from 'n8n-workflow';
import type { Locator } from '../records/locator';
import type { JsonObject } from '../model/response/jsonObject';
import type { Run } from './run/run';

type DeepReadonly<T> = T extends (infer U)[]
	? ReadonlyArray<DeepReadonly<U>>
	: T extends object
		? { readonly [K in keyof T]: DeepReadonly<T[K]> }
		: T;

/** A parameter of the node, as an operation's file defines it. */
export type PropertyDefinition = DeepReadonly<INodeProperties>;

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

/** The type of a parameter's value, inferred from its definition. */
type ValueOf<P> = P extends { readonly type: infer T extends keyof Values }
	? Values[T]
	: P extends { readonly type: 'options' }
		? Options<P> extends { readonly value: infer V }
			? V
			: string
		: P extends { readonly type: 'collection' }
			? Partial<ParameterValues<Options<P>>>
			: unknown;

/** The names and types of parameters, inferred from their definitions. A hidden one only keeps the value of another. */
export type ParameterValues<P> = {
	[Q in P as Q extends { readonly type: 'hidden' }
		? never
		: Q extends { readonly name: infer N extends string }
			? N
			: never]: ValueOf<Q>;
};

/** One call of an operation, for one input item. */
export interface Call<P> {
	run: Run;
	itemIndex: number;
	/**
	 * Reads a parameter with its expressions evaluated: for this item, or for another one if work is done once for all
	 * items.
	 */
	get<Name extends keyof ParameterValues<P> & string>(
		name: Name,
		itemIndex?: number,
	): ParameterValues<P>[Name];
}

export interface OperationDefinition<P extends readonly PropertyDefinition[]> {
	/** The value of the parameter 'operation'. */
	value: string;
	/** The name in the operation selector. */
	name: string;
	/** The name in the nodes panel. */
	action: string;
	description: string;
	/** True if it changes data: an error then says how far the run came. */
	writes?: boolean;
	/** True if the first item does the work of all: each has a result, even if the run has ended since. */
	isShared?: boolean;
	/** True if it returns the input items themselves: they keep their files. */
	passesOn?: boolean;
	properties: P;
	/** @returns the `json` of each output item for this input item */
	execute(call: Call<P[number]>): Promise<JsonObject[]>;
}

/** An operation with any parameters. */
export type Operation = OperationDefinition<readonly PropertyDefinition[]>;

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

/** A resource: one value of the parameter 'resource', and its operations. */
export interface Resource {
	value: string;
	name: string;
	/** A new node starts with the first one; the selector sorts them by name. */
	operations: readonly Operation[];
}
