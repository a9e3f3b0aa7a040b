import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { inject } from 'vitest';

/** How a program ended. */
export interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** The folder and the runtime of a program. */
export interface RunOptions {
	readonly cwd: string;
	/** The folder of its `node`; that of the tests by default. */
	readonly bin?: string;
	readonly env?: Readonly<Record<string, string>>;
}

/** A server that a test has started. */
export interface RunningServer {
	/** Without a trailing slash. */
	readonly url: string;
	/** Sends SIGTERM and waits for the end. */
	stop(): Promise<Ended>;
}

/**
 * Runs a program, or a command of an installed package, to its end. It does not inherit the environment of the tests.
 */
export async function run([program = '', ...args]: readonly string[], options: RunOptions): Promise<Ended> {
	// Less than the timeout of a test, so that no program outlives the run.
	return ended(start(program, args, options, 50_000));
}

/** Runs the installed `plinth serve` on a free port. Resolves when its banner shows the URL. */
export async function serve(options: RunOptions): Promise<RunningServer> {
	const child = start('plinth', ['serve', '--port', '0'], options, 90_000);
	const end = ended(child);
	const url = await new Promise<string>((found, fail) => {
		let text = '';
		child.stdout?.on('data', (chunk: Buffer) => {
			text += chunk;
			const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
			if (address) found(address);
		});
		end.then(({ stderr }) => fail(new Error(`plinth serve ended early:\n${stderr}`)), fail);
	});
	return {
		url,
		stop() {
			child.kill('SIGTERM');
			return end;
		},
	};
}

function start(
	program: string,
	args: readonly string[],
	{ cwd, bin, env }: RunOptions,
	timeoutMs: number,
): ChildProcess {
	const { PATH = '', HOME = cwd, TMPDIR } = process.env;
	const commands = join(inject('prepared').app, 'node_modules/.bin');
	const path = [bin ?? dirname(process.execPath), commands, PATH];
	return spawn(program, args, {
		cwd,
		env: {
			...{ PATH: path.join(delimiter), HOME },
			...(TMPDIR ? { TMPDIR } : {}),
			...{ PLINTH_LOG_LEVEL: 'error', ...env },
		},
		stdio: ['ignore', 'pipe', 'pipe'],
		timeout: timeoutMs,
		killSignal: 'SIGKILL',
	});
}

async function ended(child: ChildProcess): Promise<Ended> {
	const written = { stdout: '', stderr: '' };
	for (const name of ['stdout', 'stderr'] as const) {
		child[name]?.on('data', (chunk: Buffer) => {
			written[name] += chunk;
		});
	}
	const [code] = (await once(child, 'close')) as [number | null];
	return { code, ...written };
}
