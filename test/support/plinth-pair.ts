import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, plinth, root } from './cli.ts';
import { type RawClient, rawClient } from './client.ts';
import { removeDir, temporaryDir } from './serve.ts';

/** A Plinth of a pair, on one port and one data directory for as long as there is the pair. */
export interface Station {
	/** Without a trailing slash. */
	readonly url: string;
	readonly dataDir: string;
	readonly client: RawClient;
	/** Ends it by a signal, and waits until it is gone. */
	stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
	/** Starts it again. */
	start(): Promise<void>;
	/** Everything that it has printed and logged so far, in all of its lives. */
	log(): string;
}

/** Two servers, of which one has its models from the other. */
export interface Pair {
	/** For files of a test; it goes with the pair. */
	readonly folder: string;
	readonly upstream: Station;
	readonly front: Station;
	/** Kills both and removes their directories. */
	remove(): Promise<void>;
}

/** The key with which clients speak to the front, and the one with which the front speaks to its upstream. */
export const frontKey = 'key-of-the-clients';
export const upstreamKey = 'key-between-the-two';

/** Short ones: a job that has lost its process is taken up after two seconds, and nobody waits for work that is under way. */
const jobs = { leaseMs: 2_000, heartbeatMs: 500, pollMs: 250, progressMs: 100 };
const server = { drainDelayMs: 0, graceMs: 200 };

type Env = Readonly<Record<string, string>>;

/** Starts a pair. */
export async function createPair(): Promise<Pair> {
	const folder = await temporaryDir('pair');
	const children: Child[] = [];
	const remove = async () => {
		await Promise.all(children.map((child) => child.kill()));
		await removeDir(folder);
	};
	const station = (name: 'upstream' | 'front', key: string, more: Env = {}) => {
		const cwd = join(folder, name);
		mkdirSync(cwd);
		const dataDir = join(cwd, 'data');
		const config = join(root, `test/support/pair-${name}.config.ts`);
		return createStation({ key, dataDir }, (port) => {
			const child = plinth(['serve', '--config', config], {
				cwd,
				env: {
					...more,
					PORT: port,
					PLINTH_DATA_DIR: dataDir,
					PLINTH_API_KEYS: `pair:${key}`,
					TEST_JOBS: JSON.stringify(jobs),
					TEST_SERVER: JSON.stringify(server),
				},
			});
			children.push(child);
			return child;
		});
	};
	try {
		const upstream = await station('upstream', upstreamKey);
		const front = await station('front', frontKey, {
			UPSTREAM_URL: `${upstream.url}/v1`,
			UPSTREAM_KEY: upstreamKey,
		});
		return { folder, upstream, front, remove };
	} catch (error) {
		await remove();
		throw error;
	}
}

async function createStation(
	{ key, dataDir }: { readonly key: string; readonly dataDir: string },
	launch: (port: string) => Child,
): Promise<Station> {
	const lives: Child[] = [];
	const start = async (port: string) => {
		const child = launch(port);
		lives.push(child);
		const [, url = ''] = await child.printed(/serving +(http:\S+)/);
		return url;
	};
	const url = await start('0');
	return {
		url,
		dataDir,
		client: rawClient(url, key),
		async stop(signal) {
			const child = lives.at(-1);
			child?.signal(signal);
			await child?.exit;
		},
		async start() {
			await start(new URL(url).port);
		},
		log: () => lives.map((child) => `${child.stdout()}${child.stderr()}`).join('\n'),
	};
}
