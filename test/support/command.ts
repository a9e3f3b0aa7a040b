import type { EventEmitter } from 'node:events';
import { vi } from 'vitest';
import { run } from '../../cli/src/program.ts';
import type { ChildOptions, Exit } from './cli.ts';

const emitter: EventEmitter = process;

/** The process events that a command may listen for. */
const events = ['uncaughtException', 'SIGTERM', 'SIGINT'];

/**
 * Runs the command line in this process, with the folder and environment that a child process would have. Only for
 * commands that end by themselves. A child process would take longer to start than most commands run.
 */
export async function plinthHere(
	args: readonly string[],
	{ cwd, env = {} }: ChildOptions,
): Promise<Pick<Exit, 'code' | 'stdout' | 'stderr'>> {
	const written = { stdout: '', stderr: '' };
	const before = { cwd: process.cwd(), env: { ...process.env }, code: process.exitCode };
	const previousListeners = events.map((event) => [event, emitter.listeners(event)] as const);
	const { PATH = '', TMPDIR, HOME = cwd } = process.env;
	const collectors = (['stdout', 'stderr'] as const).map((name) =>
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
		for (const collect of collectors) collect.mockRestore();
		process.exitCode = before.code;
		process.chdir(before.cwd);
		replaceEnv(before.env);
		for (const [event, listeners] of previousListeners) keepOnly(event, listeners);
	}
}

function replaceEnv(wanted: NodeJS.ProcessEnv): void {
	for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
	Object.assign(process.env, wanted);
}

type Listener = (...args: unknown[]) => void;

function keepOnly(event: string, wanted: readonly unknown[]): void {
	for (const listener of emitter.listeners(event)) {
		if (!wanted.includes(listener)) emitter.removeListener(event, listener as Listener);
	}
}
