import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { eventually } from '@plinth/testing';

/** The root folder of the repository. */
export const root = resolve(import.meta.dirname, '../..');

/** How a child process ended. */
export interface Exit {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** A child process of a test, in its own process group. */
export interface Child {
	readonly pid: number;
	/** Standard output so far. */
	stdout(): string;
	stderr(): string;
	/**
	 * Waits until standard output matches the pattern, and returns the first match. Throws an error with all output when
	 * the process ends first.
	 */
	printed(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
	/** Sends a signal to this process, not to its group. */
	signal(signal: NodeJS.Signals): void;
	/** Resolves when the process has ended. */
	readonly exit: Promise<Exit>;
	/** Kills the whole process group, if any of it still runs. */
	kill(): Promise<void>;
}

/** The working directory and environment of a child process. */
export interface ChildOptions {
	readonly cwd: string;
	/** Added to a minimal environment. The child does not inherit the environment of the tests. */
	readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command line of this repository from source. */
export function plinth(args: readonly string[], options: ChildOptions): Child {
	return startNode([join(root, 'cli/src/main.ts'), ...args], options);
}

/** Runs a script on the same Node as the tests. */
export function startNode(args: readonly string[], { cwd, env = {} }: ChildOptions): Child {
	const { PATH = '', TMPDIR, HOME = cwd, NODE_COMPILE_CACHE } = process.env;
	const child = spawn(process.execPath, ['--conditions=@plinth/source', ...args], {
		cwd,
		env: {
			...{ PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}) },
			...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}),
			...env,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
	});
	return watch(child);
}

function watch(child: ChildProcess): Child {
	const pid = child.pid as number;
	let [stdout, stderr] = ['', ''];
	let ended = false;
	child.stdout?.on('data', (text: Buffer) => {
		stdout += text;
	});
	child.stderr?.on('data', (text: Buffer) => {
		stderr += text;
	});
	const exit = new Promise<Exit>((done) => {
		child.once('close', (code, signal) => {
			ended = true;
			done({ code, signal, stdout, stderr });
		});
	});
	return {
		pid,
		exit,
		stdout: () => stdout,
		stderr: () => stderr,
		async printed(pattern, timeoutMs = 20_000) {
			const seen = () => pattern.exec(stdout);
			const isSettled = () => ended || seen() !== null;
			await eventually(`the child prints ${pattern}`, isSettled, timeoutMs);
			const match = seen();
			if (match) return match;
			throw new Error(`The child ended without printing ${pattern}:\n${stdout}\n${stderr}`);
		},
		signal: (signal) => child.kill(signal),
		async kill() {
			if (isGroupAlive(pid)) process.kill(-pid, 'SIGKILL');
			await exit;
		},
	};
}

/** Whether any process of a child's process group still runs. */
export function isGroupAlive(pid: number): boolean {
	try {
		process.kill(-pid, 0);
		return true;
	} catch {
		return false;
	}
}
