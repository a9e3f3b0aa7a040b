import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, plinth, root } from './cli.ts';
import { type RawClient, rawClient } from './client.ts';
import { removeDir, temporaryDir } from './serve.ts';

/** One server of a pair. It keeps its port and data directory across restarts. */
export interface PairServer {
	/** Without a trailing slash. */
	readonly url: string;
	readonly dataDir: string;
	readonly client: RawClient;
	/** Ends the process by a signal, and waits until it has ended. */
	stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
	/** Restarts the server. */
	start(): Promise<void>;
	/** Everything that all processes of this server have printed and logged. */
	log(): string;
}

/** Two servers. The models of the front are those of the upstream. */
export interface Pair {
	/** A folder for files of a test, removed with the pair. */
	readonly folder: string;
	readonly upstream: PairServer;
	readonly front: PairServer;
	/** Kills both servers and removes their directories. */
	remove(): Promise<void>;
}

/** The key of the clients of the front, and the key with which the front calls its upstream. */
export const frontKey = 'key-of-the-clients';
export const upstreamKey = 'key-between-the-two';

/**
 * Short intervals: a job whose process was killed is retried after two seconds, and the server stops without waiting
 * for running work.
 */
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
	const startPairServer = (name: 'upstream' | 'front', key: string, extra: Env = {}) => {
		const cwd = join(folder, name);
		mkdirSync(cwd);
		const dataDir = join(cwd, 'data');
		const config = join(root, `test/support/pair-${name}.config.ts`);
		return createPairServer({ key, dataDir }, (port) => {
			const child = plinth(['serve', '--config', config], {
				cwd,
				env: {
					...extra,
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
		const upstream = await startPairServer('upstream', upstreamKey);
		const front = await startPairServer('front', frontKey, {
			UPSTREAM_URL: `${upstream.url}/v1`,
			UPSTREAM_KEY: upstreamKey,
		});
		return { folder, upstream, front, remove };
	} catch (error) {
		await remove();
		throw error;
	}
}

async function createPairServer(
	{ key, dataDir }: { readonly key: string; readonly dataDir: string },
	launch: (port: string) => Child,
): Promise<PairServer> {
	const processes: Child[] = [];
	const start = async (port: string) => {
		const child = launch(port);
		processes.push(child);
		const [, url = ''] = await child.printed(/serving +(http:\S+)/);
		return url;
	};
	const url = await start('0');
	return {
		url,
		dataDir,
		client: rawClient(url, key),
		async stop(signal) {
			const child = processes.at(-1);
			child?.signal(signal);
			await child?.exit;
		},
		async start() {
			await start(new URL(url).port);
		},
		log: () => processes.map((child) => `${child.stdout()}${child.stderr()}`).join('\n'),
	};
}
