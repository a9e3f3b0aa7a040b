#!/usr/bin/env node
// This file and its static imports must parse on old versions of Node.
import { isNewEnough, oldestNode } from './node-version.ts';

const { node } = process.versions;
if (isNewEnough(node)) {
	boundArenas();
	await import('./start.ts');
} else {
	process.stderr.write(
		`Plinth needs Node ${oldestNode} or later; this is ${node}, ${process.execPath}. ` +
			'Install a later one, or put it first in PATH.\n',
	);
	process.exitCode = 1;
}

/**
 * glibc gives each native thread an arena that keeps what it has freed, unless the environment bounds them when a
 * process starts. So commands that run long replace their process once; this takes 30 ms.
 */
function boundArenas(): void {
	const { argv, env, execArgv, execPath, platform } = process;
	const isLong = argv[2] === 'serve' || argv[2] === 'worker';
	// A process with a channel to its parent would lose it.
	if (!isLong || platform !== 'linux' || env.MALLOC_ARENA_MAX !== undefined || process.channel) return;
	process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '2' });
}
