import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { failureOf } from './harness.ts';
import { bytes, cutAfter, failure, type Handler, json } from './upstream.ts';
import { attempt, createVideoModel, mp4, record, requestLines } from './videos.ts';

const gone = json({ detail: 'Video not found' }, 404);

describe('the file of a video', () => {
	test('may be available later than the completed status', async () => {
		const late = [gone, json({}, 409, { 'x-should-retry': 'false' }), json({}, 425)];
		const { model } = await createVideoModel({ content: [...late, bytes(mp4, 'video/mp4')] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});

	test('that never becomes available is an error', async () => {
		const { model } = await createVideoModel({ content: [gone] });
		expect(await failureOf(attempt(model).bytes())).toMatchObject({ status: 502 });
	});

	test('that is cut is resumed at that position', async () => {
		const half = cutAfter('video/mp4', mp4.subarray(0, 10));
		const rest: Handler = ({ headers }, res) => {
			expect(headers.range).toBe('bytes=10-');
			res.writeHead(206, { 'content-type': 'video/mp4' }).end(mp4.subarray(10));
		};
		const { model } = await createVideoModel({ content: [half, rest] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});

	test('that is cut after its last byte is complete', async () => {
		const all = cutAfter('video/mp4', mp4);
		const { model } = await createVideoModel({ content: [all, json({}, 416)] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});

	test('that resumes at another position has each byte once, or fails', async () => {
		const from =
			(start: number): Handler =>
			(_, res) => {
				const range = `bytes ${start}-${mp4.length - 1}/${mp4.length}`;
				res.writeHead(206, { 'content-type': 'video/mp4', 'content-range': range });
				res.end(mp4.subarray(start));
			};
		const half = cutAfter('video/mp4', mp4.subarray(0, 10));
		const before = await createVideoModel({ content: [half, from(4)] });
		expect(await attempt(before.model).bytes()).toEqual(mp4);
		const behind = await createVideoModel({ content: [half, from(12)] });
		expect(await failureOf(attempt(behind.model).bytes())).toMatchObject({ code: 'model_error' });
	});

	test('that is cut is downloaded again when the server supports no ranges', async () => {
		const half = cutAfter('video/mp4', mp4.subarray(0, 10));
		const { model } = await createVideoModel({ content: [half, bytes(mp4, 'video/mp4')] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});

	test('that is cut on each try is an error, never a partial file', async () => {
		const { model, upstream } = await createVideoModel({
			content: [cutAfter('video/mp4', mp4.subarray(0, 10))],
		});
		expect(await failureOf(attempt(model).bytes())).toMatchObject({ status: 502 });
		expect(requestLines(upstream).filter((each) => each.endsWith('/content'))).toHaveLength(3);
	});

	test('is downloaded from the target of a redirect', async () => {
		const away: Handler = (_, res) => res.writeHead(302, { location: '/v1/stored/content' }).end();
		const { model } = await createVideoModel({ content: [away, bytes(mp4, 'video/mp4')] });
		expect(await attempt(model).bytes()).toEqual(mp4);
	});
});

describe('an abort of the job', () => {
	test('during polling rejects with its reason and does not stop the video', async () => {
		const work = record('in_progress');
		const { model, upstream } = await createVideoModel({ poll: [work] });
		const one = attempt(model);
		await eventually('it is waited for', () => upstream.requests.length > 2);
		one.stop.abort(new Error('stopping'));
		await expect(one.result).rejects.toBe(one.stop.signal.reason);
		expect(requestLines(upstream)).not.toContain('DELETE /v1/videos/up_1');
	});

	test('while the video starts stops the started video', async () => {
		let answer = () => {};
		const create: Handler = (request, res) => {
			answer = () => record('queued')(request, res);
		};
		const { model, upstream } = await createVideoModel({ create }, {});
		const one = attempt(model);
		await eventually('the server receives the request', () => upstream.requests.length === 1);
		one.stop.abort(new Error('cancelled'));
		await expect(one.result).rejects.toBe(one.stop.signal.reason);
		answer();
		await eventually('the video is stopped', () => requestLines(upstream).includes('DELETE /v1/videos/up_1'));
	});

	test('before the start sends no request', async () => {
		const { model, upstream } = await createVideoModel();
		const signal = AbortSignal.abort(new Error('deleted'));
		await expect(attempt(model, {}, { signal }).result).rejects.toBe(signal.reason);
		expect(upstream.requests).toEqual([]);
	});

	test('is not needed when the checkpoint cannot be written: the video is stopped', async () => {
		const { model, upstream } = await createVideoModel();
		const lost = new Error('the store is unavailable');
		const checkpoint = () => Promise.reject(lost);
		await expect(attempt(model, {}, { checkpoint }).result).rejects.toBe(lost);
		await eventually('the video is stopped', () => requestLines(upstream).includes('DELETE /v1/videos/up_1'));
	});

	test('of an unknown video counts as stopped', async () => {
		const { model } = await createVideoModel({ cancel: gone });
		await expect(model.cancel?.('up_1')).resolves.toBeUndefined();
	});

	test('logs when the server does not stop the video', async () => {
		const { model } = await createVideoModel({ cancel: failure(401, { message: 'no' }) });
		await expect(model.cancel?.('up_1')).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
	});
});

test('ids are escaped in paths', async () => {
	const { model, upstream } = await createVideoModel();
	await model.cancel?.('../v1/videos?x=1#y');
	expect(requestLines(upstream)).toEqual(['DELETE /v1/videos/..%2Fv1%2Fvideos%3Fx%3D1%23y']);
});
