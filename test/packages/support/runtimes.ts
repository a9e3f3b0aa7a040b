import { join } from 'node:path';
import typescript from 'typescript/package.json' with { type: 'json' };
import { root } from './workspace.ts';

/** The Node versions that packages are tried on: the oldest that `engines` allows, and the newest. The one that runs the tests comes between. */
const versions = { oldest: '22.19.0', newest: '26.10.0' } as const;

/** A program that runs JavaScript. */
export interface Runtime {
	readonly name: string;
	/** The folder of its `node`. */
	readonly bin: string;
}

/** The last compiler that is written in TypeScript; the one that builds us is the workspace's. */
const olderTypescript = '5.9.3';

/** A compiler of types. */
export interface Typescript {
	readonly name: string;
	/** A script for Node. */
	readonly compiler: string;
}

/** What to install for the runtimes, whose binaries lie inside npm packages, and for the compilers. */
export function runtimePackages(): readonly string[] {
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	const runtimes = Object.entries(versions).map(
		([name, version]) => `${name}@npm:node-${platform}-${process.arch}@${version}`,
	);
	return [...runtimes, `typescript@${olderTypescript}`];
}

/** The compilers, once the packages lie in `dir`. */
export function typescripts(dir: string): readonly Typescript[] {
	return [
		{ name: olderTypescript, compiler: join(dir, 'node_modules/typescript/bin/tsc') },
		{ name: typescript.version, compiler: join(root, 'node_modules/typescript/bin/tsc') },
	];
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
