import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AppConfig } from '@plinth/core';
import { type Child, plinth, root } from './cli.ts';
import { type RawClient, rawClient } from './client.ts';
import { removeDir, temporaryDir } from './serve.ts';

/** A process of a fleet. */
export interface Member {
	readonly child: Child;
	readonly pid: number;
	/** When the process was started, in milliseconds since the Unix epoch. */
	readonly startedAt: number;
	/** Kills the process at once, and waits until it has ended. */
	kill(): Promise<void>;
}

/** A process that serves HTTP. */
export interface Server extends Member {
	readonly url: string;
	readonly client: RawClient;
}

/** Settings of one process. Where undefined, the settings of the fleet apply. */
export interface MemberOptions {
	readonly role?: 'all' | 'api';
	/** Additional environment variables of this process. */
	readonly env?: Readonly<Record<string, string>>;
	/** How many processes serve; one by default. */
	readonly processes?: number;
	readonly jobs?: AppConfig['jobs'] & object;
	readonly server?: AppConfig['server'] & object;
}

/** Servers and workers on one data directory, with the models of `quick.config.ts`. */
export interface Fleet {
	readonly dataDir: string;
	/** The temporary directory of all processes. It contains nothing else. */
	readonly tempDir: string;
	/** The file in which the quick model logs its runs. See `readRuns`. */
	readonly runsFile: string;
	serve(options?: MemberOptions): Promise<Server>;
	work(options?: MemberOptions): Promise<Member>;
	/** The output of all processes, for the report of a failed test. */
	output(): string;
	/** Kills all processes and removes their directories. */
	remove(): Promise<void>;
}

/** The API key of the fleet. */
export const fleetKey = 'key-of-the-fleet';

/** Makes a fleet without processes. With `database`, jobs, records and events are kept in that PostgreSQL database. */
export async function createFleet(
	name: string,
	common: MemberOptions & { readonly database?: string } = {},
): Promise<Fleet> {
	const folder = await temporaryDir(name);
	const [dataDir, tempDir] = [join(folder, 'data'), join(folder, 'temp')];
	const runsFile = join(folder, 'runs.jsonl');
	mkdirSync(tempDir);
	const children: Child[] = [];

	function start(command: 'serve' | 'worker', options: MemberOptions): Member {
		const config = join(root, 'test/support/quick.config.ts');
		const startedAt = Date.now();
		const child = plinth([command, '--config', config], {
			cwd: folder,
			env: {
				PORT: '0',
				PLINTH_API_KEYS: `fleet:${fleetKey}`,
				PLINTH_DATA_DIR: dataDir,
				// At this level workers log the end of each attempt, while servers do not log every request.
				PLINTH_LOG_LEVEL: command === 'worker' || options.processes ? 'info' : 'warn',
				TMPDIR: tempDir,
				PLINTH_PROCESSES: String(options.processes ?? 1),
				PLINTH_ROLE: options.role ?? common.role ?? 'all',
				TEST_JOBS: JSON.stringify({ ...common.jobs, ...options.jobs }),
				TEST_SERVER: JSON.stringify({ ...common.server, ...options.server }),
				TEST_RUNS: runsFile,
				...(common.database ? { TEST_PRESET: 'plinth:cluster', DATABASE_URL: common.database } : {}),
				...common.env,
				...options.env,
			},
		});
		children.push(child);
		return { child, pid: child.pid, startedAt, kill: () => child.kill() };
	}

	return {
		dataDir,
		tempDir,
		runsFile,
		async serve(options = {}) {
			const member = start('serve', options);
			const [, url = ''] = await member.child.printed(/serving +(http:\S+)/);
			return { ...member, url, client: rawClient(url, fleetKey) };
		},
		async work(options = {}) {
			const member = start('worker', options);
			await member.child.printed(/works on[\s\S]*video/);
			return member;
		},
		output: () => children.map((child) => `${child.stdout()}${child.stderr()}`).join('\n'),
		async remove() {
			await Promise.all(children.map((child) => child.kill()));
			await removeDir(folder);
		},
	};
}
