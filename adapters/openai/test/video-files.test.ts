import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { failureOf } from './harness.ts';
import { bytes, cutAfter, failure, type Handler, json } from './upstream.ts';
import { attempt, mp4, record, requests, studio } from './videos.ts';

const gone = json({ detail: 'Video not found' }, 404);

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
		await eventually('the video is stopped', () => requests(upstream).includes('DELETE /v1/videos/up_1'));
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
		await eventually('the video is stopped', () => requests(upstream).includes('DELETE /v1/videos/up_1'));
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
