import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { killOnExit } from '../harness/child.ts';
import { pathOf } from '../harness/programs.ts';

/** Processors by use: the gateway runs alone on one; load and upstream share the other. `both` is for all together. */
export const processors = { gateways: '0', others: '1', both: '0,1' } as const;

/** One of {@link processors}. */
export type Processor = keyof typeof processors;

/** Starts a program on one processor; it ends with this process. Throws on a machine with fewer than two. */
export function startPinned(
	processor: Processor,
	command: readonly string[],
	options: SpawnOptions = {},
): ChildProcess {
	if (availableParallelism() < 2) throw new Error('This benchmark needs a machine of two cores.');
	const child = spawn(pathOf('taskset'), ['-c', processors[processor], ...command], {
		stdio: 'ignore',
		...options,
	});
	killOnExit(child);
	return child;
}

/** Ends a process and waits until it has exited. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = once(child, 'exit');
	child.kill(signal);
	await ended;
}
