import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import type { Logger } from './ports/logger.ts';
import type { Needs, ResolvedNeeds } from './service.ts';
import { version } from './version.ts';

/** The kinds of parts that entries of a config create. */
export type InstanceKind = 'backend' | 'model' | 'plugin';

/** A factory called with its options, for a config. */
export interface Instance<K extends InstanceKind = InstanceKind, D = unknown> {
	readonly $kind: `plinth.${K}`;
	readonly apiVersion: 1;
	readonly definition: D;
	readonly options: unknown;
}

/** A callable factory with its definition. */
export interface Factory<C extends z.ZodType, I extends Instance> {
	(options?: z.input<C>): I;
	readonly $kind: `${I['$kind']}.factory`;
	readonly definition: I['definition'];
}

/** What every backend, model and plugin receives when it is created at boot. */
export interface PartContext<C, N extends Needs> {
	readonly config: C;
	/** The services that `needs` lists, and no others. */
	readonly services: ResolvedNeeds<N>;
	readonly log: Logger;
	/** Runs at shutdown, in reverse order, after requests and jobs drained and all that needs this part has stopped. */
	onStop(task: () => Promise<void> | void): void;
}

/** A copy of this package that a process has loaded. `url` is undefined in a CommonJS bundle. */
interface CoreCopy {
	readonly version: string;
	readonly url: string | undefined;
}

// An object, compared by identity: loaders and test runners may load the same file twice, with the same URL.
const thisCopy: CoreCopy = { version, url: import.meta.url };

const copyKey = Symbol.for('plinth.core');

/** Makes the factory of a definition. Each call returns an instance that is marked with this copy. */
export function createFactory<F>(kind: InstanceKind, definition: object): F {
	const $kind = `plinth.${kind}`;
	const factory = (options?: unknown) => markCopy({ $kind, apiVersion: 1, definition, options: options ?? {} });
	return Object.assign(factory, { $kind: `${$kind}.factory`, definition }) as F;
}

/** Marks an instance as made by this copy. Enumerable, so that `{ ...instance, options }` keeps the mark. */
export function markCopy<T extends object>(instance: T): T {
	return Object.assign(instance, { [copyKey]: thisCopy });
}

/** Describes the other copy of this package that made an instance. Undefined for this copy and for plain objects. */
export function otherCoreCopy(instance: object): string | undefined {
	const { [copyKey]: madeBy } = instance as { readonly [copyKey]?: CoreCopy };
	if (madeBy === undefined || madeBy === thisCopy) return undefined;
	const [other, starting] = [describe(madeBy), describe(thisCopy)];
	return `was made by another copy of @plinth/core, ${other}; the copy that starts this server is ${starting}.`;
}

function describe({ version, url }: CoreCopy): string {
	return `${version} in ${url?.startsWith('file:') ? dirname(dirname(fileURLToPath(url))) : 'a bundle'}`;
}
