import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { killOnExit } from './child.ts';
import { pathOf } from './programs.ts';
import { untilAnswers } from './ready.ts';

/** An nginx that serves files and discards uploads. */
export interface Nginx {
	readonly pid: number;
	readonly port: number;
	/** Writes a file that `GET /<name>` returns. */
	add(name: string, bytes: Uint8Array): Promise<void>;
	stop(): Promise<void>;
}

/** Starts nginx in the foreground, in a temporary folder of its own. */
export async function startNginx(): Promise<Nginx> {
	const dir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
	// The worker process of nginx runs as another user.
	await chmod(dir, 0o755);
	await mkdir(join(dir, 'static'));
	const port = await freePort();
	await writeFile(join(dir, 'nginx.conf'), configOf(dir, port));
	const child = spawn(pathOf('nginx'), ['-p', dir, '-e', 'error.log', '-c', 'nginx.conf'], {
		stdio: 'ignore',
	});
	// The worker process ends with nginx only after SIGTERM or SIGQUIT.
	killOnExit(child, 'SIGTERM');
	await untilAnswers(`http://127.0.0.1:${port}/accepted`, 'nginx');
	return {
		pid: child.pid as number,
		port,
		add: (name, bytes) => writeFile(join(dir, 'static', name), bytes),
		async stop() {
			const ended = once(child, 'exit');
			child.kill('SIGTERM');
			await ended;
			await rm(dir, { recursive: true, force: true });
		},
	};
}

function configOf(dir: string, port: number): string {
	return `
daemon off;
worker_processes 1;
pid nginx.pid;
events { worker_connections 1024; }
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 1000000;
	client_max_body_size 0;
	client_body_temp_path ${dir}/bodies;
	proxy_temp_path ${dir}/proxied;
	fastcgi_temp_path ${dir}/fastcgi;
	uwsgi_temp_path ${dir}/uwsgi;
	scgi_temp_path ${dir}/scgi;
	server {
		listen 127.0.0.1:${port};
		root ${dir}/static;
		location = /uploads {
			client_body_in_file_only clean;
			client_body_buffer_size 64k;
			# A body is read only for somebody who might want it: nginx itself, which is not sent it.
			proxy_pass http://127.0.0.1:${port}/accepted;
			proxy_pass_request_body off;
			proxy_set_header Content-Length "";
		}
		location = /accepted { return 200 "ok"; }
	}
}
`;
}
