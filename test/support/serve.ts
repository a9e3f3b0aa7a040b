import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, type AppConfig, type Clock, createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { embedded } from 'plinth';
import { fakeDocuments } from './fake-documents.ts';

/** One key for each of two tenants. */
export const keyA = 'the-key-of-tenant-a';
export const keyB = 'the-key-of-tenant-b';

/** The settings of the default composition that a test may change. */
export interface ServeOptions extends Pick<AppConfig, 'role' | 'backends' | 'models' | 'groups' | 'plugins'> {
	readonly server?: AppConfig['server'] & object;
	readonly jobs?: AppConfig['jobs'] & object;
	/** A folder that is kept after the server has stopped. By default a temporary folder is made and removed. */
	readonly dataDir?: string;
	/** In the form of `PLINTH_API_KEYS`; the keys of both tenants by default. */
	readonly keys?: string;
	/** The system clock by default. */
	readonly clock?: Clock;
}

/** A running server of a test. */
export interface Served {
	readonly app: App;
	/** Without a trailing slash. */
	readonly url: string;
	readonly dataDir: string;
	/** Stops the app, and removes the data directory unless the test provided it. */
	stop(): Promise<void>;
}

/**
 * Boots the default composition without listening, in its own data directory, with a document reader that starts no
 * process.
 */
export async function bootEmbedded(options: ServeOptions = {}): Promise<Omit<Served, 'url'>> {
	const { dataDir = await temporaryDir('data'), keys = `a:${keyA},b:${keyB}` } = options;
	const { role, server, jobs, backends = {}, models = {}, groups = {}, plugins = {} } = options;
	const app = await createApp(
		{
			extends: embedded,
			// No load balancer watches these servers. A test of the drain delay sets its own.
			server: { drainDelayMs: 0, ...server },
			...(role ? { role } : {}),
			...(jobs ? { jobs } : {}),
			// A child process for each server would take longer than most tests.
			backends: { documents: fakeDocuments()(), ...backends },
			models,
			groups,
			plugins,
		},
		{
			env: { PLINTH_DATA_DIR: dataDir, PLINTH_API_KEYS: keys },
			log: silentLogger(),
			...(options.clock ? { clock: options.clock } : {}),
		},
	);
	return {
		app,
		dataDir,
		async stop() {
			await app.stop();
			if (!options.dataDir) await removeDir(dataDir);
		},
	};
}

/** Serves the default composition on a free port. */
export async function serveEmbedded(options: ServeOptions = {}): Promise<Served> {
	const booted = await bootEmbedded(options);
	const { url } = await booted.app.listen({ host: '127.0.0.1', port: 0 });
	return { ...booted, url };
}

/** Makes an empty folder under the system's temporary directory. */
export function temporaryDir(name: string): Promise<string> {
	return mkdtemp(join(tmpdir(), `plinth-test-${name}-`));
}

/** Removes a folder and everything in it. */
export function removeDir(dir: string): Promise<void> {
	return rm(dir, { recursive: true, force: true, maxRetries: 3 });
}
