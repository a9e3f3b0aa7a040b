import type { z } from 'zod';
import { createFactory } from './core-identity.ts';
import type { JsonObject } from './ports/json.ts';
import type { Logger } from './ports/logger.ts';
import type { Needs, ResolvedNeeds } from './service.ts';

/** A family of models that one plugin consumes. That plugin exports it from its `model` entry. */
export interface ModelKind<M> {
	readonly $kind: 'plinth.modelKind';
	readonly name: string;
	/** What each created model is checked against; not checked without it. */
	readonly shape?: ModelShape;
	/** What a model can do, in the words of the API: what `/v1/models` shows as `capabilities`. */
	facts?(model: M): JsonObject;
	readonly $type?: M;
}

/** A model that can release its memory. Each kind of model extends it. */
export interface Unloadable {
	/**
	 * Releases the memory of the model's weights, on this machine or its upstream. Settles once it is free. The kernel
	 * calls it while no call is under way: before another model of an exclusive group loads, or after an idle time. The
	 * next call loads the model again. A failure is logged, and the group goes on.
	 */
	unload?(): Promise<void>;
}

/** What a model consists of, for the check at boot. */
export interface ModelShape {
	readonly apiVersion: number;
	/** By name. A model has at least one of the functions that are marked `oneOf`. */
	readonly functions: Readonly<Record<string, 'required' | 'optional' | 'oneOf'>>;
	/** By name, the type of each value that `abilities` may hold. */
	readonly abilities?: Readonly<Record<string, AbilityType>>;
}

/** The type of an ability. */
export type AbilityType = 'boolean' | 'number' | 'string' | 'array';

/** The shape of `M`. It does not compile when it lacks a function or an ability of `M`. */
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
export interface ModelContext<C, N extends Needs> {
	/** The id under which clients name this model. */
	readonly id: string;
	readonly config: C;
	readonly services: ResolvedNeeds<N>;
	readonly log: Logger;
	/** Absolute: the folder of the config, from which relative paths and names of packages in options resolve. */
	readonly folder: string;
	/** Registers work for shutdown; runs in reverse order of registration. */
	onStop(task: () => Promise<void> | void): void;
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
export interface ModelInstance<M = unknown> {
	readonly $kind: 'plinth.model';
	readonly apiVersion: 1;
	readonly definition: ModelDefinition<M>;
	readonly options: unknown;
}

/** A callable model factory that carries its definition. */
export interface ModelFactory<M, C extends z.ZodType> {
	(options?: z.input<C>): ModelInstance<M>;
	readonly $kind: 'plinth.model.factory';
	readonly definition: ModelDefinition<M>;
}

/** Declares a model adapter and returns its factory. Options are checked at boot, not at the call. */
// The union of `M` keeps the literal type of `apiVersion`: else each mistake in a model reads "number is not 1".
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
	return createFactory('plinth.model', definition);
}

/** `down`: the model failed and is not called. `trying`: one trial call may begin, or is under way. */
export type ModelHealth = 'up' | 'trying' | 'down';

/** A model of a group that shares a device. */
export interface GroupStatus {
	/** The id of the group. */
	readonly id: string;
	/** `busy`: it is loaded and works. */
	readonly state: 'unloaded' | 'loaded' | 'busy';
	/** How many calls of it wait. */
	readonly waiting: number;
}

/** A model as `/v1/models` lists it. */
export interface ModelInfo {
	readonly id: string;
	/** Seconds since the Unix epoch. */
	readonly created: number;
	readonly ownedBy: string;
	readonly description?: string;
	/** Further ids that lead to the model. */
	readonly aliases?: readonly string[];
	/** The capability: `video`, `speech`. */
	readonly kind: string;
	readonly health: ModelHealth;
	readonly group?: GroupStatus;
	/** What it can do; of a pool, what its first model can do. */
	readonly capabilities?: JsonObject;
	/** What the deployer charges, as configured. */
	readonly price?: Readonly<Record<string, string | number>>;
}
