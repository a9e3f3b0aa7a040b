import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The repository. */
export const root = resolve(import.meta.dirname, '../../..');

/** What the tests read of a `package.json`. */
export interface Manifest {
	readonly name: string;
	readonly version: string;
	readonly private?: boolean;
	readonly exports?: object;
	readonly bin?: unknown;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly peerDependencies?: Readonly<Record<string, string>>;
	readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A package of this repository. */
export interface Package {
	/** From the root: `plugins/chat`. */
	readonly folder: string;
	readonly manifest: Manifest;
}

/** The packages that are published. */
export const published: readonly Package[] = packagesIn('{core/*,cli,cli/create-plinth,plugins/*,adapters/*}');

/** What can be imported from them. */
export const exported: readonly string[] = published.flatMap(({ manifest: { name, exports = {} } }) =>
	Object.keys(exports)
		.filter((subpath) => !subpath.endsWith('.json'))
		.map((subpath) => `${name}${subpath.slice(1)}`),
);

/** The packages that somebody else could have written: no part of the workspace. */
export const strangers: readonly Package[] = packagesIn('test/packages/strangers/*');

function packagesIn(pattern: string): readonly Package[] {
	return globSync(`${pattern}/package.json`, { cwd: root })
		.sort()
		.map((path) => ({
			folder: path.slice(0, -'/package.json'.length),
			manifest: JSON.parse(readFileSync(join(root, path), 'utf8')),
		}));
}
