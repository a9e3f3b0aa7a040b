import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from './version.ts';

/** A copy of this package that a process has loaded. */
interface CoreCopy {
	readonly version: string;
	/** Of a module of it; undefined in a CommonJS bundle. */
	readonly url: string | undefined;
}

// An object, because two copies may lie at one address: loaders and test runners load a file again.
const own: CoreCopy = { version, url: import.meta.url };

// The one name that all copies know.
const copyKey = Symbol.for('plinth.core');

/** Marks what a factory returns as made by this copy. Enumerable, so that `{ ...instance, options }` keeps the mark. */
export function markCopy<T extends object>(instance: T): T {
	return Object.assign(instance, { [copyKey]: own });
}

/**
 * Names the other copy of this package that has made an instance, and this copy: versions and folders. Undefined for
 * what this copy has made, and for objects that no copy has made.
 */
export function otherCoreCopy(instance: object): string | undefined {
	const { [copyKey]: maker } = instance as { readonly [copyKey]?: CoreCopy };
	if (maker === undefined || maker === own) return undefined;
	const [other, starting] = [describe(maker), describe(own)];
	return `was made by another copy of @plinth/core, ${other}; the copy that starts this server is ${starting}.`;
}

function describe({ version, url }: CoreCopy): string {
	return `${version} in ${url?.startsWith('file:') ? dirname(dirname(fileURLToPath(url))) : 'a bundle'}`;
}
