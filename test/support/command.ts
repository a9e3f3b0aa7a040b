import type { EventEmitter } from 'node:events';
import { vi } from 'vitest';
import { run } from '../../cli/src/program.ts';
import type { ChildOptions, Exit } from './cli.ts';

const here: EventEmitter = process;

/** What a command may listen for in its process. */
const events = ['uncaughtException', 'SIGTERM', 'SIGINT'];

/**
 * Runs the command line within this process, in the folder and with the variables that a child process would have. For commands
 * that come to an end by themselves: a process of their own takes longer to start than most of them to run.
 */
export async function plinthHere(
	args: readonly string[],
	{ cwd, env = {} }: ChildOptions,
): Promise<Pick<Exit, 'code' | 'stdout' | 'stderr'>> {
	const written = { stdout: '', stderr: '' };
	const before = { cwd: process.cwd(), env: { ...process.env }, code: process.exitCode };
	const heard = events.map((event) => [event, here.listeners(event)] as const);
	const { PATH = '', TMPDIR, HOME = cwd } = process.env;
	const spies = (['stdout', 'stderr'] as const).map((name) =>
		vi.spyOn(process[name], 'write').mockImplementation((text) => {
			written[name] += text;
			return true;
		}),
	);
	try {
		replaceEnv({ PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}), ...env });
		process.chdir(cwd);
		process.exitCode = undefined;
		await run(['node', 'plinth', ...args]);
		return { code: Number(process.exitCode ?? 0), ...written };
	} finally {
		for (const spy of spies) spy.mockRestore();
		process.exitCode = before.code;
		process.chdir(before.cwd);
		replaceEnv(before.env);
		for (const [event, listeners] of heard) keepOnly(event, listeners);
	}
}

function replaceEnv(wanted: NodeJS.ProcessEnv): void {
	for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
	Object.assign(process.env, wanted);
}

type Listener = (...args: unknown[]) => void;

function keepOnly(event: string, wanted: readonly unknown[]): void {
	for (const listener of here.listeners(event)) {
		if (!wanted.includes(listener)) here.removeListener(event, listener as Listener);
	}
}
