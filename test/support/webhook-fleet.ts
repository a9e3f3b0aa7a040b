import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AppConfig, RecordStore, StoredRecord } from '@plinth/core';
import { sqliteRecords } from '@plinth/sqlite';
import { createBackend } from '@plinth/testing';
import { type Child, plinth, root } from './cli.ts';
import { type RawClient, rawClient } from './client.ts';
import { removeDir, temporaryDir } from './serve.ts';

/** A server of a webhook fleet. */
export interface WebhookServer {
	readonly url: string;
	/** A client with the key of a tenant. */
	client(tenant: string): RawClient;
	/** Kills the process at once, and waits until it has ended. */
	kill(): Promise<void>;
}

/**
 * Servers on one data directory, with the models of `quick.config.ts`. They send webhooks to private addresses and
 * retry after a short delay.
 */
export interface WebhookFleet {
	readonly dataDir: string;
	serve(): Promise<WebhookServer>;
	/** The output of all servers, for the report of a failed test. */
	output(): string;
	/** Kills all servers and removes their directories. */
	remove(): Promise<void>;
}

/** Makes a fleet without servers. Each tenant has the key `key-of-the-tenant-<tenant>`. */
export async function createWebhookFleet(
	tenants: readonly string[],
	jobs: AppConfig['jobs'] & object,
): Promise<WebhookFleet> {
	const folder = await temporaryDir('webhooks');
	const [dataDir, tempDir] = [join(folder, 'data'), join(folder, 'temp')];
	mkdirSync(tempDir);
	const children: Child[] = [];
	return {
		dataDir,
		async serve() {
			const child = plinth(['serve', '--config', join(root, 'test/support/quick.config.ts')], {
				cwd: folder,
				env: {
					PORT: '0',
					PLINTH_API_KEYS: tenants.map((tenant) => `${tenant}:${keyOf(tenant)}`).join(),
					PLINTH_DATA_DIR: dataDir,
					PLINTH_LOG_LEVEL: 'warn',
					PLINTH_WEBHOOK_ALLOW_PRIVATE: 'true',
					PLINTH_WEBHOOK_RETRY_SECONDS: Array.from({ length: 40 }, () => '0.3').join(),
					TMPDIR: tempDir,
					TEST_JOBS: JSON.stringify(jobs),
					TEST_RUNS: join(folder, 'runs.jsonl'),
				},
			});
			children.push(child);
			const [, url = ''] = await child.printed(/serving +(http:\S+)/);
			return { url, client: (tenant) => rawClient(url, keyOf(tenant)), kill: () => child.kill() };
		},
		output: () => children.map((child) => `${child.stdout()}${child.stderr()}`).join('\n'),
		async remove() {
			await Promise.all(children.map((child) => child.kill()));
			await removeDir(folder);
		},
	};
}

/** The key of a tenant of a fleet. */
export function keyOf(tenant: string): string {
	return `key-of-the-tenant-${tenant}`;
}

/**
 * The ids of the deliveries that the database of a data directory has scheduled for deletion. Servers may keep using
 * the database meanwhile.
 */
export async function purgedDeliveries(dataDir: string): Promise<ReadonlySet<string>> {
	const backend = sqliteRecords({ file: `${dataDir}/plinth.db` });
	const { provided: store, stop } = await createBackend<RecordStore>(backend);
	try {
		const found: StoredRecord[] = [];
		for (let after = ''; ; after = found.at(-1)?.id ?? '') {
			const collection = { tenant: 'system', collection: 'webhooks.purges' };
			const { records, hasMore } = await store.list(collection, { after, limit: 1_000 });
			found.push(...records);
			if (!hasMore) return new Set(found.map(({ id }) => id.replace(/^[0-9a-f]+_/, '')));
		}
	} finally {
		await stop();
	}
}
