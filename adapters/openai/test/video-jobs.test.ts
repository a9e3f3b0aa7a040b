import { describe, expect, test } from 'vitest';
import { failureOf } from './harness.ts';
import { bytes, failure, type Handler, hangUp, json } from './upstream.ts';
import { attempt, mp4, record, requests, type Studio, studio } from './videos.ts';

/** A number between two others. */
const between = (least: number, most: number) =>
	expect.toSatisfy((value: unknown) => Number(value) >= least && Number(value) <= most);

const gone = json({ detail: 'Video not found' }, 404);

describe('a video is waited for', () => {
	test('as long as the server says, else about two seconds', async () => {
		const poll = [
			json({ status: 'queued' }, 200, { 'openai-poll-after-ms': '3500' }),
			json({ status: 'queued' }, 200, { 'retry-after': '4', 'openai-poll-after-ms': '9000' }),
			record('in_progress', { progress: 50 }),
			record('completed'),
		];
		const { model, clock } = await studio({ poll });
		await attempt(model).result;
		expect(clock.waits).toEqual([between(3_500, 3_850), between(4_000, 4_400), between(1_600, 2_400)]);
	});

	test('as long as the config says, but no shorter than the server needs', async () => {
		const poll = [
			json({ status: 'queued' }, 200, { 'openai-poll-after-ms': '3500' }),
			json({ status: 'queued' }, 200, { 'retry-after': '4' }),
			record('completed'),
		];
		const { model, clock } = await studio({ poll }, { pollSeconds: 10 });
		await attempt(model).result;
		expect(clock.waits).toEqual([between(8_000, 12_000), between(4_000, 4_400)]);
	});

	test('in the words of any server, and its progress is a fraction of one', async () => {
		const words = ['pending', 'processing', 'generating', 'RUNNING'];
		const progress = [{ progress: 0.25 }, { progress: 1 }, { progress: 30 }, { progress_percent: 40 }];
		const poll = words.map((word, index) => record(word, progress[index]));
		const { model } = await studio({ poll: [...poll, record('succeeded')] });
		const work = attempt(model);
		expect(await work.bytes()).toEqual(mp4);
		expect(work.progress).toEqual([0.25, 0.01, 0.3, 0.4]);
	});

	test('while the server is away, or overloaded, or starts again and knows it', async () => {
		const away: Handler[] = [
			hangUp,
			json({}, 503, { 'retry-after': '11' }),
			json({}, 429),
			bytes('<html>', 'text/html', 502),
			bytes('nonsense', 'application/json'),
			gone,
			gone,
		];
		const { model, clock, upstream } = await studio({ poll: [...away, record('completed')] });
		expect(await attempt(model).bytes()).toEqual(mp4);
		expect(clock.waits[1]).toEqual(between(11_000, 12_100));
		expect(requests(upstream).filter((each) => each.startsWith('POST'))).toHaveLength(1);
	});

	test('while only a proxy answers that knows no page of the name', async () => {
		const proxy = bytes('404 page not found', 'text/plain', 404);
		const poll = [proxy, proxy, proxy, proxy, proxy, record('completed')];
		const { model, upstream } = await studio({ poll });
		expect(await attempt(model).bytes()).toEqual(mp4);
		expect(requests(upstream).filter((each) => each.startsWith('POST'))).toHaveLength(1);
	});

	test('no longer than the config says where the answers say nothing of it', async () => {
		const { model } = await studio({ poll: [json({ data: {} })] }, { timeoutSeconds: 30 });
		expect(await failureOf(attempt(model).result)).toMatchObject({ code: 'model_error' });
	});

	test('in the usual time where the server says "at once"', async () => {
		const poll = [json({ status: 'queued' }, 200, { 'retry-after': '0' }), record('completed')];
		const { model, clock } = await studio({ poll });
		await attempt(model).result;
		expect(clock.waits).toEqual([between(1_600, 2_400)]);
	});

	test('in the time of the config where nobody answers', async () => {
		const poll = [hangUp, record('completed')];
		const { model, clock } = await studio({ poll }, { pollSeconds: 10 });
		await attempt(model).result;
		expect(clock.waits).toEqual([between(8_000, 12_000)]);
	});

	test('but not for ever', async () => {
		const { model } = await studio({ poll: [hangUp] }, { timeoutSeconds: 70 });
		expect(await failureOf(attempt(model).result)).toMatchObject({
			status: 503,
			code: 'model_unavailable',
		});
	});

	test('but not where the server does not let us in any more', async () => {
		const { model, upstream } = await studio({ poll: [failure(401, { message: 'no' })] });
		expect(await failureOf(attempt(model).result)).toMatchObject({ status: 502 });
		expect(upstream.got).toHaveLength(2);
	});
});

