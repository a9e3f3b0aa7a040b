import { describe, expect, test } from 'vitest';
import { failureOf } from './harness.ts';
import { bytes, failure, type Handler, hangUp, json } from './upstream.ts';
import { attempt, createVideoModel, mp4, record, requestLines, type VideoServer } from './videos.ts';

/** Matches a number between two others. */
const between = (least: number, most: number) =>
	expect.toSatisfy((value: unknown) => Number(value) >= least && Number(value) <= most);

const gone = json({ detail: 'Video not found' }, 404);

describe('a video is polled', () => {
	test('at the interval of the server, otherwise after about two seconds', async () => {
		const poll = [
			json({ status: 'queued' }, 200, { 'openai-poll-after-ms': '3500' }),
			json({ status: 'queued' }, 200, { 'retry-after': '4', 'openai-poll-after-ms': '9000' }),
			record('in_progress', { progress: 50 }),
			record('completed'),
		];
		const { model, clock } = await createVideoModel({ poll });
		await attempt(model).result;
		expect(clock.waits).toEqual([between(3_500, 3_850), between(4_000, 4_400), between(1_600, 2_400)]);
	});

	test('at the interval of the config, but no faster than the server requests', async () => {
		const poll = [
			json({ status: 'queued' }, 200, { 'openai-poll-after-ms': '3500' }),
			json({ status: 'queued' }, 200, { 'retry-after': '4' }),
			record('completed'),
		];
		const { model, clock } = await createVideoModel({ poll }, { pollSeconds: 10 });
		await attempt(model).result;
		expect(clock.waits).toEqual([between(8_000, 12_000), between(4_000, 4_400)]);
	});

	test('for the status names of any server, and its progress is a fraction of one', async () => {
		const words = ['pending', 'processing', 'generating', 'RUNNING'];
		const progress = [{ progress: 0.25 }, { progress: 1 }, { progress: 30 }, { progress_percent: 40 }];
		const poll = words.map((word, index) => record(word, progress[index]));
		const { model } = await createVideoModel({ poll: [...poll, record('succeeded')] });
		const work = attempt(model);
		expect(await work.bytes()).toEqual(mp4);
		expect(work.progress).toEqual([0.25, 0.01, 0.3, 0.4]);
	});

	test('while the server is down, overloaded, or restarting', async () => {
		const away: Handler[] = [
			hangUp,
			json({}, 503, { 'retry-after': '11' }),
			json({}, 429),
			bytes('<html>', 'text/html', 502),
			bytes('nonsense', 'application/json'),
			gone,
			gone,
		];
		const { model, clock, upstream } = await createVideoModel({ poll: [...away, record('completed')] });
		expect(await attempt(model).bytes()).toEqual(mp4);
		expect(clock.waits[1]).toEqual(between(11_000, 12_100));
		expect(requestLines(upstream).filter((each) => each.startsWith('POST'))).toHaveLength(1);
	});

	test('while a proxy responds that the page does not exist', async () => {
		const proxy = bytes('404 page not found', 'text/plain', 404);
		const poll = [proxy, proxy, proxy, proxy, proxy, record('completed')];
		const { model, upstream } = await createVideoModel({ poll });
		expect(await attempt(model).bytes()).toEqual(mp4);
		expect(requestLines(upstream).filter((each) => each.startsWith('POST'))).toHaveLength(1);
	});

	test('no slower than the config says when the server requests no interval', async () => {
		const { model } = await createVideoModel({ poll: [json({ data: {} })] }, { timeoutSeconds: 30 });
		expect(await failureOf(attempt(model).result)).toMatchObject({ code: 'model_error' });
	});

	test('at the default interval when the server requests zero', async () => {
		const poll = [json({ status: 'queued' }, 200, { 'retry-after': '0' }), record('completed')];
		const { model, clock } = await createVideoModel({ poll });
		await attempt(model).result;
		expect(clock.waits).toEqual([between(1_600, 2_400)]);
	});

	test('at the interval of the config while the server does not respond', async () => {
		const poll = [hangUp, record('completed')];
		const { model, clock } = await createVideoModel({ poll }, { pollSeconds: 10 });
		await attempt(model).result;
		expect(clock.waits).toEqual([between(8_000, 12_000)]);
	});

	test('but not without limit', async () => {
		const { model } = await createVideoModel({ poll: [hangUp] }, { timeoutSeconds: 70 });
		expect(await failureOf(attempt(model).result)).toMatchObject({
			status: 503,
			code: 'model_unavailable',
		});
	});

	test('but not after the server rejects the key', async () => {
		const { model, upstream } = await createVideoModel({ poll: [failure(401, { message: 'no' })] });
		expect(await failureOf(attempt(model).result)).toMatchObject({ status: 502 });
		expect(upstream.requests).toHaveLength(2);
	});
});

