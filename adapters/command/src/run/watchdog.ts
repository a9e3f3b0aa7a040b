import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { runVariable } from './orphans.ts';

/**
 * What is said to it: `+` and a group of processes or the name of a folder, and `-` and the same when it is gone. When nobody can say
 * anything any more, it kills and removes what is left. Signals that are meant for the server do not concern it.
 */
const script = `
trap '' HUP INT TERM
left=' '
while read -r sign item; do
	case $sign in
		+) left="$left$item " ;;
		-) left="\${left%% $item *} \${left#* $item }" ;;
	esac
done
for item in $left; do
	case $item in *[!0-9]*) ;; *) kill -KILL -- "-$item" ;; esac
done
for item in $left; do
	case $item in *[!0-9]*) ;; *) continue ;; esac
	for look in 1 2 3; do
		for file in $(grep -slF "$MARK=$item" /proc/[0-9]*/environ); do
			file=\${file#/proc/}
			kill -KILL "\${file%/environ}"
		done
	done
	rm -rf -- "$1/$item"
done
`;

/**
 * Ends the programs of a server that is killed, and removes their folders: a shell that does nothing but wait for the end of its stdin.
 * Programs that are not ours cannot do that themselves. It is started by the first run.
 */
export class Watchdog {
	readonly #items = new Set<string>();
	#shell: ChildProcess | undefined;

	/** Counts a group of processes, by its number, or a folder below the system's temporary one, by its name. */
	add(item: string | number): void {
		this.#items.add(`${item}`);
		if (this.#shell) this.#send('+', item);
		else this.#start();
	}

	/** It is gone. */
	remove(item: string | number): void {
		if (this.#items.delete(`${item}`)) this.#send('-', item);
	}

	/** Ends the shell. */
	async stop(): Promise<void> {
		const shell = this.#shell;
		if (!shell) return;
		shell.ref();
		const exited = once(shell, 'exit');
		shell.stdin?.end();
		await exited;
	}

	#start(): void {
		const shell = spawn('/bin/sh', ['-c', script, 'plinth-guard', tmpdir()], {
			cwd: '/',
			// A group of its own: what ends the server's must not end it.
			detached: true,
			env: { PATH: process.env.PATH, MARK: runVariable },
			stdio: ['pipe', 'ignore', 'ignore'],
		});
		this.#shell = shell;
		const onExit = () => {
			if (this.#shell === shell) this.#shell = undefined;
		};
		// One that cannot be started, or is killed, is started again by the next run.
		shell.on('error', onExit).on('exit', onExit);
		shell.stdin?.on('error', () => {});
		shell.unref();
		(shell.stdin as Socket | null)?.unref();
		for (const item of this.#items) this.#send('+', item);
	}

	/** Node writes to a pipe that has room at once. */
	#send(sign: '+' | '-', item: string | number): void {
		this.#shell?.stdin?.write(`${sign} ${item}\n`);
	}
}
