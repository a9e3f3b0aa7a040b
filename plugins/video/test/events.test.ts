import { services } from '@plinth/core';
import { errorOf, eventually, gate, type RequestOptions } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import type { VideoRun } from '../src/model.ts';
import type { Video } from '../src/wire.ts';
import { type Harness, harness, jpeg, mp4, png } from './harness.ts';

interface Frame {
	readonly event?: string;
	readonly id?: string;
	readonly data: {
		readonly type: string;
		readonly created_at: number;
		readonly preview?: string;
		readonly data: Video;
	};
}

const eventsOf = (id: string) => `/v1/videos/${id}/events`;

/** The frames of a stream, read to its end. */
async function framesOf(response: Response): Promise<readonly Frame[]> {
	expect(response.headers.get('content-type')).toBe('text/event-stream');
	const parts = (await response.text()).split('\n\n').filter((part) => part && part[0] !== ':');
	return parts.map((part) => {
		const fields = part.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2));
		const { data, ...names } = Object.fromEntries(fields);
		return { ...names, data: JSON.parse(data) };
	});
}

function follow(h: Harness, id: string, options: RequestOptions = {}): Promise<Response> {
	return h.send('GET', eventsOf(id), options);
}

function behind(id: string | undefined): RequestOptions {
	return { headers: { 'last-event-id': String(id) } };
}

