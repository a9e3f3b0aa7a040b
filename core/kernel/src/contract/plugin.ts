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
	 * Finds a model by id or alias; throws `E_MODEL_NOT_FOUND`, whose message lists the ids of this kind. For a pool it is the pool's id with the model of its first
	 * member.
	 */
	get(id: string): BoundModel<M>;
	/** All of them, in the order of the config, without pools. */
	list(): readonly BoundModel<M>[];
	/**
	 * Has a model do something: the one that `id` names or, while `work` rejects with what is a model's own failure (`E_MODEL_FAILED`, `E_MODEL_BUSY`,
	 * `E_MODEL_UNAVAILABLE`, `E_MODEL_TIMEOUT`, or no code at all), the next one of its pool and of its `fallback` chain. Any other error ends it at once, but that
	 * one of the chain refuses the request (4xx) hides no failure of those before it. Each model gets its turn within the bounds that the config sets. Rejects with
	 * `E_MODEL_NOT_FOUND`, with the last failure, with `E_MODEL_BUSY` when the line before every model is full, with `E_MODEL_UNAVAILABLE` when all are left alone
	 * because they kept failing, and with the reason of the caller's signal.
	 *
	 * `work` settles once the client can have something, and before anything is sent: from then on no other model can take over.
	 */
	ask<T>(id: string, caller: ModelCaller, work: (turn: ModelCall<M>) => Promise<T>): Promise<T>;
}

/** For whom a model works. A `Call` is one. */
export interface ModelCaller {
	readonly principal: { readonly tenant: string };
	readonly signal: AbortSignal;
	readonly log: Logger;
	/** Told whose turn it is, before each. */
	answeredBy?(model: string): void;
}

/** A model whose turn it is. */
export interface ModelCall<M> extends BoundModel<M> {
	/** Aborts when the caller's does, and with `E_MODEL_TIMEOUT` when the model's `timeoutSeconds` pass before `work` has settled. Made when it is asked for. */
	readonly signal: AbortSignal;
	/** Whether `timeoutSeconds` bounds the turn: only then is `signal` another one than the caller's. */
	readonly isTimed: boolean;
	/**
	 * Keeps the model's place when `work` has resolved, until the returned function is called or the caller's signal aborts. With nothing to keep, and when
	 * `work` rejects or its time is over, it does nothing.
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
	 * Wraps every route of the app, those of other plugins included. Plugins are set up in the order of their needs, then of the config;
	 * the middleware of the first one is outermost.
	 */
	use(middleware: Middleware): void;
	/** Says how a kind of job that the plugin declares in `jobs` is done, and returns the handle to its jobs. */
	job(kind: string, definition: JobDefinition): Jobs;
	/** Runs after all plugins are set up and before the first request. */
	onStart(task: () => Promise<void> | void): void;
	/** Runs when a stop begins, before requests and jobs are waited for: ends streams that would otherwise last until the grace period is over. */
	onDrain(task: () => Promise<void> | void): void;
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
	 * `JobStore`, `JobQueue`, `BlobStore` and `EventBus` of the kernel, without listing them.
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
