import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plinth } from '../support/cli.ts';
import { rawClient } from '../support/client.ts';
import { quickVideo } from '../support/quick-video.ts';
import { keyA, removeDir, serveEmbedded, temporaryDir } from '../support/serve.ts';
import {
	type Contents,
	fillStores,
	localStores,
	type NamedBackends,
	readContents,
	runKilledCopy,
	writeConfig,
} from '../support/store-copies.ts';
import { newBucket } from './s3/support.ts';
import { type OwnPostgres, ownPostgres, statement } from './support/postgres.ts';
import { ownSwift, type SwiftServer } from './support/swift.ts';

let postgres: OwnPostgres;
let swift: SwiftServer;
let folder: string;

beforeAll(async () => {
	folder = await temporaryDir('copy');
	[postgres, swift] = await Promise.all([ownPostgres(), ownSwift()]);
}, 90_000);

afterAll(async () => {
	await removeDir(folder);
	await postgres?.remove();
	await swift?.remove();
});

/** A new database and a new bucket. */
async function sharedStores(more: object = {}): Promise<NamedBackends> {
	const database = { url: await postgres.database(), ...more };
	return {
		jobs: { use: '@plinth/postgres#postgresJobs', with: database },
		records: { use: '@plinth/postgres#postgresRecords', with: database },
		blobs: { use: '@plinth/s3#s3Blobs', with: await newBucket(swift) },
	};
}

const copy = (from: string, to: string) => plinth(['copy', '--from', from, '--to', to], { cwd: folder, env: {} }).exit;

/** Removes the tables that the copy has created. */
function copied({ blobs: { 'store-identity': _, ...blobs }, ...rest }: Contents): Contents {
	return { ...rest, blobs };
}

test('copies from SQLite and a folder to PostgreSQL and S3 and back survive kills and keep the video', async () => {
	const dataDir = join(folder, 'from');
	const models = { quick: quickVideo({ runs: join(folder, 'runs') }) };
	const served = await serveEmbedded({ dataDir, models });
	const before = rawClient(served.url, keyA);
	const { id } = await before.create({ model: 'quick', prompt: 'ms=10 kb=6000' });
	await before.finished(id);
	const video = await before.bytes(`/v1/videos/${id}/content`);
	await served.stop();
	const from = await writeConfig(folder, 'from', localStores(dataDir));
	await fillStores(from, 250, 4);

	const there = await writeConfig(folder, 'there', await sharedStores());
	const back = await writeConfig(folder, 'back', localStores(join(folder, 'back')));
	for (const [one, other] of [
		[from, there],
		[there, back],
	] as const) {
		const source = await readContents(one);
		// During the first put, after the first load, and so on. Data that exists already is not put again.
		for (const moment of [1, 12, 19]) {
			expect(await runKilledCopy(one, other, moment, folder)).toMatchObject({ signal: 'SIGKILL' });
		}
		const { code, stdout, stderr } = await copy(one, other);
		expect([code, stderr]).toEqual([0, expect.stringContaining('blobs')]);
		expect(stdout.match(/equal/g)).toHaveLength(4);
		expect(copied(await readContents(other))).toEqual(copied(source));
		const env = { PORT: '0', PLINTH_API_KEYS: `a:${keyA}` };
		const child = plinth(['serve', '--config', other], { cwd: folder, env });
		const [, url = ''] = await child.printed(/serving +(http:\S+)/);
		expect(Buffer.compare(await rawClient(url, keyA).bytes(`/v1/videos/${id}/content`), video)).toBe(0);
		if (other === there) {
			const { code, stderr } = await copy(there, back);
			expect([code, stderr]).toEqual([1, expect.stringContaining('A server or worker runs on the jobs')]);
		}
		child.signal('SIGTERM');
		await child.exit;
	}
});

test('errors about a missing schema, missing rights and a missing bucket have a remedy', async () => {
	const from = await writeConfig(folder, 'source', localStores(join(folder, 'source')));
	const old = await writeConfig(folder, 'old', await sharedStores({ migrate: false }));
	expect(await copy(from, old)).toMatchObject({
		code: 1,
		stderr: expect.stringMatching(/E_POSTGRES_OLDER|plinth migrate/),
	});

	const stores = await sharedStores();
	const url = new URL(await postgres.database());
	await statement(url.href, `CREATE ROLE reader LOGIN PASSWORD 'canary-of-the-copy'`);
	[url.username, url.password] = ['reader', 'canary-of-the-copy'];
	const asReader = { use: '@plinth/postgres#postgresJobs', with: { url: url.href } };
	const forbidden = await copy(from, await writeConfig(folder, 'forbidden', { ...stores, jobs: asReader }));
	expect(forbidden).toMatchObject({ code: 1, stderr: expect.stringContaining('CREATE SCHEMA plinth AUTHORIZATION') });
	expect(forbidden.stdout + forbidden.stderr).not.toContain('canary-of-the-copy');

	const blobs = { use: '@plinth/s3#s3Blobs', with: { ...stores.blobs?.with, bucket: 'no-such-bucket' } };
	const missing = await copy(from, await writeConfig(folder, 'missing', { ...stores, blobs }));
	expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('The specified bucket does not exist') });
	expect(missing.stderr).not.toContain(swift.secretAccessKey);
});
