import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { deployFile } from '../../support/deploy-files.ts';
import { freePort } from '../../support/free-port.ts';

/** nginx with the shipped configuration. Only addresses and ports are replaced. */
export interface OwnNginx {
	/** Without a trailing slash. */
	readonly url: string;
	start(): Promise<void>;
	/** Kills all its processes. */
	kill(): Promise<void>;
	/** Its error log. */
	errors(): string;
}

/** Writes the configuration into a folder. `addresses` replace those of the file, in their order. */
export async function ownNginx(folder: string, addresses: readonly string[]): Promise<OwnNginx> {
	const port = await freePort();
	const file = join(folder, 'nginx.conf');
	await mkdir(folder, { recursive: true });
	await writeFile(file, configFor(port, addresses));
	// The folders for buffered bodies are those of the Debian package.
	const own = `daemon off; pid ${join(folder, 'nginx.pid')};`;
	let complaints = '';
	let server: ReturnType<typeof spawn> | undefined;
	const url = `http://127.0.0.1:${port}`;
	return {
		url,
		errors: () => complaints,
		async start() {
			const started = spawn('/usr/sbin/nginx', ['-p', folder, '-c', file, '-e', 'stderr', '-g', own], {
				stdio: ['ignore', 'ignore', 'pipe'],
				detached: true,
			});
			server = started;
			started.stderr?.on('data', (text: Buffer) => {
				complaints += text;
			});
			const isUp = () => {
				if (started.exitCode !== null) throw new Error(`nginx ended: apt-get install nginx-light.\n${complaints}`);
				return fetch(`${url}/healthz`).then(
					async (response) => (await response.text()) !== '',
					() => false,
				);
			};
			await eventually('nginx answers', isUp, 10_000);
		},
		async kill() {
			const ending = server;
			server = undefined;
			if (!ending?.pid || ending.exitCode !== null) return;
			const ended = once(ending, 'exit');
			process.kill(-ending.pid, 'SIGKILL');
			await ended;
		},
	};
}

function configFor(port: number, addresses: readonly string[]): string {
	const left = [...addresses];
	const text = deployFile('nginx.conf')
		.replace(/^\t\tlisten 80;$/m, `\t\tlisten 127.0.0.1:${port};`)
		.replace(/(?<=\tserver )\S+(?= max_fails=0;)/g, (shipped) => left.shift() ?? shipped);
	if (left.length > 0 || !text.includes(String(port)))
		throw new Error('nginx.conf does not have the expected addresses.');
	return text;
}
