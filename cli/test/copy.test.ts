import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { webhooks } from '@plinth/plugin-webhooks';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Child, plinth } from '../../test/support/cli.ts';
import { type RawClient, rawClient } from '../../test/support/client.ts';
import { plinthHere } from '../../test/support/command.ts';
import { quickVideo } from '../../test/support/quick-video.ts';
import { keyA, removeDir, serveEmbedded, temporaryDir } from '../../test/support/serve.ts';
import {
	fillStores,
	localStores,
	type NamedBackends,
	readContents,
	writeConfig,
} from '../../test/support/store-copies.ts';
import { startWebhookReceiver } from '../../test/support/webhook-receiver.ts';
import { openStores } from '../src/copy/stores.ts';

const timeout = 30_000;
const children: Child[] = [];
let folder: string;
let from: string;
let to: string;

beforeEach(async () => {
	folder = await temporaryDir('cli-copy');
	from = await config('from');
	to = await config('to');
});

afterEach(async () => {
	await Promise.all(children.splice(0).map((child) => child.kill()));
	await removeDir(folder);
});

const config = (name: string, changes: NamedBackends = {}) =>
	writeConfig(folder, name, { ...localStores(join(folder, name)), ...changes });

const copy = (source = from, target = to) =>
	plinthHere(['copy', '--from', source, '--to', target], { cwd: folder, env: {} });

describe('plinth copy', () => {
	test('copies an installation, which then serves the same videos, files and keys', { timeout: 60_000 }, async () => {
		const models = { quick: quickVideo({ runs: join(folder, 'runs') }) };
		const served = await serveEmbedded({ dataDir: join(folder, 'from'), models });
		const before = rawClient(served.url, keyA);
		const { id } = await before.create({ model: 'quick', prompt: 'ms=10 kb=900' });
		await before.finished(id);
		const video = await before.bytes(`/v1/videos/${id}/content`);
		const form = new FormData();
		form.set('purpose', 'user_data');
		form.set('file', new File(['The total is 42 EUR.'], 'bill.txt', { type: 'text/plain' }));
		const file = (await (await before.send('/v1/files', { method: 'POST', body: form })).json()) as { id: string };
		await served.stop();
		const created = ['keys', 'create', '--tenant', 'a', '--scopes', '*', '--quiet', '--config', from];
		const key = (await plinthHere(created, { cwd: folder })).stdout.trim();

		const { code, stdout, stderr } = await copy();
		expect([code, stdout.match(/equal/g)?.length, stdout + stderr]).toEqual([0, 4, expect.not.stringContaining(key)]);
		await removeDir(join(folder, 'from'));

		const env = { PORT: '0', PLINTH_LOG_LEVEL: 'warn' };
		const child = plinth(['serve', '--config', to], { cwd: folder, env });
		children.push(child);
		const [, url = ''] = await child.printed(/serving +(http:\S+)/);
		const after = rawClient(url, key);
		expect(Buffer.compare(await after.bytes(`/v1/videos/${id}/content`), video)).toBe(0);
		const content = [
			{ type: 'text', text: 'What is the total?' },
			{ type: 'file', file: { file_id: file.id } },
		];
		const request = await after.post('/v1/chat/completions', {
			model: 'builtin-chat',
			messages: [{ role: 'user', content }],
		});
		expect([request.status, await request.text()]).toEqual([200, expect.stringContaining('42 EUR')]);
		const { stdout: keys } = await plinthHere(['keys', 'list', '--config', to], { cwd: folder });
		expect(keys).toContain(key.slice(-4));
		const refused = await copy(to, await config('third'));
		expect([refused.code, refused.stderr]).toEqual([
			1,
			expect.stringContaining('A server or worker runs on the jobs of'),
		]);
	});

	test('can be repeated, and copies later changes', { timeout }, async () => {
		await fillStores(from, 10, 3);
		expect((await copy()).code).toBe(0);
		await fillStores(from, 1, 2, 'later');
		expect(await copy()).toMatchObject({ code: 0, stdout: expect.not.stringContaining('different') });
		const { 'store-identity': identity, ...blobs } = (await readContents(to)).blobs;
		expect(identity).toMatch(/^text\/plain /);
		expect({ ...(await readContents(to)), blobs }).toEqual(await readContents(from));
	});

	test('repeats no webhook, and sends later ones', { timeout }, async () => {
		const receiver = await startWebhookReceiver();
		const models = { quick: quickVideo({ runs: join(folder, 'runs') }) };
		const plugins = { webhooks: webhooks({ allowPrivate: true }) };
		/** Makes a video in an installation, and waits for its webhook. */
		const madeIn = async (name: string, prepare: (client: RawClient) => Promise<unknown>) => {
			const served = await serveEmbedded({ dataDir: join(folder, name), models, plugins });
			const client = rawClient(served.url, keyA);
			await prepare(client);
			const { id } = await client.create({ model: 'quick', prompt: 'ms=10' });
			await eventually('its webhook arrives', () => receiver.arrivals.some(({ event }) => event.data.id === id));
			await served.stop();
			return id;
		};
		const endpoint = { name: 'hook', url: `${receiver.url}/hook`, event_types: ['video.completed'] };
		const first = await madeIn('from', (client) => client.post('/v1/webhook_endpoints', endpoint));
		expect((await copy()).code).toBe(0);
		const second = await madeIn('to', async () => {});
		await receiver.close();
		expect(receiver.arrivals.map(({ event }) => event.data.id)).toEqual([first, second]);
	});

	test('can copy back to the source without changes', { timeout }, async () => {
		await fillStores(from, 10, 3);
		await copy();
		const back = await config('back');
		expect((await copy(to, back)).code).toBe(0);
		expect(await readContents(back)).toEqual(await readContents(to));
	});
});

