import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { failureOf } from './harness.ts';
import { bytes, cutAfter, failure, type Handler, hangUp, json } from './upstream.ts';
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
		expect(clock.waits).toEqual([
			between(3_500, 3_850),
			between(4_000, 4_400),
			between(1_600, 2_400),
		]);
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
		const progress = [
			{ progress: 0.25 },
			{ progress: 1 },
			{ progress: 30 },
			{ progress_percent: 40 },
		];
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
		state.create = (got, res) =>
			(got.headers['idempotency-key'] === 'key-1' ? used : record('queued'))(got, res);
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
				poll: [
					record('failed', { error: { code: 'moderation_blocked', message: 'up_1 was blocked.' } }),
				],
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

describe('the file of a video', () => {
	test('may come a little later than its end', async () => {
		const late = [gone, json({}, 409, { 'x-should-retry': 'false' }), json({}, 425)];
		const { model } = await studio({ content: [...late, bytes(mp4, 'video/mp4')] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});

	test('that never comes is a failure', async () => {
		const { model } = await studio({ content: [gone] });
		expect(await failureOf(attempt(model).bytes())).toMatchObject({ status: 502 });
	});

	test('that breaks off is taken up where it was', async () => {
		const half = cutAfter('video/mp4', mp4.subarray(0, 10));
		const rest: Handler = ({ headers }, res) => {
			expect(headers.range).toBe('bytes=10-');
			res.writeHead(206, { 'content-type': 'video/mp4' }).end(mp4.subarray(10));
		};
		const { model } = await studio({ content: [half, rest] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});

	test('that breaks off behind its last byte is whole', async () => {
		const all = cutAfter('video/mp4', mp4);
		const { model } = await studio({ content: [all, json({}, 416)] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});

	test('that is taken up at another place has each byte once, or fails', async () => {
		const from =
			(start: number): Handler =>
			(_, res) => {
				const range = `bytes ${start}-${mp4.length - 1}/${mp4.length}`;
				res.writeHead(206, { 'content-type': 'video/mp4', 'content-range': range });
				res.end(mp4.subarray(start));
			};
		const half = cutAfter('video/mp4', mp4.subarray(0, 10));
		const before = await studio({ content: [half, from(4)] });
		expect(await attempt(before.model).bytes()).toEqual(mp4);
		const behind = await studio({ content: [half, from(12)] });
		expect(await failureOf(attempt(behind.model).bytes())).toMatchObject({ code: 'model_error' });
	});

	test('that breaks off is read again where the server knows no ranges', async () => {
		const half = cutAfter('video/mp4', mp4.subarray(0, 10));
		const { model } = await studio({ content: [half, bytes(mp4, 'video/mp4')] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});

	test('that breaks off again and again is a failure, never a part', async () => {
		const { model, upstream } = await studio({
			content: [cutAfter('video/mp4', mp4.subarray(0, 10))],
		});
		expect(await failureOf(attempt(model).bytes())).toMatchObject({ status: 502 });
		expect(requests(upstream).filter((each) => each.endsWith('/content'))).toHaveLength(3);
	});

	test('is fetched from where the server redirects to', async () => {
		const away: Handler = (_, res) => res.writeHead(302, { location: '/v1/stored/content' }).end();
		const { model } = await studio({ content: [away, bytes(mp4, 'video/mp4')] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});
});

describe('a job that ends', () => {
	test('while it is waited for rejects with its reason, and leaves the video alone', async () => {
		const work = record('in_progress');
		const { model, upstream } = await studio({ poll: [work] });
		const one = attempt(model);
		await eventually('it is waited for', () => upstream.got.length > 2);
		one.stop.abort(new Error('stopping'));
		await expect(one.result).rejects.toBe(one.stop.signal.reason);
		expect(requests(upstream)).not.toContain('DELETE /v1/videos/up_1');
	});

	test('while the video is begun stops what was begun', async () => {
		let answer = () => {};
		const create: Handler = (got, res) => {
			answer = () => record('queued')(got, res);
		};
		const { model, upstream } = await studio({ create }, {});
		const one = attempt(model);
		await eventually('the server is asked', () => upstream.got.length === 1);
		one.stop.abort(new Error('cancelled'));
		await expect(one.result).rejects.toBe(one.stop.signal.reason);
		answer();
		await eventually('the video is stopped', () =>
			requests(upstream).includes('DELETE /v1/videos/up_1'),
		);
	});

	test('before it has begun asks nobody', async () => {
		const { model, upstream } = await studio();
		const signal = AbortSignal.abort(new Error('deleted'));
		await expect(attempt(model, {}, { signal }).result).rejects.toBe(signal.reason);
		expect(upstream.got).toEqual([]);
	});

	test('whose note cannot be kept stops the video', async () => {
		const { model, upstream } = await studio();
		const lost = new Error('the store is away');
		const checkpoint = () => Promise.reject(lost);
		await expect(attempt(model, {}, { checkpoint }).result).rejects.toBe(lost);
		await eventually('the video is stopped', () =>
			requests(upstream).includes('DELETE /v1/videos/up_1'),
		);
	});

	test('stops a video that the server does not know any more', async () => {
		const { model } = await studio({ cancel: gone });
		await expect(model.cancel?.('up_1')).resolves.toBeUndefined();
	});

	test('says so when the server does not stop', async () => {
		const { model } = await studio({ cancel: failure(401, { message: 'no' }) });
		await expect(model.cancel?.('up_1')).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
	});
});

test('ids are put into paths as one piece', async () => {
	const { model, upstream } = await studio();
	await model.cancel?.('../v1/videos?x=1#y');
	expect(requests(upstream)).toEqual(['DELETE /v1/videos/..%2Fv1%2Fvideos%3Fx%3D1%23y']);
});
