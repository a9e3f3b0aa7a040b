import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from '../../test/engines/s3/support.ts';
import { freePort } from '../../test/support/free-port.ts';
import { killOnExit } from '../harness/child.ts';
import { untilAnswers } from '../harness/ready.ts';
import { keyHeaders } from '../harness/server.ts';

/** `plinth serve` with its blobs in a bucket. */
export interface S3Server {
	readonly pid: number;
	readonly port: number;
	/** Creates a video of this many megabytes, waits until it is completed and returns its id. */
	makeVideo(megabytes: number): Promise<string>;
	stop(): Promise<void>;
}

const main = join(import.meta.dirname, '../../cli/src/main.ts');

/** Starts the server as a user does, with its own data directory. */
export async function startS3Server(place: Place): Promise<S3Server> {
	const dir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
	const port = await freePort();
	const { PATH = '', HOME = '' } = process.env;
	const config = join(import.meta.dirname, 'plinth.config.ts');
	const child = spawn(process.execPath, ['--conditions=@plinth/source', main, 'serve', '--config', config], {
		stdio: ['ignore', 'ignore', 'inherit'],
		cwd: dir,
		env: {
			PATH,
			HOME,
			NODE_ENV: 'production',
			PORT: String(port),
			PLINTH_LOG_LEVEL: 'warn',
			PLINTH_DATA_DIR: join(dir, 'data'),
			PLINTH_API_KEYS: keyHeaders['x-api-key'],
			S3_BUCKET: place.bucket,
			S3_ENDPOINT: place.endpoint,
			AWS_ACCESS_KEY_ID: place.accessKeyId,
			AWS_SECRET_ACCESS_KEY: place.secretAccessKey,
		},
	});
	killOnExit(child);
	const ended = once(child, 'exit');
	const url = `http://127.0.0.1:${port}`;
	await untilAnswers(`${url}/readyz`, 'plinth serve');
	return {
		pid: child.pid as number,
		port,
		makeVideo: (megabytes) => makeVideo(url, megabytes),
		async stop() {
			child.kill('SIGKILL');
			await ended;
			await rm(dir, { recursive: true, force: true });
		},
	};
}

async function makeVideo(url: string, megabytes: number): Promise<string> {
	const body = JSON.stringify({ model: 'bench-video', prompt: `A lighthouse, mb=${megabytes}` });
	const headers = { ...keyHeaders, 'content-type': 'application/json' };
	const { id } = await ask(`${url}/v1/videos`, { method: 'POST', body, headers });
	for (;;) {
		const { status } = await ask(`${url}/v1/videos/${id}`, { headers: keyHeaders });
		if (status === 'completed') return id;
		if (status === 'failed') throw new Error('The video failed.');
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

async function ask(url: string, init: RequestInit): Promise<{ readonly id: string; readonly status: string }> {
	const answer = await fetch(url, init);
	if (!answer.ok) throw new Error(await answer.text());
	return (await answer.json()) as { id: string; status: string };
}
