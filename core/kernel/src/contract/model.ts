import type { z } from 'zod';
import { createFactory, type Factory, type Instance, type PartContext } from './factory.ts';
import type { JsonObject } from './ports/json.ts';
import type { Needs } from './service.ts';

/** A family of models that one plugin consumes. That plugin exports it from its `model` entry. */
export interface ModelKind<M> {
	readonly $kind: 'plinth.modelKind';
	readonly name: string;
	/** The shape that each created model must have. Without it, models are not checked. */
	readonly shape?: ModelShape;
	/** What a model can do, in terms of the API: `/v1/models` shows it as `capabilities`. */
	facts?(model: M): JsonObject;
	readonly $type?: M;
}

/** A model that can release its memory. Each kind of model extends it. */
export interface Unloadable {
	/**
	 * Frees the memory of the weights, here or upstream, and settles once it is free. Runs while no call is in progress,
	 * before another model of the group loads or after an idle time. The next call loads again. A failure is only logged.
	 */
	unload?(): Promise<void>;
}

/** The members of a model, for the check at boot. */
export interface ModelShape {
	readonly apiVersion: number;
	/** By name. A model has at least one of the functions that are marked `oneOf`. */
	readonly functions: Readonly<Record<string, 'required' | 'optional' | 'oneOf'>>;
	/** By name, the type of each value that `abilities` may hold. */
	readonly abilities?: Readonly<Record<string, AbilityType>>;
}

/** The type of an ability. */
export type AbilityType = 'boolean' | 'number' | 'string' | 'array';

/** The shape of `M`. A shape that lacks a function or an ability of `M` does not compile. */
export type ModelShapeOf<M> = ModelShape & {
	readonly functions: {
		readonly [K in keyof M as NonNullable<M[K]> extends (...args: never[]) => unknown ? K : never]-?: Record<
			never,
			never
		> extends Pick<M, K>
			? 'optional' | 'oneOf'
			: 'required';
	};
} & (M extends { readonly abilities?: infer A }
		? { readonly abilities: { readonly [K in keyof NonNullable<A>]-?: AbilityType } }
		: unknown);

/** Declares a model family. `name` is the capability in the singular: `video`, `speech`. */
export function defineModelKind<M>(
	name: string,
	shape?: NoInfer<ModelShapeOf<M>>,
	facts?: (model: NoInfer<M>) => JsonObject,
): ModelKind<M> {
	return { $kind: 'plinth.modelKind', name, ...(shape ? { shape } : {}), ...(facts ? { facts } : {}) };
}

/** What a model factory receives when its model is created at boot. */
export interface ModelContext<C, N extends Needs> extends PartContext<C, N> {
	readonly id: string;
	/** Absolute: the folder of the config, from which relative paths and names of packages in options resolve. */
	readonly folder: string;
}

/** The declaration behind a model factory. */
export interface ModelDefinition<M = unknown, C extends z.ZodType = z.ZodType, N extends Needs = Needs> {
	readonly kind: ModelKind<M>;
	/** The factory's name in messages, `technology.kind`: `builtin.video`. */
	readonly name: string;
	/** One sentence for `/v1/models`. */
	readonly description?: string;
	/** `owned_by` in `/v1/models`; defaults to the part of `name` before the dot. */
	readonly ownedBy?: string;
	readonly config: C;
	readonly needs?: N;
	create(context: ModelContext<z.output<C>, N>): NoInfer<M> | Promise<NoInfer<M>>;
}

/** A model factory called with its options, for `models` of a config. */
export type ModelInstance<M = unknown> = Instance<'model', ModelDefinition<M>>;

/** A callable model factory with its definition. */
export type ModelFactory<M, C extends z.ZodType> = Factory<C, ModelInstance<M>>;

/** Declares a model adapter and returns its factory. Options are checked at boot, not at the call. */
// The union of `M` keeps the literal type of `apiVersion`: without it, each type error reads "number is not 1".
export function defineModel<
	M extends { readonly apiVersion: 1 } | object,
	C extends z.ZodType,
	const N extends Needs = Record<never, never>,
>(
	definition: {
		readonly kind: ModelKind<M>;
		readonly config: C;
		readonly needs?: N;
	} & NoInfer<ModelDefinition<M, C, N>>,
): ModelFactory<M, C> {
	return createFactory('model', definition);
}

/** `down`: the model failed and is not called. `trying`: one trial call may begin, or is in progress. */
export type ModelHealth = 'up' | 'trying' | 'down';

/** The state of a model in a group that shares a device. */
export interface GroupStatus {
	readonly id: string;
	/** `busy`: it is loaded and has calls in progress. */
	readonly state: 'unloaded' | 'loaded' | 'busy';
	readonly waiting: number;
}

/** A model as `/v1/models` lists it. */
export interface ModelInfo {
	readonly id: string;
	/** Seconds since the Unix epoch. */
	readonly created: number;
	readonly ownedBy: string;
	readonly description?: string;
	readonly aliases?: readonly string[];
	/** The capability: `video`, `speech`. */
	readonly kind: string;
	readonly health: ModelHealth;
	readonly group?: GroupStatus;
	/** What the model can do; for a pool, what its first member can do. */
	readonly capabilities?: JsonObject;
	readonly price?: Readonly<Record<string, string | number>>;
}
