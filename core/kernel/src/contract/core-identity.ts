import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from './version.ts';

/** A copy of this package that a process has loaded. `url` is undefined in a CommonJS bundle. */
interface CoreCopy {
	readonly version: string;
	readonly url: string | undefined;
}

// An object, because two copies may lie at one address: loaders and test runners load a file again.
const own: CoreCopy = { version, url: import.meta.url };

const copyKey = Symbol.for('plinth.core');

/** Makes the factory of a definition. Each call returns an instance that is marked with this copy. */
export function createFactory<F>(kind: 'plinth.backend' | 'plinth.model' | 'plinth.plugin', definition: object): F {
	const factory = (options?: unknown) => markCopy({ $kind: kind, apiVersion: 1, definition, options: options ?? {} });
	return Object.assign(factory, { $kind: `${kind}.factory`, definition }) as F;
}

/** Marks what a factory returns as made by this copy. Enumerable, so that `{ ...instance, options }` keeps the mark. */
export function markCopy<T extends object>(instance: T): T {
	return Object.assign(instance, { [copyKey]: own });
}

/** Names the other copy of this package that made an instance; undefined for this copy's and for plain objects. */
export function otherCoreCopy(instance: object): string | undefined {
	const { [copyKey]: maker } = instance as { readonly [copyKey]?: CoreCopy };
	if (maker === undefined || maker === own) return undefined;
	const [other, starting] = [describe(maker), describe(own)];
	return `was made by another copy of @plinth/core, ${other}; the copy that starts this server is ${starting}.`;
}

function describe({ version, url }: CoreCopy): string {
	return `${version} in ${url?.startsWith('file:') ? dirname(dirname(fileURLToPath(url))) : 'a bundle'}`;
}
