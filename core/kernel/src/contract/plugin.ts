import type { z } from 'zod';
import type { Provided, Provides } from './backend.ts';
import { createFactory, type Factory, type Instance, type PartContext } from './factory.ts';
import type { Middleware, Route } from './http/route.ts';
import type { JobDefinition, JobModels, Jobs } from './jobs/jobs.ts';
import type { ModelInfo, ModelKind } from './model.ts';
import type { JsonObject } from './ports/json.ts';
import type { Logger } from './ports/logger.ts';
import type { Needs } from './service.ts';

/** A model as a plugin sees it. */
export interface BoundModel<M> {
	/** The id under which the config binds it. */
	readonly id: string;
	readonly model: M;
	/** The configured price, as `/v1/models` shows it. Only models of `get` and `list` have it, if it is set. */
	readonly price?: ModelInfo['price'];
}

/** The models of one kind. */
export interface Models<M> extends JobModels {
	/** Finds a model by id or alias, or throws `E_MODEL_NOT_FOUND`. For a pool, `model` is that of its first member. */
	get(id: string): BoundModel<M>;
	/** All models in the order of the config, without pools. */
	list(): readonly BoundModel<M>[];
	/**
	 * Calls the model that `id` names, then the other members of its pool, then its `fallback` chain, within the limits
	 * of the config. The next one is called when `work` rejects with `E_MODEL_FAILED`, `E_MODEL_BUSY`,
	 * `E_MODEL_UNAVAILABLE`, `E_MODEL_TIMEOUT`, or an error without a code. Any other error is final, except a refusal
	 * (4xx) by a fallback model. Rejects with the last failure, with `E_MODEL_NOT_FOUND`, with `E_MODEL_BUSY` when all
	 * queues are full, with `E_MODEL_UNAVAILABLE` when all circuits are open, and with the reason of the caller's signal.
	 * `work` must settle before anything is sent to the client: afterwards no other model can take over. `prepare` is
	 * awaited before each model is called, outside its slot and its time limit, because it may need another model of the
	 * same group. Its rejections are handled like those of `work`.
	 */
	ask<T>(
		id: string,
		caller: ModelCaller,
		work: (call: ModelCall<M>) => Promise<T>,
		prepare?: (model: BoundModel<M>) => Promise<unknown>,
	): Promise<T>;
}

/** The caller of a model. A `Call` has these members. */
export interface ModelCaller {
	readonly principal: { readonly tenant: string };
	readonly signal: AbortSignal;
	readonly log: Logger;
	/** Called with the id of each model before that model is called. */
	answeredBy?(model: string): void;
	/** Called when the call has to wait. `ahead` returns how many calls come before it; undefined after the wait. */
	waits?(ahead: () => number | undefined): void;
}

/** One call of a model. */
export interface ModelCall<M> extends BoundModel<M> {
	/** Aborts with the caller's signal, and with `E_MODEL_TIMEOUT` when `timeoutSeconds` pass before `work` settles. */
	readonly signal: AbortSignal;
	/** Whether `timeoutSeconds` limits the call. If not, `signal` is the caller's. */
	readonly isTimed: boolean;
	/**
	 * Keeps the model's slot after `work` has resolved, until the returned function is called or the caller's signal
	 * aborts. Has no effect when `work` rejects, and after a timeout.
	 */
	keepSlot(): () => void;
}

/** What `setup` receives. */
export interface PluginContext<C, N extends Needs> extends PartContext<C, N> {
	/** The models of a kind from the plugin's `models`. `facts` returns what the plugin adds to their `capabilities`. */
	models<M>(kind: ModelKind<M>, facts?: (model: M) => JsonObject): Models<M>;
	route(...routes: readonly Route[]): void;
	/** Wraps every route but `/healthz` and `/readyz`. The first plugin in the order of setup is outermost. */
	use(middleware: Middleware): void;
	/** Registers how jobs of a kind are run, which the plugin declares in `jobs`. Returns the handle to these jobs. */
	job(kind: string, definition: JobDefinition): Jobs;
	/** Runs after all plugins are set up and before the first request. */
	onStart(task: () => Promise<void> | void): void;
	/** Runs when a stop begins, before requests and jobs drain. It ends streams that would exceed the grace period. */
	onDrain(task: () => Promise<void> | void): void;
	/**
	 * Work that one process of the deployment does at a time, from its start on. `signal` aborts when this process loses
	 * the duty or stops; `run` must then settle. A run that ends earlier starts again. If the process crashes, another
	 * one takes over within 15 s. The `JobStore` keeps the lease; without one, each process has the duty.
	 */
	duty(name: string, run: (signal: AbortSignal) => Promise<void>): void;
}

/** What `setup` returns: the services that it provides, if any. */
export type SetupResult<P extends Provides> = [keyof P] extends [never] ? unknown : Provided<P>;

/** The declaration behind a plugin factory. */
export interface PluginDefinition<
	C extends z.ZodType = z.ZodType,
	N extends Needs = Needs,
	P extends Provides = Provides,
> {
	/** Kebab case: `video`. */
	readonly id: string;
	readonly config: C;
	readonly needs?: N;
	readonly models?: readonly ModelKind<unknown>[];
	/** Kinds of job, in lower-case letters: each prefixes its ids. Implies needs: `JobStore`, `BlobStore`, `EventBus`. */
	readonly jobs?: readonly string[];
	/** Services that others may need; `setup` returns them. */
	readonly provides?: P;
	setup(context: PluginContext<z.output<C>, N>): SetupResult<P> | Promise<SetupResult<P>>;
}

/** A plugin factory called with its options, for `plugins` of a config. */
export type PluginInstance = Instance<'plugin', PluginDefinition>;

/** A callable plugin factory with its definition. */
export type PluginFactory<C extends z.ZodType> = Factory<C, PluginInstance>;

/** Declares a plugin and returns its factory. Options are checked at boot, not at the call. */
export function definePlugin<
	C extends z.ZodType,
	const N extends Needs = Record<never, never>,
	const P extends Provides = Record<never, never>,
>(definition: PluginDefinition<C, N, P>): PluginFactory<C> {
	return createFactory('plugin', definition);
}
