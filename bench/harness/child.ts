import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A script of `subjects/` in its own process, which exchanges messages with the benchmark. */
export interface Child {
	readonly pid: number;
	send(message: object): void;
	/** The next unread message. Rejects when the process ends before it. */
	next<Message>(): Promise<Message>;
	/** Stops the process and waits until it has exited. */
	stop(): Promise<void>;
}

/** How a child is started. */
export interface ChildOptions {
	readonly args?: readonly string[];
	readonly execArgv?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	/** Discards the log of the process: an unread pipe would fill up. */
	readonly quiet?: boolean;
}

const subjects = join(import.meta.dirname, '../subjects');

/** Starts a script. It runs with a minimal environment, so that the caller's shell cannot change the measurement. */
export function startChild(script: string, options: ChildOptions = {}): Child {
	const { args = [], execArgv = [], env = {}, quiet = false } = options;
	const { PATH = '', HOME = '', TMPDIR } = process.env;
	const child = fork(join(subjects, script), args, {
		execArgv: ['--conditions=@plinth/source', ...execArgv],
		stdio: ['ignore', 'ignore', quiet ? 'ignore' : 'inherit', 'ipc'],
		env: { PATH, HOME, NODE_ENV: 'production', ...(TMPDIR ? { TMPDIR } : {}), ...env },
	});
	killOnExit(child);
	const messages = messagesOf(child, script);
	return {
		pid: child.pid as number,
		send: (message) => void child.send(message),
		next: <Message>() => messages.next() as Promise<Message>,
		async stop() {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const ended = once(child, 'exit');
			child.kill('SIGKILL');
			await ended;
		},
	};
}

/** Ends the children when a benchmark is interrupted. */
export function killOnExit(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
	const end = () => void child.kill(signal);
	process.once('exit', end);
	child.once('exit', () => process.off('exit', end));
}

function messagesOf(child: ChildProcess, script: string) {
	const unread: unknown[] = [];
	let waiting: PromiseWithResolvers<unknown> | undefined;
	let end: Error | undefined;
	child.on('message', (message) => {
		if (waiting) waiting.resolve(message);
		else unread.push(message);
		waiting = undefined;
	});
	child.once('exit', (code) => {
		end = new Error(`${script} ended with code ${code}.`);
		waiting?.reject(end);
	});
	return {
		next(): Promise<unknown> {
			if (unread.length > 0) return Promise.resolve(unread.shift());
			if (end) return Promise.reject(end);
			waiting = Promise.withResolvers();
			return waiting.promise;
		},
	};
}
