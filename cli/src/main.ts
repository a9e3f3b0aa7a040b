#!/usr/bin/env node
// This file and its static imports must parse on old versions of Node.
import { isNewEnough, oldestNode } from './node-version.ts';

const { node } = process.versions;
if (isNewEnough(node)) {
	boundMemory();
	await import('./start.ts');
} else {
	process.stderr.write(
		`Plinth needs Node ${oldestNode} or later; this is ${node}, ${process.execPath}. ` +
			'Install a later one, or put it first in PATH.\n',
	);
	process.exitCode = 1;
}

/**
 * glibc and V8 read these settings when a process starts, so commands that run long replace their process once; this
 * takes 30 ms. By default, each native thread has an arena that keeps what it has freed, freed blocks raise the size
 * from which memory goes back to the system at once, and the space for new objects grows to 128 MB. A semi-space of
 * 4 MB and a threshold of 32 KB would save 50 MB more, but make a short request cost half as much CPU again.
 */
function boundMemory(): void {
	const { argv, env, execArgv, execPath, platform } = process;
	const isLong = argv[2] === 'serve' || argv[2] === 'worker';
	// A process with a channel to its parent would lose it.
	if (!isLong || platform !== 'linux' || env.MALLOC_ARENA_MAX !== undefined || process.channel) return;
	const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
	const flags = ['--max-semi-space-size=16'];
	process.execve?.(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...env, ...malloc });
}
