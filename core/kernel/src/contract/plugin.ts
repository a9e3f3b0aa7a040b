import type { z } from 'zod';
import type { Provided, Provides } from './backend.ts';
import { createFactory } from './core-identity.ts';
import type { Middleware } from './http/middleware.ts';
import type { Route } from './http/route.ts';
import type { JobDefinition, JobModels, Jobs } from './jobs/jobs.ts';
import type { ModelInfo, ModelKind } from './model.ts';
import type { JsonObject } from './ports/json.ts';
import type { Logger } from './ports/logger.ts';
import type { Needs, ResolvedNeeds } from './service.ts';

/** A model as a plugin sees it. */
export interface BoundModel<M> {
	/** The id under which the config binds it. */
	readonly id: string;
	readonly model: M;
	/** What the deployer charges, as `/v1/models` shows it. Models of `get` and `list` have it where it is set. */
	readonly price?: ModelInfo['price'];
}

/** The models of one kind. */
export interface Models<M> extends JobModels {
	/** Finds a model by id or alias, or throws `E_MODEL_NOT_FOUND`. A pool has the model of its first member. */
	get(id: string): BoundModel<M>;
	/** All of them, in the order of the config, without pools. */
	list(): readonly BoundModel<M>[];
	/**
	 * Calls the model that `id` names, then the others of its pool, then its `fallback` chain, within the limits of the
	 * config. The next one is called when `work` rejects with `E_MODEL_FAILED`, `E_MODEL_BUSY`, `E_MODEL_UNAVAILABLE`,
	 * `E_MODEL_TIMEOUT`, or an error without a code. Any other error is final, except a refusal (4xx) by the chain.
	 * Rejects with the last failure, with `E_MODEL_NOT_FOUND`, with `E_MODEL_BUSY` when all queues are full, with
	 * `E_MODEL_UNAVAILABLE` when all circuits are open, and with the reason of the caller's signal.
	 * `work` must settle before anything is sent: afterwards no other model can take over. `prepare` is awaited before
	 * each model is called, outside its slot and its time limit: for what may need another model of its group. Its
	 * rejections count as those of `work`.
	 */
	ask<T>(
		id: string,
		caller: ModelCaller,
		work: (call: ModelCall<M>) => Promise<T>,
		prepare?: (model: BoundModel<M>) => Promise<unknown>,
	): Promise<T>;
}

/** For whom a model is called. A `Call` is one. */
export interface ModelCaller {
	readonly principal: { readonly tenant: string };
	readonly signal: AbortSignal;
	readonly log: Logger;
	/** Called with the id of each model before it is called. */
	answeredBy?(model: string): void;
	/** Called when it has to wait. `ahead` tells how many calls have their turn before it; undefined: it waits no more. */
	waits?(ahead: () => number | undefined): void;
}

/** One call of a model. */
export interface ModelCall<M> extends BoundModel<M> {
	/** Aborts with the caller's signal, and with `E_MODEL_TIMEOUT` when `timeoutSeconds` pass before `work` settles. */
	readonly signal: AbortSignal;
	/** Whether `timeoutSeconds` bounds the call. Without it, `signal` is the caller's. */
	readonly isTimed: boolean;
	/**
	 * Keeps the model's slot after `work` has resolved, until the returned function is called or the caller's signal
	 * aborts. Has no effect when `work` rejects, and after a timeout.
	 */
	keepSlot(): () => void;
}

/** What `setup` receives. */
export interface PluginContext<C, N extends Needs> {
	readonly config: C;
	/** Exactly what `needs` lists. */
	readonly services: ResolvedNeeds<N>;
	readonly log: Logger;
	/** The models of a kind that the plugin declares in `models`. `facts`: what it adds to `capabilities` of each. */
	models<M>(kind: ModelKind<M>, facts?: (model: M) => JsonObject): Models<M>;
	/** Registers routes. */
	route(...routes: readonly Route[]): void;
	/** Wraps the routes of all plugins, outermost first in the order of setup: that of needs, then of the config. */
	use(middleware: Middleware): void;
	/** Registers how a kind of job is run that the plugin declares in `jobs`, and returns the handle to its jobs. */
	job(kind: string, definition: JobDefinition): Jobs;
	/** Runs after all plugins are set up and before the first request. */
	onStart(task: () => Promise<void> | void): void;
	/** Runs when a stop begins, before requests and jobs drain: for streams that would outlast the grace period. */
	onDrain(task: () => Promise<void> | void): void;
	/**
	 * Work that one process of the deployment does at a time, from its start on. `signal` aborts when this process loses
	 * the duty or stops; `run` must settle then. A run that ends earlier begins again. When the process dies, another
	 * one takes over within 15 s. Without a `JobStore`, which keeps the lease, each process has the duty.
	 */
	duty(name: string, run: (signal: AbortSignal) => Promise<void>): void;
	/** Runs at shutdown, in reverse order, after requests and jobs have drained. */
	onStop(task: () => Promise<void> | void): void;
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
	/** The model kinds that it consumes. */
	readonly models?: readonly ModelKind<unknown>[];
	/**
	 * The kinds of job that it runs, in lower-case letters: they become the prefix of ids. The plugin then needs
	 * `JobStore`, `BlobStore` and `EventBus` without listing them.
	 */
	readonly jobs?: readonly string[];
	/** Services that others may need; `setup` returns them. */
	readonly provides?: P;
	setup(context: PluginContext<z.output<C>, N>): SetupResult<P> | Promise<SetupResult<P>>;
}

/** A plugin factory called with its options, for `plugins` of a config. */
export interface PluginInstance {
	readonly $kind: 'plinth.plugin';
	readonly apiVersion: 1;
	readonly definition: PluginDefinition;
	readonly options: unknown;
}

/** A callable plugin factory that carries its definition. */
export interface PluginFactory<C extends z.ZodType> {
	(options?: z.input<C>): PluginInstance;
	readonly $kind: 'plinth.plugin.factory';
	readonly definition: PluginDefinition;
}

/** Declares a plugin and returns its factory. Options are checked at boot, not at the call. */
export function definePlugin<
	C extends z.ZodType,
	const N extends Needs = Record<never, never>,
	const P extends Provides = Record<never, never>,
>(definition: PluginDefinition<C, N, P>): PluginFactory<C> {
	return createFactory('plinth.plugin', definition);
}
