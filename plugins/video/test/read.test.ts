import { errorOf, gate } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { Video } from '../src/wire.ts';
import { harness, mp4 } from './harness.ts';

const unknownId = `video_${'0'.repeat(44)}`;

interface Page {
	readonly object: string;
	readonly data: readonly Video[];
	readonly first_id: string | null;
	readonly last_id: string | null;
	readonly has_more: boolean;
}

describe('GET /v1/videos/{id}', () => {
	it('returns a job from in_progress to completed', async () => {
		const h = await harness();
		const { open, passed } = gate();
		h.model.generate = async (_, run) => {
			run.progress(0.5);
			await passed;
			return { body: mp4(), mediaType: 'video/mp4', warnings: ['no sound'] };
		};
		const { id } = await h.create();
		await h.wait(id, 'in_progress');
		await h.clock.advance(1_000);
		const running = await h.send('GET', `/v1/videos/${id}`);
		expect(running.headers.get('openai-poll-after-ms')).toBe('5000');
		expect(await running.json()).toMatchObject({
			status: 'in_progress',
			progress: 0.5,
			progress_percent: 50,
			completed_at: null,
			expires_at: null,
		});
		open();
		const done = await h.wait(id, 'completed');
		expect(done).toMatchObject({
			progress: 1,
			progress_percent: 100,
			completed_at: done.created_at + 1,
			expires_at: done.created_at + 1 + 24 * 3600,
			error: null,
			warnings: ['no sound'],
		});
		const answer = await h.send('GET', `/v1/videos/${id}`);
		expect(answer.headers.get('openai-poll-after-ms')).toBeNull();
	});

	it('depends on the options: retention, progress scale, polling', async () => {
		const h = await harness({ retentionHours: 0.5, progressScale: 'percent', pollAfterMs: 1_000 });
		const { open, passed } = gate();
		h.model.generate = async (_, run) => {
			run.progress(0.25);
			await passed;
			return { body: mp4(), mediaType: 'video/mp4' };
		};
		const { id } = await h.create();
		await h.wait(id, 'in_progress');
		await h.clock.advance(1_000);
		const running = await h.send('GET', `/v1/videos/${id}`);
		expect(running.headers.get('openai-poll-after-ms')).toBe('1000');
		expect(await running.json()).toMatchObject({ progress: 25, progress_percent: 25 });
		open();
		const done = await h.wait(id, 'completed');
		expect(done.progress).toBe(100);
		expect(Number(done.expires_at) - Number(done.completed_at)).toBe(1_800);
	});

	it('responds alike to unknown, malformed and foreign ids', async () => {
		const h = await harness();
		const { id } = await h.create();
		const answers = await Promise.all(
			[unknownId, 'nonsense', 'video_', `${unknownId}0`, 'image_1', '%00', '..%2f..'].map((wrong) =>
				h.send('GET', `/v1/videos/${wrong}`),
			),
		);
		answers.push(await h.send('GET', `/v1/videos/${id}`, { key: 'bob' }));
		const bodies = await Promise.all(answers.map((answer) => answer.text()));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
		expect(new Set(bodies).size).toBe(1);
		expect(JSON.parse(String(bodies[0])).error).toMatchObject({
			code: 'video_not_found',
			type: 'invalid_request_error',
			param: null,
		});
	});

	it('requires videos:read', async () => {
		const h = await harness();
		const { id } = await h.create();
		const status = async (key: string | null) => (await h.send('GET', `/v1/videos/${id}`, { key })).status;
		expect(await status('alice.videos:read')).toBe(200);
		expect(await status('alice.videos:write')).toBe(403);
		expect(await status(null)).toBe(401);
	});
});

