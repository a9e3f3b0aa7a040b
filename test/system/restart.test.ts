import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { type Child, isGroupAlive, plinth } from '../support/cli.ts';
import { type RawClient, rawClient, type WireVideo } from '../support/client.ts';
import { ffprobe } from '../support/programs.ts';
import { removeDir, temporaryDir } from '../support/serve.ts';

const children: Child[] = [];
let cwd: string;

beforeEach(async () => {
	cwd = await temporaryDir('restart');
});

afterEach(async () => {
	await Promise.all(children.splice(0).map((child) => child.kill()));
	await removeDir(cwd);
});

async function serve(): Promise<{ child: Child; client: RawClient }> {
	const env = { PORT: '0', PLINTH_API_KEYS: 'me:key-of-the-tests', PLINTH_LOG_LEVEL: 'warn' };
	const child = plinth(['serve'], { cwd, env });
	children.push(child);
	// The message of a server that failed to start.
	onTestFailed(() => console.error(child.stdout(), child.stderr()));
	const [, url = ''] = await child.printed(/serving +(http:\S+)/);
	return { child, client: rawClient(url, 'key-of-the-tests') };
}

/** Starts the longest possible render and waits until it has begun. */
async function begin(client: RawClient): Promise<string> {
	const fields = { model: 'builtin-video', prompt: 'A long way', seconds: '12', size: '1280x720' };
	const { id } = await client.create(fields);
	await eventually(
		'the render has begun',
		async () => {
			const { status, progress } = await client.json<WireVideo>(`/v1/videos/${id}`);
			return status === 'in_progress' && progress > 0;
		},
		30_000,
	);
	return id;
}

describe('an interrupted render', () => {
	test('is finished after a restart by SIGKILL', async () => {
		const first = await serve();
		const id = await begin(first.client);
		first.child.signal('SIGKILL');
		await first.child.exit;
		const { client } = await serve();
		// The lease of the killed attempt lasts 20 seconds. After it the render starts over.
		expect(await client.finished(id, 120_000)).toMatchObject({ status: 'completed', error: null });
		const file = join(cwd, 'long.mp4');
		await writeFile(file, await client.bytes(`/v1/videos/${id}/content`));
		expect(await ffprobe(file)).toMatchObject({ nb_read_frames: '288', duration: '12.000000' });
	});

	test('leaves no process after two signals', async () => {
		const { child, client } = await serve();
		await begin(client);
		child.signal('SIGTERM');
		await eventually('it has received the first signal', () => child.stderr().includes('SIGTERM'));
		child.signal('SIGTERM');
		await child.exit;
		// A killed process exists until it is reaped.
		await eventually('no process is left', () => !isGroupAlive(child.pid));
	});
});

describe('a signal during a render', () => {
	test('ends the process with 0 within 18 seconds, and the video is completed by then or later', async () => {
		const first = await serve();
		const id = await begin(first.client);
		const asked = Date.now();
		first.child.signal('SIGTERM');
		expect((await first.child.exit).code).toBe(0);
		expect(Date.now() - asked).toBeLessThan(18_000);
		const { client } = await serve();
		expect(await client.finished(id, 60_000)).toMatchObject({ status: 'completed' });
	});
});
