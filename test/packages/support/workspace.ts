import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root folder of the repository. */
export const root = resolve(import.meta.dirname, '../../..');

/** The members of a `package.json` that the tests read. */
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
	/** Relative to the root: `plugins/chat`. */
	readonly folder: string;
	readonly manifest: Manifest;
}

/** The published packages. */
export const published: readonly Package[] = packagesIn('{core/*,cli,cli/create-plinth,plugins/*,adapters/*}');

/** The entries that can be imported from them. */
export const exported: readonly string[] = published.flatMap(({ manifest: { name, exports = {} } }) =>
	Object.keys(exports)
		.filter((subpath) => !subpath.endsWith('.json'))
		.map((subpath) => `${name}${subpath.slice(1)}`),
);

/** Packages as third parties would write them. They are not part of the workspace. */
export const thirdParty: readonly Package[] = packagesIn('test/packages/third-party/*');

function packagesIn(pattern: string): readonly Package[] {
	return globSync(`${pattern}/package.json`, { cwd: root })
		.sort()
		.map((path) => ({
			folder: path.slice(0, -'/package.json'.length),
			manifest: JSON.parse(readFileSync(join(root, path), 'utf8')),
		}));
}