describe('a server that is busy', () => {
	test('is waited for: nobody else waits for a job', async () => {
		const busy = failure(429, { message: 'queue full' }, { 'retry-after': '6' });
		const { model, state, clock } = await studio();
		let count = 0;
		state.create = (got, res) => (++count < 6 ? busy : record('queued'))(got, res);
		expect(await attempt(model).bytes()).toEqual(mp4);
		expect(clock.waits.slice(0, 5)).toEqual(Array(5).fill(between(6_000, 6_600)));
	});

	test('but no longer than the config says', async () => {
		const { model, state, upstream } = await studio({}, { timeoutSeconds: 40 });
		state.create = (got, res) => {
			const seconds = upstream.got.length < 3 ? '5' : '35';
			return failure(503, { message: 'loading' }, { 'retry-after': seconds })(got, res);
		};
		expect(await failureOf(attempt(model).result)).toMatchObject({ code: 'model_unavailable' });
		expect(upstream.got).toHaveLength(3);
	});

	test('and fails for other reasons is not asked for ever', async () => {
		const { model, upstream } = await studio({ create: failure(500, { message: 'bug' }) });
		expect(await failureOf(attempt(model).result)).toMatchObject({ code: 'model_error' });
		expect(upstream.got).toHaveLength(3);
		const keys = new Set(upstream.got.map(({ headers }) => headers['idempotency-key']));
		expect([...keys]).toEqual(['key-1']);
	});

	test('and was asked for something else under this key gets a key of its own', async () => {
		const { model, state, upstream } = await studio();
		const used = failure(422, { message: 'used', code: 'idempotency_mismatch' });
		state.create = (got, res) => (got.headers['idempotency-key'] === 'key-1' ? used : record('queued'))(got, res);
		expect(await attempt(model).bytes()).toEqual(mp4);
		expect(requests(upstream).filter((each) => each === 'POST /v1/videos')).toHaveLength(2);
	});
});

describe('a server that has started again and forgot the video', () => {
	test('is asked once more, and the new video is noted', async () => {
		const { model, state, upstream } = await studio({
			poll: [gone, gone, gone, record('completed')],
		});
		let count = 0;
		state.create = (got, res) => json({ id: `up_${++count}`, status: 'queued' })(got, res);
		const work = attempt(model);
		expect(await work.bytes()).toEqual(mp4);
		expect(work.checkpoints).toEqual(['up_1', 'up_2']);
		const keys = upstream.got.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
		expect(keys).toEqual(['key-1', 'key-1-again']);
		expect(requests(upstream).at(-1)).toBe('GET /v1/videos/up_2/content');
	});

	test('is asked once more for what an earlier attempt has begun', async () => {
		const { model, upstream } = await studio({ poll: [gone, gone, gone, record('completed')] });
		const work = attempt(model, {}, { resume: 'old' });
		await work.result;
		expect(work.checkpoints).toEqual(['up_1']);
		expect(requests(upstream)[0]).toBe('GET /v1/videos/old');
	});

	test('is asked once more where another attempt of the job has stopped the video', async () => {
		const { model, upstream } = await studio({
			poll: [record('failed', { error: { code: 'cancelled' } }), record('completed')],
		});
		expect(await attempt(model).bytes()).toEqual(mp4);
		const keys = upstream.got.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
		expect(keys).toEqual(['key-1', 'key-1-again']);
	});

	test('and forgets it again has lost it', async () => {
		const { model, upstream } = await studio({ poll: [gone] });
		expect(await failureOf(attempt(model).result)).toMatchObject({ code: 'model_error' });
		expect(requests(upstream).filter((each) => each.startsWith('POST'))).toHaveLength(2);
	});
});

describe('a video fails', () => {
	test.each<[string, Partial<Studio>, object]>([
		[
			'as a filter says',
			{
				poll: [record('failed', { error: { code: 'moderation_blocked', message: 'up_1 was blocked.' } })],
			},
			{ code: 'moderation_blocked', message: 'the video was blocked.' },
		],
		[
			'as what was asked for is wrong',
			{ poll: [record('failed', { error: { code: 'invalid_value', message: 'No such size.' } })] },
			{ code: 'invalid_value', message: 'No such size.' },
		],
		[
			'without what the server says of itself',
			{ poll: [record('error', { error: { message: 'CUDA out of memory at /srv/x.py' } })] },
			{ code: 'model_error', message: expect.not.stringContaining('CUDA') },
		],
		['without a reason', { poll: [record('failed')] }, { code: 'model_error' }],
		[
			'where the server was told to stop',
			{ poll: [record('canceled')] },
			{ code: 'model_error', message: expect.stringContaining('canceled') },
		],
		[
			'at once',
			{ create: record('failed', { error: { code: 'moderation_blocked', message: 'No.' } }) },
			{ code: 'moderation_blocked' },
		],
		[
			'as a refusal of its size',
			{ create: failure(400, { message: 'bad size', param: 'size' }) },
			{ status: 400, param: 'size' },
		],
		[
			'of the server where a question about it is refused, for no client has asked it',
			{ poll: [failure(400, { message: 'expired', param: 'size' })] },
			{ status: 502, message: expect.not.stringContaining('expired') },
		],
		[
			'of the server, too, where such a question is called too large',
			{ poll: [bytes('', 'text/html', 413)] },
			{ status: 502, code: 'model_error' },
		],
		['without an id', { create: json({ status: 'queued' }) }, { code: 'model_error' }],
	])('%s', async (_, part, expected) => {
		const { model } = await studio(part);
		expect(await failureOf(attempt(model).result)).toMatchObject(expected);
	});

	test('and nothing of the failure names the job of the server', async () => {
		const { model, lines } = await studio({ poll: [gone], content: [gone] });
		const failed = await failureOf(attempt(model).result);
		expect(`${failed.message} ${lines}`).not.toContain('up_1');
	});
});
