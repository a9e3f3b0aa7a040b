import { openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { pathOf } from '../harness/programs.ts';
import { untilAnswers } from '../harness/ready.ts';
import { end, type Processor, startPinned } from './pinned.ts';
import type { Kind } from './plinth.config.ts';
import { portkeyScript } from './portkey.ts';
import type { MockUpstream } from './upstream.ts';
import { finishedVideo } from './video.ts';

/** A server in front of the mock upstream, or the upstream itself. */
export interface Gateway {
	readonly pid: number;
	readonly port: number;
	/** Headers that every request to it needs. */
	readonly headers: Readonly<Record<string, string>>;
	/** The id of a completed video. */
	readonly video: string;
	/** Stops the server. With `SIGTERM` it can write its files first. */
	stop(signal?: NodeJS.Signals): Promise<void>;
}

const root = join(import.meta.dirname, '../..');
const key = 'key-of-the-bench';
const video = 'video_mock';

/** How Plinth is started. */
export interface StartOptions {
	/** Flags for Node. */
	readonly execArgv?: readonly string[];
	/** How many processes serve, on `processor`. */
	readonly processes?: number;
	readonly processor?: Processor;
}

/**
 * Starts Plinth as `plinth serve` does, with everything on and the mock's models of one kind. It logs each request as
 * a line of JSON into a file of the folder. For the kind `video` one video is complete when this resolves.
 */
export async function startOurs(
	upstream: MockUpstream,
	kind: Kind,
	{ execArgv = [], processes = 1, processor = 'gateways' }: StartOptions = {},
): Promise<Gateway> {
	const { PATH = '', HOME = '' } = process.env;
	const port = await freePort();
	const folder = await mkdtemp(join(upstream.folder, 'ours-'));
	const log = openSync(join(folder, 'server.log'), 'a');
	const script = [join(root, 'cli/src/main.ts'), 'serve'];
	const config = join(import.meta.dirname, 'plinth.config.ts');
	const node = [process.execPath, '--conditions=@plinth/source', ...execArgv];
	const child = startPinned(processor, [...node, ...script, '--config', config], {
		cwd: folder,
		stdio: ['ignore', log, log],
		env: {
			PATH,
			HOME,
			NODE_ENV: 'production',
			PORT: String(port),
			PLINTH_PROCESSES: String(processes),
			PLINTH_DATA_DIR: join(folder, 'data'),
			PLINTH_API_KEYS: key,
			BENCH_UPSTREAM: `http://127.0.0.1:${upstream.port}/v1`,
			BENCH_KIND: kind,
		},
	});
	const url = `http://127.0.0.1:${port}`;
	await untilAnswers(`${url}/readyz`, 'Our server').catch(async (error: unknown) => {
		await end(child);
		// Its output is removed with the folder.
		throw new Error(await readFile(join(folder, 'server.log'), 'utf8'), { cause: error });
	});
	const headers = { authorization: `Bearer ${key}` };
	return {
		pid: child.pid as number,
		port,
		headers,
		video: kind === 'video' ? await finishedVideo(url, headers) : '',
		stop: (signal) => end(child, signal),
	};
}

/** Starts nginx as a proxy that buffers nothing, in one process. */
export async function startNginx(upstream: MockUpstream): Promise<Gateway> {
	const port = await freePort();
	const folder = await mkdtemp(join(upstream.folder, 'nginx-'));
	await mkdir(join(folder, 'temp'));
	await writeFile(join(folder, 'nginx.conf'), nginxConfig(folder, port, upstream.port));
	const command = [pathOf('nginx'), '-p', folder, '-e', 'error.log', '-c', 'nginx.conf'];
	const child = startPinned('gateways', command);
	await untilAnswers(`http://127.0.0.1:${port}/health`, 'nginx');
	const headers = { authorization: 'Bearer sk-bench' };
	return { pid: child.pid as number, port, headers, video, stop: () => end(child) };
}

/** Starts the smallest gateway on Koa and undici; see `bare.ts`. */
export async function startBare(upstream: MockUpstream): Promise<Gateway> {
	const { PATH = '', HOME = '' } = process.env;
	const port = await freePort();
	const command = [process.execPath, join(import.meta.dirname, 'bare.ts')];
	const child = startPinned('gateways', command, {
		env: {
			PATH,
			HOME,
			NODE_ENV: 'production',
			PORT: String(port),
			UPSTREAM: `http://127.0.0.1:${upstream.port}`,
		},
	});
	await untilAnswers(`http://127.0.0.1:${port}/`, 'The bare gateway');
	const headers = { authorization: 'Bearer sk-bench' };
	return { pid: child.pid as number, port, headers, video, stop: () => end(child) };
}

/** Starts Portkey's gateway; undefined, with a message, where npm cannot install it. */
export async function startPortkey(upstream: MockUpstream): Promise<Gateway | undefined> {
	const script = await portkeyScript();
	if (!script) return undefined;
	const { PATH = '', HOME = '' } = process.env;
	const port = await freePort();
	const preload = join(import.meta.dirname, 'portkey-streams.ts');
	const node = [process.execPath, '--import', preload, script];
	const child = startPinned('gateways', [...node, `--port=${port}`, '--headless'], {
		env: { PATH, HOME, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
	});
	await untilAnswers(`http://127.0.0.1:${port}/`, 'Portkey');
	const headers = {
		authorization: 'Bearer sk-bench',
		'x-portkey-provider': 'openai',
		'x-portkey-custom-host': `http://127.0.0.1:${upstream.port}/v1`,
	};
	return { pid: child.pid as number, port, headers, video, stop: () => end(child) };
}

/** The mock upstream with no gateway in front of it. */
export function direct({ port }: MockUpstream): Gateway {
	const headers = { authorization: 'Bearer sk-bench' };
	return { pid: process.pid, port, headers, video, stop: async () => {} };
}

function nginxConfig(folder: string, port: number, upstream: number): string {
	return `
daemon off;
master_process off;
pid nginx.pid;
events { worker_connections 8192; multi_accept on; }
http {
	access_log off;
	tcp_nodelay on;
	keepalive_requests 1000000000;
	client_max_body_size 0;
	client_body_buffer_size 64k;
	client_body_temp_path ${folder}/temp/bodies;
	proxy_temp_path ${folder}/temp/proxied;
	fastcgi_temp_path ${folder}/temp/fastcgi;
	uwsgi_temp_path ${folder}/temp/uwsgi;
	scgi_temp_path ${folder}/temp/scgi;
	upstream mock { server 127.0.0.1:${upstream}; keepalive 512; keepalive_requests 1000000000; }
	server {
		listen 127.0.0.1:${port} backlog=4096;
		location / {
			proxy_pass http://mock;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_buffering off;
			proxy_buffer_size 64k;
			proxy_buffers 8 64k;
			proxy_busy_buffers_size 128k;
			proxy_read_timeout 300s;
		}
	}
}
`;
}