describe('plinth copy rejects', () => {
	/** Expects the message, exit code 1, and an unchanged target. */
	const refused = async (sentence: string, source = from, target = to) => {
		const { code, stdout, stderr } = await copy(source, target);
		expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(sentence)]);
	};

	test('a missing config, and a single config', { timeout }, async () => {
		await refused('the config file does not exist', join(folder, 'nothing.yaml'));
		const { code, stderr } = await plinth(['copy', '--from', from], { cwd: folder }).exit;
		expect([code, stderr]).toEqual([1, expect.stringContaining("required option '--to <file>' not specified")]);
	});

	test('the same backends on both sides, also with different spellings', { timeout }, async () => {
		await refused('name the same backend for jobs, records, blobs', from, from);
		const dir = join(folder, 'x', '..', 'from', 'blobs');
		const half = await config('half', { blobs: { use: '@plinth/fs#fsBlobs', with: { dir } } });
		await refused('name the same backend for blobs. Give the target', from, half);
	});

	test('an empty source, for example because of a wrong path', { timeout }, async () => {
		await refused('has nothing to copy');
	});

	test('memory stores, on both sides', { timeout }, async () => {
		const inMemory = await config('memory', { jobs: { use: '@plinth/memory#memoryJobs', with: {} } });
		await refused('only data that is kept after the process ends can be copied', inMemory);
		await refused('backend jobs (memoryJobs)', from, inMemory);
	});

	test('a target with other content, which stays unchanged', { timeout }, async () => {
		await fillStores(from, 3, 1);
		await fillStores(to, 2, 1);
		const before = await readContents(to);
		await refused('holds jobs, records, blobs that are not from');
		expect(await readContents(to)).toEqual(before);
	});

	test('a target whose blobs belong to another store', { timeout }, async () => {
		await fillStores(from, 1, 1);
		const { blobs, close } = await openStores(to);
		await blobs.put('store-identity', Buffer.from('of-another-store'), { contentType: 'text/plain' });
		await close();
		await refused('holds blobs that are not from');
	});

	test('a target that has changed since it was copied', { timeout }, async () => {
		await fillStores(from, 3, 1);
		await copy();
		const { jobs, close } = await openStores(to);
		await jobs.requestCancel('tenant-0', 'video_first00000000');
		await close();
		await refused('Empty it and run the same command again');
	});

	test('a target that has more than the source', { timeout }, async () => {
		await fillStores(from, 1, 1);
		await copy();
		await fillStores(to, 0, 1, 'more');
		const { code, stdout, stderr } = await copy();
		expect([code, stdout, stderr]).toEqual([
			1,
			expect.stringMatching(/^blobs .*different$/m),
			expect.stringContaining('has other blobs than'),
		]);
	});

	test('different bytes under a key of the source', { timeout }, async () => {
		await fillStores(from, 1, 2);
		await copy();
		const { blobs, close } = await openStores(to);
		await blobs.put('jobs/video_first1/1/video.mp4', Buffer.alloc(1_000_001), { contentType: 'video/mp4' });
		await close();
		await refused('has the blob jobs/video_first1/1/video.mp4 with other bytes');
	});

	test('a target that is read-only', { timeout }, async () => {
		await writeFile(join(folder, 'to'), 'no folder');
		await refused('a file has that name');
	});
});
