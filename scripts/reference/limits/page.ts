import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { embedded } from 'plinth';
import { table } from '../markdown.ts';
import { ofRequests } from './of-requests.ts';
import { ofServers } from './of-servers.ts';
import { limitsOfSources } from './values.ts';

/** What is limited, the name of the limit, and what happens beyond it. The value is the sources' own. */
export type LimitRow = readonly [what: string, name: string, beyond: string];

/** A part of the page. */
export interface LimitSection {
	readonly title: string;
	readonly rows: readonly LimitRow[];
}

/** The parts of the page, in their order. */
export const limitSections: readonly LimitSection[] = [...ofRequests, ...ofServers];

/** The page of every limit. Throws when the sources have one that nothing tells of, or have lost one. */
export async function limitsPage(): Promise<string> {
	const values = new Map(await withEmbedded(limitsOfSources));
	const sections = limitSections.map(({ title, rows }) => {
		const cells = rows.map(([what, name, beyond]) => [what, take(values, name), `\`${name}\``, beyond]);
		return [`## ${title}`, table(['what', 'at most', 'set by', 'beyond it'], cells)];
	});
	const [untold] = values.keys();
	if (untold) throw new Error(`Nothing tells of the limit ${untold}: give it a row.`);
	return [
		'# Limits',
		'Every limit of the built-in composition, its value, and what happens beyond it, from the sources: `npm run reference` writes this page.',
		'The third column says where a value comes from. `server.…`, `jobs.…`, `plugins.…` and `backends.…` are places in the config: set it there. Everything else is fixed; a plugin may give a route of its own other limits for bodies and another time.',
		'Refusals have the four-key error body. Those with a status are answered before the body is read where the headers allow it, and carry `Retry-After` (at most 60 seconds) where waiting helps.',
		...sections.flat(),
		'## What is not limited',
		unlimited.map((line) => `- ${line}`).join('\n'),
	].join('\n\n');
}

const unlimited = [
	'Disk space: a full disk answers 507 `storage_full` to what would write. `/readyz` stays green then, because everything stored can still be read; watch free space (`plinth doctor` does once).',
	'How many videos a tenant keeps: they go when they expire.',
	'Requests per second of a valid key: put a limit in front where tenants share a machine.',
];

function take(values: Map<string, string>, name: string): string {
	const value = values.get(name);
	if (value === undefined) throw new Error(`The sources have no limit ${name}, or it is told twice: remove its row.`);
	values.delete(name);
	return value;
}

/** Boots the built-in composition for a moment: its routes know the limits of what they take. */
async function withEmbedded<T>(look: (app: App) => T): Promise<T> {
	const folder = await mkdtemp(join(tmpdir(), 'plinth-limits-'));
	const env = { PLINTH_DATA_DIR: folder, PLINTH_API_KEYS: 'key-of-the-reference' };
	try {
		const app = await createApp({ extends: embedded }, { env, log: silentLogger() });
		try {
			return look(app);
		} finally {
			await app.stop();
		}
	} finally {
		await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}