describe('GET /v1/videos', () => {
	async function ids(h: Awaited<ReturnType<typeof harness>>, count: number): Promise<string[]> {
		const made: string[] = [];
		for (let index = 0; index < count; index++) made.push((await h.create()).id);
		return made;
	}

	async function page(h: Awaited<ReturnType<typeof harness>>, query: string): Promise<Page> {
		const response = await h.send('GET', `/v1/videos${query}`);
		expect(response.status).toBe(200);
		return (await response.json()) as Page;
	}

	it('is an empty page with null ids without videos', async () => {
		expect(await page(await harness(), '')).toStrictEqual({
			object: 'list',
			data: [],
			first_id: null,
			last_id: null,
			has_more: false,
		});
	});

	it('pages through newest first, or oldest first', async () => {
		const h = await harness();
		const made = await ids(h, 5);
		for (const [order, expected] of [
			['asc', made],
			['desc', made.toReversed()],
		] as const) {
			const seen: string[] = [];
			let after = '';
			for (let more = true; more; ) {
				const { data, first_id, last_id, has_more } = await page(h, `?limit=2&order=${order}${after}`);
				expect([first_id, last_id]).toEqual([data.at(0)?.id, data.at(-1)?.id]);
				seen.push(...data.map(({ id }) => id));
				after = `&after=${last_id}`;
				more = has_more;
			}
			expect(seen).toEqual(expected);
		}
		expect((await page(h, '')).data.map(({ id }) => id)).toEqual(made.toReversed());
	});

	it('accepts an empty after, which SDKs send for null', async () => {
		const h = await harness();
		const made = await ids(h, 2);
		expect((await page(h, '?order=asc&after=')).data.map(({ id }) => id)).toEqual(made);
	});

	it('accepts limit 0: no data, and has_more', async () => {
		const h = await harness();
		await ids(h, 1);
		expect(await page(h, '?limit=0')).toMatchObject({ data: [], last_id: null, has_more: true });
	});

	it('accepts deleted, foreign and unknown ids as cursors', async () => {
		const h = await harness();
		const [first, second, third] = await ids(h, 3);
		await h.send('DELETE', `/v1/videos/${second}`);
		const behind = await page(h, `?order=asc&after=${second}`);
		expect(behind.data.map(({ id }) => id)).toEqual([third]);
		expect((await page(h, `?order=desc&after=${second}`)).data.map(({ id }) => id)).toEqual([first]);
		expect((await page(h, `?order=asc&after=${unknownId}`)).data).toHaveLength(2);
	});

	it('has only the jobs of the tenant', async () => {
		const h = await harness();
		await ids(h, 2);
		const response = await h.send('GET', '/v1/videos', { key: 'bob' });
		expect(await response.json()).toMatchObject({ data: [], has_more: false });
	});

	it.each([
		['after=video_1', 'invalid_value', 'after'],
		['limit=101', 'integer_above_max_value', 'limit'],
		['limit=-1', 'integer_below_min_value', 'limit'],
		['limit=many', 'invalid_type', 'limit'],
		['order=random', 'invalid_value', 'order'],
	])('rejects ?%s', async (query, code, param) => {
		const h = await harness();
		expect(await errorOf(await h.send('GET', `/v1/videos?${query}`))).toMatchObject({
			status: 400,
			code,
			param,
		});
	});
});

describe('DELETE /v1/videos/{id}', () => {
	it('removes the record and the bytes, once', async () => {
		const h = await harness();
		const { id } = await h.finish();
		const gone = await h.send('DELETE', `/v1/videos/${id}`);
		expect(gone.status).toBe(200);
		expect(await gone.json()).toStrictEqual({ id, object: 'video.deleted', deleted: true });
		for (const [method, path] of [
			['DELETE', `/v1/videos/${id}`],
			['GET', `/v1/videos/${id}`],
			['GET', `/v1/videos/${id}/content`],
		] as const) {
			expect(await errorOf(await h.send(method, path))).toMatchObject({
				status: 404,
				code: 'video_not_found',
			});
		}
		for await (const { key } of h.blobs.list('jobs/')) expect.unreachable(`${key} was left`);
	});

	it('stops running work immediately, and the job does not reappear', async () => {
		const h = await harness();
		const stopped = gate();
		h.model.generate = async (_, run) => {
			await run.checkpoint('upstream-7');
			await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
			stopped.open();
			return { body: mp4(), mediaType: 'video/mp4' };
		};
		const { id } = await h.create();
		await h.wait(id, 'in_progress');
		expect((await h.send('DELETE', `/v1/videos/${id}`)).status).toBe(200);
		await stopped.passed;
		expect(h.cancelled()).toEqual(['upstream-7']);
		expect((await h.send('GET', `/v1/videos/${id}`)).status).toBe(404);
	});

	it('responds alike to unknown and foreign ids, and requires videos:write', async () => {
		const h = await harness();
		const { id } = await h.create();
		const status = async (path: string, key: string) => (await h.send('DELETE', path, { key })).status;
		expect(await status(`/v1/videos/${id}`, 'bob')).toBe(404);
		expect(await status(`/v1/videos/${unknownId}`, 'alice')).toBe(404);
		expect(await status('/v1/videos/x', 'alice')).toBe(404);
		expect(await status(`/v1/videos/${id}`, 'alice.videos:read')).toBe(403);
		expect((await h.send('GET', `/v1/videos/${id}`)).status).toBe(200);
	});
});