describe('GET /v1/videos/{id}/events', () => {
	it('sends the states of a video from its creation to its end, in the format of GET', async () => {
		const h = await harness();
		const { open, passed } = gate();
		h.model.generate = async () => {
			await passed;
			return { body: mp4(), mediaType: 'video/mp4' };
		};
		const { id } = await h.create();
		await h.wait(id, 'in_progress');
		const following = await follow(h, id);
		open();
		const frames = await framesOf(following);
		expect(frames.map(({ event }) => event)).toEqual(['job.state', 'job.completed']);
		for (const { event, id: cursor, data } of frames) {
			expect(data).toEqual({
				object: 'event',
				type: event,
				created_at: Math.floor(h.clock.now() / 1000),
				data: expect.objectContaining({ id, object: 'video' }),
			});
			expect(cursor).toMatch(/^\d+$/);
		}
		const got = (await (await h.send('GET', `/v1/videos/${id}`)).json()) as Video;
		expect(frames.at(-1)?.data.data).toEqual(got);
	});

	it('sends previews at most once a second, and stores none', async () => {
		const h = await harness();
		const { open, passed } = gate();
		const published: unknown[] = [];
		h.app.service(services.events).subscribe({ type: 'job.preview' }, ({ data }) => void published.push(data));
		let run: VideoRun | undefined;
		h.model.generate = async (_, given) => {
			run = given;
			await passed;
			return { body: mp4(), mediaType: 'video/mp4' };
		};
		const { id } = await h.create();
		await eventually('the model works', () => run !== undefined);
		const { body } = await follow(h, id);
		let text = '';
		const whole = (async () => {
			for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
		})();
		run?.preview?.({ body: jpeg, mediaType: 'image/jpeg' });
		run?.preview?.({ body: png, mediaType: 'image/png' });
		await eventually('the first one is shown', () => text.includes('event: job.preview'));
		await h.clock.advance(1_000);
		run?.preview?.({ body: png, mediaType: 'image/png' });
		const previews = [
			`data:image/jpeg;base64,${jpeg.toString('base64')}`,
			`data:image/png;base64,${png.toString('base64')}`,
		];
		await eventually('the second one is published', () => published.length > 1);
		expect(published).toEqual(previews.map((preview) => ({ preview })));
		open();
		await whole;
		const frame = /event: job.preview\ndata: (.*)\n/.exec(text)?.[1] ?? '';
		expect(JSON.parse(frame)).toMatchObject({
			...{ object: 'event', type: 'job.preview', preview: previews[0] },
			data: { id, object: 'video', status: 'in_progress' },
		});
		const again = await framesOf(await follow(h, id, behind('0')));
		expect(again.map(({ event }) => event)).toEqual(['job.queued', 'job.started', 'job.completed']);
		const stored = [];
		for await (const { key } of h.blobs.list('jobs/')) stored.push(key);
		expect(stored).toEqual([expect.stringMatching(/video\.mp4$/)]);
	});

	it('drops previews that are too large, have a wrong type, or arrive after the call has ended', async () => {
		const h = await harness();
		const { open, passed } = gate();
		let late: VideoRun | undefined;
		const received: string[] = [];
		h.app.service(services.events).subscribe({ type: 'job.preview' }, ({ subject }) => void received.push(subject));
		h.model.generate = async (_, run) => {
			run.preview?.({ body: Buffer.concat([jpeg], 90_001), mediaType: 'image/jpeg' });
			run.preview?.({ body: png, mediaType: 'image/jpeg' });
			late = run;
			await passed;
			return { body: mp4(), mediaType: 'video/mp4' };
		};
		const { id } = await h.create();
		await eventually('the model works', () => late !== undefined);
		await h.send('DELETE', `/v1/videos/${id}`);
		await eventually('the call has ended', async () => {
			await h.clock.advance(1_000);
			return late?.signal.aborted === true;
		});
		late?.preview?.({ body: jpeg, mediaType: 'image/jpeg' });
		expect(received).toEqual([]);
		open();
	});

	it('sends a failure without a top-level error', async () => {
		const h = await harness();
		h.model.generate = async () => {
			throw new Error('broken');
		};
		const { id } = await h.finish();
		const [state, ...rest] = await framesOf(await follow(h, id));
		expect([state?.data.data.error?.code, rest]).toEqual(['model_error', []]);
		expect(state?.data).not.toHaveProperty('error');
	});

	it('continues after Last-Event-ID, and is 204 when everything was sent', async () => {
		const h = await harness();
		const { id } = await h.finish();
		const all = await framesOf(await follow(h, id, behind('0')));
		expect(all.map(({ event }) => event)).toEqual(['job.queued', 'job.started', 'job.completed']);
		const rest = await framesOf(await follow(h, id, behind(all[0]?.id)));
		expect(rest.map(({ event }) => event)).toEqual(['job.started', 'job.completed']);
		const done = await follow(h, id, behind(all.at(-1)?.id));
		expect([done.status, await done.text()]).toEqual([204, '']);
	});

	it('ends when the video is deleted, also for a client that reconnects later', async () => {
		const h = await harness();
		const { id } = await h.finish();
		const [state] = await framesOf(await follow(h, id));
		await h.send('DELETE', `/v1/videos/${id}`);
		const [deleted] = await framesOf(await follow(h, id, behind(state?.id)));
		expect(deleted?.data).toMatchObject({
			type: 'job.deleted',
			data: { id, object: 'video.deleted', deleted: true },
		});
		expect(await errorOf(await follow(h, id, behind(deleted?.id)))).toMatchObject({ status: 404 });
	});

	it('ends with a reason after its maximum time', async () => {
		const h = await harness({ streamMinutes: 1 });
		const { open, passed } = gate();
		h.model.generate = async () => {
			await passed;
			return { body: mp4(), mediaType: 'video/mp4' };
		};
		const { id } = await h.create();
		let last: Frame | undefined;
		void framesOf(await follow(h, id)).then((frames) => {
			last = frames.at(-1);
		});
		// In steps, so that the first frame is read before the time is over.
		await eventually('the end', async () => {
			await h.clock.advance(1_000);
			return last !== undefined;
		});
		expect(last?.event).toBe('stream.end');
		expect(last?.id).toBeUndefined();
		expect(last?.data.data).toEqual({ reason: 'max_age' });
		open();
	});

	it('responds alike to unknown, foreign and malformed ids, and requires videos:read', async () => {
		const h = await harness();
		const { id } = await h.create();
		const unknown = `video_${'0'.repeat(44)}`;
		const answers = [
			await follow(h, id, { key: 'bob' }),
			await follow(h, unknown),
			await follow(h, 'nonsense'),
			await follow(h, id, { ...behind('0'), key: 'bob' }),
		].map(errorOf);
		for (const answer of answers) {
			expect(await answer).toMatchObject({ status: 404, code: 'video_not_found' });
		}
		expect((await follow(h, id, { key: 'alice.videos:write' })).status).toBe(403);
	});

	it.each([
		['no id of an event', 'abc'],
		['too long', '1'.repeat(201)],
		['no ASCII', 'é'],
	])('rejects a Last-Event-ID that is %s', async (_what, cursor) => {
		const h = await harness();
		const { id } = await h.create();
		expect(await errorOf(await follow(h, id, behind(cursor)))).toMatchObject({
			status: 400,
			code: 'invalid_value',
			param: 'Last-Event-ID',
		});
	});

	it('responds to HEAD with the headers only', async () => {
		const h = await harness();
		const { id } = await h.finish();
		const head = await h.send('HEAD', eventsOf(id));
		expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/event-stream', '']);
	});

	it('ends immediately when the server stops', async () => {
		const h = await harness({}, {}, { graceMs: 60_000 });
		const { open, passed } = gate();
		h.model.generate = async () => {
			await passed;
			return { body: mp4(), mediaType: 'video/mp4' };
		};
		const { id } = await h.create();
		await h.wait(id, 'in_progress');
		const frames = framesOf(await follow(h, id));
		const stopped = h.app.stop();
		expect((await frames).at(-1)?.data.data).toEqual({ reason: 'stopping' });
		open();
		await stopped;
	});
});
