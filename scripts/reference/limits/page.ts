import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import { embedded } from 'plinth';
import { table } from '../markdown.ts';
import { ofRequests } from './of-requests.ts';
import { ofServers } from './of-servers.ts';
import type { LimitSection } from './section.ts';
import { limitsOfSources } from './values.ts';

/** The parts of the page, in their order. */
export const limitSections: readonly LimitSection[] = [...ofRequests, ...ofServers];

/** Names of limits that are paths of a config. */
const settable = /^(?:server|jobs|plugins|backends)\./;

/** The page of every limit. Throws when a limit of the sources is missing on the page, or the reverse. */
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
	const [missing] = values.keys();
	if (missing) throw new Error(`The page has no row for the limit ${missing}: add one.`);
	return [
		'---\naside: false\n---',
		'# Limits',
		'These are the limits of the built-in composition.',
		[
			'- “Set by” is a place in the config. A value without a place is fixed.',
			'- Where waiting helps, the response has `retry-after` with at most 60 seconds.',
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
	if (value === undefined) throw new Error(`The sources have no limit ${name}, or it has two rows: remove this row.`);
	values.delete(name);
	return value;
}

/** Boots the default composition briefly, because its routes have their body limits. */
async function withEmbedded<T>(read: (app: App) => T): Promise<T> {
	const folder = await mkdtemp(join(tmpdir(), 'plinth-limits-'));
	const env = { PLINTH_DATA_DIR: folder, PLINTH_API_KEYS: 'key-of-the-reference' };
	try {
		const app = await createApp({ extends: embedded }, { env, log: silentLogger() });
		try {
			return read(app);
		} finally {
			await app.stop();
		}
	} finally {
		await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}
