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
	/** When it was started; milliseconds since the Unix epoch. */
	readonly startedAt: number;
	/** Ends it in the middle of whatever it does, and waits until it is gone. */
	kill(): Promise<void>;
}

/** A member that listens. */
export interface Server extends Member {
	readonly url: string;
	readonly client: RawClient;
}

/** Settings of one member; those of the fleet stay where it names none. */
export interface MemberOptions {
	readonly role?: 'all' | 'api';
	/** Environment variables of this member alone. */
	readonly env?: Readonly<Record<string, string>>;
	/** How many processes serve; one unless set. */
	readonly processes?: number;
	readonly jobs?: AppConfig['jobs'] & object;
	readonly server?: AppConfig['server'] & object;
}

/** Servers and workers on one data directory, with the models of `quick.config.ts`. */
export interface Fleet {
	readonly dataDir: string;
	/** Where the members' temporary files are; nothing else is. */
	readonly tempDir: string;
	/** What the quick model tells; see `runsIn`. */
	readonly runsFile: string;
	serve(options?: MemberOptions): Promise<Server>;
	work(options?: MemberOptions): Promise<Member>;
	/** Everything that members have printed, for a test that failed. */
	output(): string;
	/** Kills all members and removes their directories. */
	remove(): Promise<void>;
}

/** The key with which fleets are spoken to. */
export const fleetKey = 'key-of-the-fleet';

/** Makes a fleet without members. With `database`, it keeps jobs, records and events in that PostgreSQL. */
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
				// Workers say how each attempt ended; servers would list every request.
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
