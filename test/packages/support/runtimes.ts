import { join } from 'node:path';

/** The Node versions that packages are tried on: the oldest that `engines` allows, and the newest. The one that runs the tests comes between. */
const versions = { oldest: '22.19.0', newest: '26.10.0' } as const;

/** A program that runs JavaScript. */
export interface Runtime {
	readonly name: string;
	/** The folder of its `node`. */
	readonly bin: string;
}

/** What to install for the runtimes: the binaries lie inside npm packages. */
export function runtimePackages(): readonly string[] {
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	return Object.entries(versions).map(
		([name, version]) => `${name}@npm:node-${platform}-${process.arch}@${version}`,
	);
}

/** The runtimes, once the packages lie in `dir`. */
export function runtimes(dir: string): readonly Runtime[] {
	const bin = (name: string) => join(dir, 'node_modules', name, 'bin');
	return [
		{ name: versions.oldest, bin: bin('oldest') },
		{ name: process.versions.node, bin: join(process.execPath, '..') },
		{ name: versions.newest, bin: bin('newest') },
	];
}
