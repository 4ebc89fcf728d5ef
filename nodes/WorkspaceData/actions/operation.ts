/** What an operation is: its parameters, with their types, and its work for one item. */
import type { INodeProperties } from 'n8n-workflow';
import type { Locator } from '../model/locator';
import type { JsonObject } from '../model/answer/shapes';
import type { Run } from './run/run';

type DeepReadonly<T> = T extends (infer U)[]
	? ReadonlyArray<DeepReadonly<U>>
	: T extends object
		? { readonly [K in keyof T]: DeepReadonly<T[K]> }
		: T;

/** A parameter of the node, as written in an operation's file. */
export type PropertyDefinition = DeepReadonly<INodeProperties>;

type Options<P> = P extends { readonly options: infer O extends readonly unknown[] }
	? O[number]
	: never;

/** The version of the node, in its Options collection; undefined in version 1. */
interface VersionOfNode {
	typeVersion?: number;
}

/** The type of a parameter's value, as its definition says. */
type ValueOf<P> = P extends { readonly type: 'string' }
	? string
	: P extends { readonly type: 'number' }
		? number
		: P extends { readonly type: 'boolean' }
			? boolean
			: P extends { readonly type: 'options' }
				? [Options<P>] extends [never]
					? string
					: Options<P> extends { readonly value: infer V }
						? V
						: string
				: P extends { readonly type: 'multiOptions' }
					? string[]
					: P extends { readonly type: 'collection' }
						? Partial<ParameterValues<Options<P>>> & VersionOfNode
						: P extends { readonly type: 'resourceLocator' }
							? Locator
							: unknown;

/** Names and types of parameters, inferred from their definitions. */
export type ParameterValues<P> = {
	[Q in P as Q extends { readonly name: infer N extends string } ? N : never]: ValueOf<Q>;
};

/** The call of an operation for one input item. */
export interface Call<P> {
	run: Run;
	itemIndex: number;
	/** Reads a parameter for this item, expressions evaluated. */
	get<Name extends keyof ParameterValues<P> & string>(name: Name): ParameterValues<P>[Name];
	/** As `get`, for any item: for work that is done once for all items. */
	getOf<Name extends keyof ParameterValues<P> & string>(
		itemIndex: number,
		name: Name,
	): ParameterValues<P>[Name];
}

/** The definition of an operation, as its file exports it. */
export interface OperationDefinition<P extends readonly PropertyDefinition[]> {
	/** Value of the parameter `operation`. */
	value: string;
	/** As the operation selector shows it. */
	name: string;
	/** As the nodes panel shows it. */
	action: string;
	description: string;
	/** Whether it changes something: then an error says how far the run came. */
	writes?: boolean;
	/** Whether it gives input items themselves: they keep their files. */
	passesOn?: boolean;
	properties: P;
	/** @returns the `json` of each output item for this input item */
	execute(call: Call<P[number]>): Promise<JsonObject[]>;
}

/** An operation, whatever its parameters. */
export type Operation = Omit<OperationDefinition<readonly PropertyDefinition[]>, 'execute'> & {
	execute(call: {
		run: Run;
		itemIndex: number;
		get(name: string): unknown;
		getOf(itemIndex: number, name: string): unknown;
	}): Promise<JsonObject[]>;
};

/**
 * Defines an operation. Parameter names and types are inferred from `properties`: a misspelt name is
 * a compile error.
 */
export function defineOperation<const P extends readonly PropertyDefinition[]>(
	definition: OperationDefinition<P>,
): Operation {
	// The one place where the types of the parameters are given up: from here on they are read by name.
	return definition as unknown as Operation;
}

/** A resource: one value of the parameter `resource`, and its operations. */
export interface Resource {
	value: string;
	name: string;
	/** A new node starts with the first one; the selector sorts them by name. */
	operations: readonly Operation[];
}
