import type { z } from 'zod';
import type { Provided, Provides } from './backend.ts';
import { markCopy } from './core-identity.ts';
import type { Middleware } from './http/middleware.ts';
import type { Route } from './http/route.ts';
import type { JobDefinition, Jobs } from './jobs/jobs.ts';
import type { ModelKind } from './model.ts';
import type { Logger } from './ports/logger.ts';
import type { Needs, ResolvedNeeds } from './service.ts';

/** A model as a plugin sees it. */
export interface BoundModel<M> {
	/** The id under which the config binds it. */
	readonly id: string;
	readonly model: M;
}

/** The models of one kind. */
export interface Models<M> {
	/**
	 * Finds a model by id or alias; throws `E_MODEL_NOT_FOUND`, whose message lists the ids of this kind. For a pool it
	 * is the pool's id with the model of its first member.
	 */
	get(id: string): BoundModel<M>;
	/** Every name by which `get` finds one: ids, aliases and pools. */
	names(): readonly string[];
	/** All of them, in the order of the config, without pools. */
	list(): readonly BoundModel<M>[];
	/**
	 * Calls a model within the bounds that the config sets: the one that `id` names, then the others of its pool, then
	 * its `fallback` chain. The next one is called when `work` rejects with a failure of the model: `E_MODEL_FAILED`,
	 * `E_MODEL_BUSY`, `E_MODEL_UNAVAILABLE`, `E_MODEL_TIMEOUT`, or an error without a code. Any other error ends the
	 * search; a refusal (4xx) by a model of the chain does not.
	 *
	 * Rejects with `E_MODEL_NOT_FOUND`, with the last failure, with `E_MODEL_BUSY` when the queue of every model is
	 * full, with `E_MODEL_UNAVAILABLE` when every circuit is open, and with the reason of the caller's signal.
	 *
	 * `work` settles when the first result is there, and before anything is sent: then no other model can take over.
	 */
	ask<T>(id: string, caller: ModelCaller, work: (call: ModelCall<M>) => Promise<T>): Promise<T>;
}

/** For whom a model is called. A `Call` is one. */
export interface ModelCaller {
	readonly principal: { readonly tenant: string };
	readonly signal: AbortSignal;
	readonly log: Logger;
	/** Called with the id of each model before it is called. */
	answeredBy?(model: string): void;
}

/** One call of a model. */
export interface ModelCall<M> extends BoundModel<M> {
	/**
	 * Aborts with the caller's signal, and with `E_MODEL_TIMEOUT` when the model's `timeoutSeconds` pass before `work`
	 * has settled. Made when it is first read.
	 */
	readonly signal: AbortSignal;
	/** Whether `timeoutSeconds` bounds the call. Without it, `signal` is the caller's. */
	readonly isTimed: boolean;
	/**
	 * Keeps the model's slot after `work` has resolved, until the returned function is called or the caller's signal
	 * aborts. Does nothing without a slot, when `work` rejects, and after a timeout.
	 */
	keepSlot(): () => void;
}

/** What `setup` receives. */
export interface PluginContext<C, N extends Needs> {
	readonly config: C;
	/** Exactly what `needs` lists. */
	readonly services: ResolvedNeeds<N>;
	readonly log: Logger;
	/** The models of a kind that the plugin declares in `models`. */
	models<M>(kind: ModelKind<M>): Models<M>;
	/** Registers routes. */
	route(...routes: readonly Route[]): void;
	/**
	 * Wraps every route of the app, those of other plugins included. The middleware of the plugin that is set up first
	 * is outermost. Plugins are set up in the order of their needs, then of the config.
	 */
	use(middleware: Middleware): void;
	/** Registers how a kind of job is run that the plugin declares in `jobs`, and returns the handle to its jobs. */
	job(kind: string, definition: JobDefinition): Jobs;
	/** Runs after all plugins are set up and before the first request. */
	onStart(task: () => Promise<void> | void): void;
	/**
	 * Runs when a stop begins, before requests and jobs drain: ends streams that would last until the grace period is
	 * over.
	 */
	onDrain(task: () => Promise<void> | void): void;
	/**
	 * Work that one process of the deployment does at a time, as a consumer with a cursor. It begins after the start,
	 * where this process has the duty; the signal aborts when it has the duty no longer, or stops, and `run` is to
	 * settle then. When the process dies, another one begins within 15 s. A run that rejects or ends earlier begins
	 * again. Without a `JobStore`, which keeps the lease, this process always has the duty.
	 */
	duty(name: string, run: (signal: AbortSignal) => Promise<void>): void;
	/** Runs at shutdown, in reverse order, after requests and jobs have drained. */
	onStop(task: () => Promise<void> | void): void;
}

/** What `setup` returns: the services it provides, or nothing in particular. */
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
	 * The kinds of job that it runs: lower-case letters; they become the prefix of ids. A plugin with jobs also needs the
	 * `JobStore`, `BlobStore` and `EventBus` of the kernel, without listing them.
	 */
	readonly jobs?: readonly string[];
	/** Services that others may need; `setup` returns them. */
	readonly provides?: P;
	setup(context: PluginContext<z.output<C>, N>): SetupResult<P> | Promise<SetupResult<P>>;
}

/** A plugin factory called with its options: what stands in a config under `plugins`. */
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
	const erased = definition as unknown as PluginDefinition;
	const factory = (options?: z.input<C>): PluginInstance =>
		markCopy({
			$kind: 'plinth.plugin',
			apiVersion: 1,
			definition: erased,
			options: options ?? {},
		});
	return Object.assign(factory, { $kind: 'plinth.plugin.factory' as const, definition: erased });
}
