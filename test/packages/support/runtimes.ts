import { join } from 'node:path';
import typescript from 'typescript/package.json' with { type: 'json' };
import { root } from './workspace.ts';

/**
 * The Node versions on which packages are tested: the oldest that `engines` allows, and the newest. The Node of the
 * tests is in between.
 */
const versions = { oldest: '22.19.0', newest: '26.10.0' } as const;

/** A program that runs JavaScript. */
export interface Runtime {
	readonly name: string;
	/** The folder of its `node`. */
	readonly bin: string;
}

/** The last compiler that is written in TypeScript. The workspace has the newer one that builds the packages. */
const olderTypescript = '5.9.3';

/** A TypeScript compiler. */
export interface Typescript {
	readonly name: string;
	/** The script to run with Node. */
	readonly compiler: string;
}

/** The dependencies to install: npm packages with the binaries of the runtimes, and the compilers. */
export function runtimePackages(): readonly string[] {
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	const runtimes = Object.entries(versions).map(
		([name, version]) => `${name}@npm:node-${platform}-${process.arch}@${version}`,
	);
	return [...runtimes, `typescript@${olderTypescript}`];
}

/** The compilers that are installed in `dir`. */
export function typescripts(dir: string): readonly Typescript[] {
	return [
		{ name: olderTypescript, compiler: join(dir, 'node_modules/typescript/bin/tsc') },
		{ name: typescript.version, compiler: join(root, 'node_modules/typescript/bin/tsc') },
	];
}

/** The runtimes that are installed in `dir`. */
export function runtimes(dir: string): readonly Runtime[] {
	const bin = (name: string) => join(dir, 'node_modules', name, 'bin');
	return [
		{ name: versions.oldest, bin: bin('oldest') },
		{ name: process.versions.node, bin: join(process.execPath, '..') },
		{ name: versions.newest, bin: bin('newest') },
	];
}
