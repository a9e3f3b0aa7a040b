import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { runVariable } from './orphans.ts';

/**
 * The watchdog script. An input line with `+` registers the id of a process group or the name of a folder, and one with
 * `-` unregisters it. After the last line, it kills the groups and removes the folders. It ignores signals.
 */
const script = `
trap '' HUP INT TERM
items=' '
while read -r sign item; do
	case $sign in
		+) items="$items$item " ;;
		-) items="\${items%% $item *} \${items#* $item }" ;;
	esac
done
for item in $items; do case $item in *[!0-9]*) ;; *) kill -KILL -- "-$item" ;; esac; done
for item in $items; do
	case $item in *[!0-9]*) ;; *) continue ;; esac
	for attempt in 1 2 3; do
		for file in $(grep -slF "$MARK=$item" /proc/[0-9]*/environ); do
			file=\${file#/proc/}
			kill -KILL "\${file%/environ}"
		done
	done
	rm -rf -- "$1/$item"
done
`;

/**
 * A shell that waits for the end of its stdin, which means that the server was killed. Then it ends the programs of the
 * server and removes their folders, because programs do not detect this themselves. The first run starts it.
 */
export class Watchdog {
	readonly #items = new Set<string>();
	#shell: ChildProcess | undefined;

	/** Registers a process group by id, or a folder in the system's temporary directory by name. */
	add(item: string | number): void {
		this.#items.add(`${item}`);
		if (this.#shell) this.#send('+', item);
		else this.#start();
	}

	/** Unregisters an item. */
	remove(item: string | number): void {
		if (this.#items.delete(`${item}`)) this.#send('-', item);
	}

	/** Ends the shell. */
	async stop(): Promise<void> {
		const shell = this.#shell;
		if (!shell) return;
		shell.ref();
		shell.stdin?.end();
		await once(shell, 'exit');
	}

	#start(): void {
		const shell = spawn('/bin/sh', ['-c', script, 'plinth-guard', tmpdir()], {
			cwd: '/',
			// A separate process group: signals to the server's group must not end the watchdog.
			detached: true,
			env: { PATH: process.env.PATH, MARK: runVariable },
			stdio: ['pipe', 'ignore', 'ignore'],
		});
		this.#shell = shell;
		const onExit = () => {
			if (this.#shell === shell) this.#shell = undefined;
		};
		// The next run starts it again.
		shell.on('error', onExit).on('exit', onExit);
		shell.stdin?.on('error', () => {});
		shell.unref();
		(shell.stdin as Socket | null)?.unref();
		for (const item of this.#items) this.#send('+', item);
	}

	/** Node writes synchronously to a pipe with free buffer space. */
	#send(sign: '+' | '-', item: string | number): void {
		this.#shell?.stdin?.write(`${sign} ${item}\n`);
	}
}
