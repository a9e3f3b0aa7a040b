import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { runVariable } from './orphans.ts';

/**
 * The watchdog script. Its input lines are `+` and the id of a process group or the name of a folder, and `-` and the
 * same when that has ended. At the end of its stdin it kills and removes the rest. It ignores signals to the server.
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
for item in $left; do case $item in *[!0-9]*) ;; *) kill -KILL -- "-$item" ;; esac; done
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
 * Ends the programs of a killed server and removes their folders: a shell that waits for the end of its
 * stdin. Other programs cannot do that themselves. The first run starts it.
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
