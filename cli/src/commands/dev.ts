import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { ImportedFile } from '../dev/child.ts';
import { FileChanges } from '../dev/file-changes.ts';
import type { ConfigFlags } from '../find-config.ts';
import { UserError } from '../user-error.ts';

/** The flags of `plinth dev`. */
export interface DevFlags extends ConfigFlags {
	readonly host?: string;
	readonly port?: number;
}

/** A server that has not ended after this time is killed. In milliseconds. */
const stopMs = 5_000;

/** Serves until a signal arrives. Restarts the server when its config or a local module that it imports changes. */
export async function dev(flags: DevFlags): Promise<void> {
	const changes = watchConfig(flags.config ?? (process.env.PLINTH_CONFIG || undefined));
	const stop = onSignal(() => changes.close());
	while (!stop.aborted) {
		const server = startServer(flags, changes);
		const changed = await changes.next();
		if (changed) say(`${relative('.', changed)} has changed; restarting`);
		await server.stop();
	}
}

function watchConfig(configFile: string | undefined): FileChanges {
	if (configFile === undefined) {
		const changes = new FileChanges({ isRelevant: isConfig, onFailure: sayUnwatched });
		changes.addFolder(resolve('.'));
		return changes;
	}
	const file = resolve(configFile);
	if (!existsSync(dirname(file))) throw new UserError(`There is no folder ${dirname(file)}. Name an existing config.`);
	const changes = new FileChanges({ isRelevant: () => false, onFailure: sayUnwatched });
	changes.add(file);
	return changes;
}

/** Whether a server without `--config` would read the file. Such a file may be created while the server runs. */
function isConfig(file: string): boolean {
	return dirname(file) === resolve('.') && /[/\\]plinth\.config\.\w+$/.test(file);
}

/** Calls `stop` and aborts the returned signal when the first SIGTERM or SIGINT arrives. The second one exits. */
function onSignal(stop: () => void): AbortSignal {
	const controller = new AbortController();
	for (const name of ['SIGTERM', 'SIGINT'] as const) {
		process.on(name, () => {
			if (controller.signal.aborted) process.exit(1);
			controller.abort();
			stop();
		});
	}
	return controller.signal;
}

function startServer(flags: DevFlags, changes: FileChanges): { stop(): Promise<void> } {
	const server = fork(join(import.meta.dirname, `../main${extension}`), ['serve', '--dev', ...argumentsOf(flags)]);
	let isStopping = false;
	server.on('message', ({ imported }: ImportedFile) => changes.add(imported));
	const ended = once(server, 'exit').then(([code]) => {
		if (!isStopping) say(`the server has ended with code ${code}; waiting for a change`);
	});
	return {
		async stop() {
			isStopping = true;
			server.kill('SIGTERM');
			const timer = setTimeout(() => server.kill('SIGKILL'), stopMs);
			await ended;
			clearTimeout(timer);
		},
	};
}

/** `.ts` in a checkout, `.js` in an installed package. */
const extension = import.meta.filename.slice(-3);

function argumentsOf({ config, host, port, json, pretty }: DevFlags): readonly string[] {
	return [
		...(config === undefined ? [] : ['--config', config]),
		...(host === undefined ? [] : ['--host', host]),
		...(port === undefined ? [] : ['--port', String(port)]),
		...(json ? ['--json'] : []),
		...(pretty ? ['--pretty'] : []),
	];
}

function sayUnwatched(reason: string): void {
	say(`a folder cannot be watched, so changes in it do not restart the server: ${reason}`);
}

function say(text: string): void {
	process.stderr.write(`plinth dev: ${text}\n`);
}
