import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { freePort } from '../../support/free-port.ts';
import { removeDir, temporaryDir } from '../../support/serve.ts';

/** A running nginx. */
export interface Nginx {
	/** The URL with the prefix, without a trailing slash. */
	readonly url: string;
	stop(): Promise<void>;
}

/** Starts Debian's nginx in front of a server, below a prefix, with a strict configuration. */
export async function startNginx(target: string, prefix: string): Promise<Nginx> {
	const folder = await temporaryDir('nginx');
	const port = await freePort();
	await mkdir(join(folder, 'temp'));
	const file = join(folder, 'nginx.conf');
	await writeFile(file, configuration(target, prefix, port, folder));
	const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
	const url = `http://127.0.0.1:${port}${prefix}`;
	const isThere = async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok === true;
	await eventually('nginx answers', isThere, 10_000);
	return {
		url,
		async stop() {
			child.kill('SIGTERM');
			if (child.exitCode === null) await once(child, 'exit');
			await removeDir(folder);
		},
	};
}

const policy = "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; object-src 'none'";

/** Allows only the methods and paths of the API, no upgrade, small heads, and adds a second content policy. */
function configuration(target: string, prefix: string, port: number, folder: string): string {
	const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
	return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 128; }
http {
	access_log off;
	server_tokens off;
	types {}
	default_type application/octet-stream;
	${temporary.map((name) => `${name}_temp_path ${folder}/temp/${name};`).join('\n\t')}
	large_client_header_buffers 2 2k;
	client_header_buffer_size 2k;
	client_max_body_size 600m;
	merge_slashes on;
	gzip on;
	gzip_types text/javascript text/css application/json;
	server {
		listen 127.0.0.1:${port};
		add_header Content-Security-Policy "${policy}" always;
		add_header X-Content-Type-Options nosniff always;
		if ($request_method !~ ^(GET|HEAD|POST|DELETE)$) { return 405; }
		location ${prefix}/ {
			proxy_pass ${target}/;
			proxy_http_version 1.1;
			proxy_set_header Host plinth.internal;
			proxy_set_header Connection "";
			proxy_buffering off;
			proxy_request_buffering off;
			proxy_hide_header Server;
		}
		location / { return 403; }
	}
}
`;
}
