#!/usr/bin/env node
// This file and its static imports must parse on old versions of Node.
import { isNewEnough, oldestNode } from './node-version.ts';

const { node } = process.versions;
if (isNewEnough(node)) {
	limitMemory();
	await import('./start.ts');
} else {
	process.stderr.write(
		`Plinth needs Node ${oldestNode} or later; this is ${node}, ${process.execPath}. ` +
			'Install a later one, or put it first in PATH.\n',
	);
	process.exitCode = 1;
}

/**
 * Limits the memory of long-running commands. glibc and V8 read these settings only when a process starts, so it is
 * replaced once, which takes 30 ms. By default, each native thread has an arena that keeps freed memory, freed blocks
 * raise the threshold from which memory is returned to the system at once, and the V8 young generation grows to 128 MB.
 * A semi-space of 4 MB and a threshold of 32 KB would save another 50 MB, but a short request would use 50 % more CPU.
 * The semi-space starts with 8 MB, because collections while it grows from 1 MB would prolong the start.
 */
function limitMemory(): void {
	const { argv, env, execArgv, execPath, platform } = process;
	const runsLong = argv[2] === 'serve' || argv[2] === 'worker';
	// A process with an IPC channel to its parent would lose the channel.
	if (!runsLong || platform !== 'linux' || env.MALLOC_ARENA_MAX !== undefined || process.channel) return;
	const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
	const flags = ['--max-semi-space-size=16', '--min-semi-space-size=8'];
	process.execve?.(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], { ...env, ...malloc });
}
