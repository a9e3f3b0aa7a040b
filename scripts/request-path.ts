// Prints the source files that `POST /v1/videos` runs until `jobs.submit`, and fails when there are more than 20. A
// file counts when one of its functions runs between the first byte of a warm request and the first call of the job
// store.
import { mkdtemp, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp, services } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { embedded } from 'plinth';

const maxFiles = 20;
const root = join(import.meta.dirname, '..');
const dataDir = await mkdtemp(join(tmpdir(), 'plinth-path-'));
const env = { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: 'key-of-the-tests' };
// Without a worker, so that no rendering runs during the request.
const config = { extends: embedded, server: { drainDelayMs: 0 }, role: 'api' };
const app = await createApp(config, { env, log: silentLogger() });
const { url } = await app.listen({ port: 0 });

async function createVideo(): Promise<void> {
	const headers = { 'x-api-key': 'key-of-the-tests', 'content-type': 'application/json' };
	const body = JSON.stringify({ model: 'builtin-video', prompt: 'a boat', seconds: '4' });
	const response = await fetch(`${url}/v1/videos`, { method: 'POST', headers, body });
	if (response.status !== 201) throw new Error(await response.text());
	await response.text();
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await createVideo();
const store = app.service(services.jobs);
const create = store.create.bind(store);
let passed: Promise<readonly string[]> | undefined;
store.create = (...args) => {
	passed ??= executedFiles();
	return create(...args);
};

async function executedFiles(): Promise<readonly string[]> {
	const { result } = await session.post('Profiler.takePreciseCoverage');
	const run = result.filter(
		({ url: file, functions }) =>
			file.startsWith(`file://${root}/`) && functions.some(({ ranges }) => ranges[0]?.count),
	);
	return run
		.map(({ url: file }) => relative(root, fileURLToPath(file)))
		.filter(isOnPath)
		.sort();
}

/** Excludes the job store and the code that polls it, which run after `jobs.submit`, and the fake log. */
function isOnPath(file: string): boolean {
	return (
		/^(?:core|plugins|adapters)\//.test(file) && !/^(?:adapters\/sqlite|plugins\/webhooks|core\/testing)\//.test(file)
	);
}

await new Promise((resolve) => setTimeout(resolve, 3_000));
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await createVideo();
const files = (await passed) ?? [];
console.log(`${files.length} files, of ${maxFiles} at maxFiles:\n${files.join('\n')}`);
process.exitCode = files.length > 0 && files.length <= maxFiles ? 0 : 1;
session.disconnect();
await app.stop();
await rm(dataDir, { recursive: true });
