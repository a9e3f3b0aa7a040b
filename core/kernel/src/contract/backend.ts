import type { z } from 'zod';
import { createFactory } from './core-identity.ts';
import type { Logger } from './ports/logger.ts';
import type { Needs, ResolvedNeeds, ServiceRef } from './service.ts';

/** What a backend factory receives when its backend is created at boot. */
export interface BackendContext<C, N extends Needs> {
	readonly config: C;
	readonly services: ResolvedNeeds<N>;
	readonly log: Logger;
	/** Registers a task for shutdown. Tasks run in reverse, after everything that needs this backend has stopped. */
	onStop(task: () => Promise<void> | void): void;
}

/** One service ref, or a record of several under local names. */
export type Provides = ServiceRef<unknown> | Readonly<Record<string, ServiceRef<unknown>>>;

/** What `create` returns for {@link Provides}. */
export type Provided<P extends Provides> =
	P extends ServiceRef<infer T> ? T : { readonly [K in keyof P]: P[K] extends ServiceRef<infer T> ? T : never };

/** The declaration behind a backend factory. */
export interface BackendDefinition<
	P extends Provides = Provides,
	C extends z.ZodType = z.ZodType,
	N extends Needs = Needs,
> {
	/** Technology + port, the factory's name in messages: `sqliteJobs`. */
	readonly name: string;
	readonly provides: P;
	readonly config: C;
	readonly needs?: N;
	create(context: BackendContext<z.output<C>, N>): Provided<P> | Promise<Provided<P>>;
	/** Brings its storage to the present version, for `plinth migrate`, and says what it did in a sentence. */
	migrate?(config: z.output<C>): Promise<string>;
}

/** A backend factory called with its options, for `backends` of a config. */
export interface BackendInstance<P extends Provides = Provides> {
	readonly $kind: 'plinth.backend';
	readonly apiVersion: 1;
	readonly definition: BackendDefinition<P>;
	readonly options: unknown;
}

/** A callable backend factory that carries its definition. */
export interface BackendFactory<C extends z.ZodType, P extends Provides = Provides> {
	(options?: z.input<C>): BackendInstance<P>;
	readonly $kind: 'plinth.backend.factory';
	readonly definition: BackendDefinition<P>;
}

/** Declares an adapter for one port or several. Options are checked at boot, not at the call. */
export function defineBackend<
	const P extends Provides,
	C extends z.ZodType,
	const N extends Needs = Record<never, never>,
>(definition: BackendDefinition<P, C, N>): BackendFactory<C, P> {
	return createFactory('plinth.backend', definition);
}
