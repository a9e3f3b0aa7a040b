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

/** Names of limits that are places in a config. */
const settable = /^(?:server|jobs|plugins|backends)\./;

/** The page of every limit. Throws when the sources have one that nothing tells of, or have lost one. */
export async function limitsPage(): Promise<string> {
	const values = new Map(await withEmbedded(limitsOfSources));
	const sections = limitSections.map(({ title, rows }) => {
		const cells = rows.map(([what, name, beyond]) => [
			what,
			take(values, name),
			settable.test(name) ? `\`${name}\`` : '–',
			beyond,
		]);
		return [`## ${title}`, table(['limit', 'value', 'set by', 'beyond it'], cells)];
	});
	const [untold] = values.keys();
	if (untold) throw new Error(`Nothing tells of the limit ${untold}: give it a row.`);
	return [
		'---\naside: false\n---',
		'# Limits',
		'These are the limits of the built-in composition.',
		[
			'- “Set by” is a place in the config. A value without a place is fixed.',
			'- Where waiting helps, the answer has `retry-after` with at most 60 seconds.',
		].join('\n'),
		...sections.flat(),
		'## What is not limited',
		unlimited.map((line) => `- ${line}`).join('\n'),
	].join('\n\n');
}

const unlimited = [
	'Disk space. On a full disk, every write is refused with 507 `storage_full`. Watch the free space.',
	'The number of videos of a tenant. Each video is deleted when it expires.',
	'Requests per second of a valid key. Put a rate limit in front.',
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