describe('a busy server', () => {
	test('is retried until it accepts the video, because jobs can wait', async () => {
		const busy = failure(429, { message: 'queue full' }, { 'retry-after': '6' });
		const { model, state, clock } = await createVideoModel();
		let count = 0;
		state.create = (request, res) => (++count < 6 ? busy : record('queued'))(request, res);
		expect(await attempt(model).bytes()).toEqual(mp4);
		expect(clock.waits.slice(0, 5)).toEqual(Array(5).fill(between(6_000, 6_600)));
	});

	test('is retried no longer than the config says', async () => {
		const { model, state, upstream } = await createVideoModel({}, { timeoutSeconds: 40 });
		state.create = (request, res) => {
			const seconds = upstream.requests.length < 3 ? '5' : '35';
			return failure(503, { message: 'loading' }, { 'retry-after': seconds })(request, res);
		};
		expect(await failureOf(attempt(model).result)).toMatchObject({ code: 'model_unavailable' });
		expect(upstream.requests).toHaveLength(3);
	});

	test('is not retried when it fails for other reasons', async () => {
		const { model, upstream } = await createVideoModel({ create: failure(500, { message: 'bug' }) });
		expect(await failureOf(attempt(model).result)).toMatchObject({ code: 'model_error' });
		expect(upstream.requests).toHaveLength(3);
		const keys = new Set(upstream.requests.map(({ headers }) => headers['idempotency-key']));
		expect([...keys]).toEqual(['key-1']);
	});

	test('that has seen the idempotency key for another request gets a new key', async () => {
		const { model, state, upstream } = await createVideoModel();
		const used = failure(422, { message: 'used', code: 'idempotency_mismatch' });
		state.create = (request, res) =>
			(request.headers['idempotency-key'] === 'key-1' ? used : record('queued'))(request, res);
		expect(await attempt(model).bytes()).toEqual(mp4);
		expect(requestLines(upstream).filter((each) => each === 'POST /v1/videos')).toHaveLength(2);
	});
});

describe('a restarted server that lost the video', () => {
	test('gets the request once more, and the new video is recorded', async () => {
		const { model, state, upstream } = await createVideoModel({
			poll: [gone, gone, gone, record('completed')],
		});
		let count = 0;
		state.create = (request, res) => json({ id: `up_${++count}`, status: 'queued' })(request, res);
		const work = attempt(model);
		expect(await work.bytes()).toEqual(mp4);
		expect(work.checkpoints).toEqual(['up_1', 'up_2']);
		const keys = upstream.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
		expect(keys).toEqual(['key-1', 'key-1-again']);
		expect(requestLines(upstream).at(-1)).toBe('GET /v1/videos/up_2/content');
	});

	test('gets the request once more for a video of an earlier attempt', async () => {
		const { model, upstream } = await createVideoModel({ poll: [gone, gone, gone, record('completed')] });
		const work = attempt(model, {}, { resume: 'old' });
		await work.result;
		expect(work.checkpoints).toEqual(['up_1']);
		expect(requestLines(upstream)[0]).toBe('GET /v1/videos/old');
	});

	test('gets the request once more when another attempt of the job stopped the video', async () => {
		const { model, upstream } = await createVideoModel({
			poll: [record('failed', { error: { code: 'cancelled' } }), record('completed')],
		});
		expect(await attempt(model).bytes()).toEqual(mp4);
		const keys = upstream.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
		expect(keys).toEqual(['key-1', 'key-1-again']);
	});

	test('that loses it again fails the job', async () => {
		const { model, upstream } = await createVideoModel({ poll: [gone] });
		expect(await failureOf(attempt(model).result)).toMatchObject({ code: 'model_error' });
		expect(requestLines(upstream).filter((each) => each.startsWith('POST'))).toHaveLength(2);
	});
});

describe('a video fails', () => {
	test.each<[string, Partial<VideoServer>, object]>([
		[
			'as moderation_blocked for a content filter',
			{
				poll: [record('failed', { error: { code: 'moderation_blocked', message: 'up_1 was blocked.' } })],
			},
			{ code: 'moderation_blocked', message: 'the video was blocked.' },
		],
		[
			'as an invalid request',
			{ poll: [record('failed', { error: { code: 'invalid_value', message: 'No such size.' } })] },
			{ code: 'invalid_value', message: 'No such size.' },
		],
		[
			'without the message of the server',
			{ poll: [record('error', { error: { message: 'CUDA out of memory at /srv/x.py' } })] },
			{ code: 'model_error', message: expect.not.stringContaining('CUDA') },
		],
		['without a reason', { poll: [record('failed')] }, { code: 'model_error' }],
		[
			'as cancelled on the server',
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
			'with a server error when a status request is rejected with 400',
			{ poll: [failure(400, { message: 'expired', param: 'size' })] },
			{ status: 502, message: expect.not.stringContaining('expired') },
		],
		[
			'with a server error when a status request is rejected with 413',
			{ poll: [bytes('', 'text/html', 413)] },
			{ status: 502, code: 'model_error' },
		],
		['without an id', { create: json({ status: 'queued' }) }, { code: 'model_error' }],
	])('%s', async (_, part, expected) => {
		const { model } = await createVideoModel(part);
		expect(await failureOf(attempt(model).result)).toMatchObject(expected);
	});

	test('without the id of the upstream job in its error', async () => {
		const { model, lines } = await createVideoModel({ poll: [gone], content: [gone] });
		const failed = await failureOf(attempt(model).result);
		expect(`${failed.message} ${lines}`).not.toContain('up_1');
	});
});
