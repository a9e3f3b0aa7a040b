import type { z } from 'zod';
import { createFactory, type Factory, type Instance, type PartContext } from './factory.ts';
import type { Needs, ServiceRef } from './service.ts';

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
	/** The factory's name in messages: technology and port, such as `sqliteJobs`. */
	readonly name: string;
	readonly provides: P;
	readonly config: C;
	readonly needs?: N;
	create(context: PartContext<z.output<C>, N>): Provided<P> | Promise<Provided<P>>;
	/** Migrates the storage to the current version, for `plinth migrate`. Returns a sentence that says what was done. */
	migrate?(config: z.output<C>): Promise<string>;
}

/** A backend factory called with its options, for `backends` of a config. */
export type BackendInstance<P extends Provides = Provides> = Instance<'backend', BackendDefinition<P>>;

/** A callable backend factory with its definition. */
export type BackendFactory<C extends z.ZodType, P extends Provides = Provides> = Factory<C, BackendInstance<P>>;

/** Declares an adapter for one or more ports. Options are checked at boot, not at the call. */
export function defineBackend<
	const P extends Provides,
	C extends z.ZodType,
	const N extends Needs = Record<never, never>,
>(definition: BackendDefinition<P, C, N>): BackendFactory<C, P> {
	return createFactory('backend', definition);
}
