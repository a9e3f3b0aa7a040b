import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { WorkerPool } from '../src/worker/pool.ts';

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sharp-worker-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** A pool of workers that end in this way on every picture. They are JavaScript without imports, to start fast. */
async function poolThat(end: string): Promise<WorkerPool> {
	const file = join(folder, `${end.length}.mjs`);
	const ready = '{"kind":"ready"}';
	const program = `
		import { writeSync } from 'node:fs';
		writeSync(3, Buffer.from('\\0\\0\\0\\x${ready.length.toString(16)}\\0\\0\\0\\0${ready}', 'latin1'));
		process.stdin.once('data', () => { ${end} });`;
	await writeFile(file, program);
	const pool = new WorkerPool({ file: pathToFileURL(file), taskTimeoutMs: 500 });
	onTestFinished(() => pool.close());
	return pool;
}

const probe = (pool: WorkerPool) => pool.run(new Uint8Array(9), { kind: 'probe' });

it('a picture that crashes workers is unreadable', async () => {
	const pool = await poolThat('process.exit(1)');
	await expect(probe(pool)).rejects.toMatchObject({ code: 'E_IMAGE_UNREADABLE' });
});

it('a picture that exceeds the time limit is too large', async () => {
	const pool = await poolThat('');
	await expect(probe(pool)).rejects.toMatchObject({
		code: 'E_IMAGE_TOO_LARGE',
		message: /10 seconds/,
	});
});

it('a picture that needs too much memory is too large', async () => {
	const pool = await poolThat("writeSync(2, 'plinth: too much memory'); process.exit(1)");
	await expect(probe(pool)).rejects.toMatchObject({
		code: 'E_IMAGE_TOO_LARGE',
		message: /memory/,
	});
});
