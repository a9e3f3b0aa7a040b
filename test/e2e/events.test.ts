import { defineModel } from '@plinth/core';
import { events } from '@plinth/plugin-events';
import { type VideoModel, videoModels } from '@plinth/plugin-video/model';
import { eventually } from '@plinth/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type RawClient, rawClient } from '../support/client.ts';
import { type EventStream, openEvents } from '../support/event-stream.ts';
import { fakeVideo, gate, heldVideo, tinyMp4 } from '../support/fake-models.ts';
import { keyA, keyB, type Served, serveEmbedded } from '../support/serve.ts';

const plugins = { events: events() };
/** One gate for each test that delays a video. */
const gates = { two: gate(), three: gate(), four: gate() };
const [halfway, finish] = [gate(), gate()];

/**
 * A video model that reports half of the progress when its first gate opens, and completes when its second one opens.
 */
const steppedVideo = defineModel({
	kind: videoModels,
	name: 'test.stepped',
	config: z.strictObject({}),
	create: (): VideoModel => ({
		apiVersion: 1,
		async generate(_request, { progress }) {
			await halfway.opened;
			progress(0.5);
			await finish.opened;
			return { body: tinyMp4, mediaType: 'video/mp4' };
		},
	}),
});

let served: Served;
let client: RawClient;
/** A server on the same data, without a shared bus and without a worker. */
let beside: Served;

beforeAll(async () => {
	const models = {
		'instant-1': fakeVideo(),
		stepped: steppedVideo(),
		...Object.fromEntries(Object.entries(gates).map(([name, held]) => [name, heldVideo(held)])),
	};
	served = await serveEmbedded({
		models,
		plugins,
		jobs: { concurrency: 8, progressMs: 50, heartbeatMs: 1_000 },
	});
	beside = await serveEmbedded({ dataDir: served.dataDir, models, plugins, role: 'api' });
	client = rawClient(served.url, keyA);
});

afterAll(async () => {
	for (const held of [halfway, finish, ...Object.values(gates)]) held.open();
	await beside?.stop();
	await served?.stop();
});

async function follow(path: string, lastEventId?: string, key = keyA): Promise<EventStream> {
	const stream = await openEvents(path, key, lastEventId);
	onTestFinished(() => stream.close());
	return stream;
}

const followVideo = (id: string, lastEventId?: string, { url } = served) =>
	follow(`${url}/v1/videos/${id}/events`, lastEventId);

describe('a video', () => {
	test('is followed from its creation to its end, and a reconnect afterwards gets 204', async () => {
		const { id } = await client.create({ model: 'stepped', prompt: 'followed' });
		const stream = await followVideo(id);
		expect((await stream.until('job.state')).data.data).toMatchObject({ id, object: 'video' });
		halfway.open();
		const half = await stream.until('job.progress');
		expect([half.data.data.progress, half.id]).toEqual([0.5, undefined]);
		finish.open();
		await stream.over();
		const last = stream.frames.at(-1);
		expect(last?.event).toBe('job.completed');
		const { url, ...video } = await client.json<{ url: string }>(`/v1/videos/${id}`);
		expect([last?.data.data, url]).toEqual([video, expect.stringContaining('/v1/videos/results/')]);
		const again = await followVideo(id, last?.id);
		expect(again.status).toBe(204);
	});

	test('is followed from the last received event on', async () => {
		const { id } = await client.create({ model: 'two', prompt: 'cut off' });
		const first = await followVideo(id);
		const { id: cursor } = await first.until('job.state');
		first.close();
		await first.over();
		gates.two.open();
		await client.finished(id);
		const second = await followVideo(id, cursor);
		await second.over();
		const rest = second.types();
		expect(rest.at(-1)).toBe('job.completed');
		expect(rest.filter((type) => type === 'job.completed' || type === 'job.state')).toHaveLength(1);
	});

	test('is followed at another server that shares nothing but the data', async () => {
		const { id } = await client.create({ model: 'three', prompt: 'elsewhere' });
		const stream = await followVideo(id, undefined, beside);
		await stream.until('job.state');
		gates.three.open();
		await stream.over();
		expect(stream.types().at(-1)).toBe('job.completed');
	});

	test('ends its stream when it is deleted, and is then as unknown as a foreign one', async () => {
		const { id } = await client.create({ model: 'four', prompt: 'deleted' });
		const ofOtherTenant = await follow(`${served.url}/v1/videos/${id}/events`, '0', keyB);
		const unknown = await followVideo(`video_${'0'.repeat(44)}`);
		const stream = await followVideo(id);
		await stream.until('job.state');
		await client.send(`/v1/videos/${id}`, { method: 'DELETE' });
		await stream.over();
		expect(stream.frames.at(-1)?.data).toMatchObject({
			type: 'job.deleted',
			data: { id, object: 'video.deleted', deleted: true },
		});
		expect([ofOtherTenant.status, unknown.status]).toEqual([404, 404]);
	});
});

describe('all jobs of a tenant', () => {
	test('are followed in one stream, at any server, without jobs of other tenants', async () => {
		const streams = [await follow(`${served.url}/v1/events`), await follow(`${beside.url}/v1/events?kind=video`)];
		const other = await follow(`${served.url}/v1/events`, undefined, keyB);
		const ofOtherTenant = await rawClient(served.url, keyB).create({ model: 'instant-1', prompt: 'b' });
		const own = await client.create({ model: 'instant-1', prompt: 'a' });
		const eventsOf = ({ frames }: EventStream, id: string) =>
			frames.filter(({ data }) => data.data.id === id).map(({ event }) => event);
		const all = ['job.queued', 'job.started', 'job.completed'];
		for (const stream of streams) {
			await eventually('all events have arrived', () => eventsOf(stream, own.id).length === 3);
			expect(eventsOf(stream, own.id)).toEqual(all);
			expect(eventsOf(stream, ofOtherTenant.id)).toEqual([]);
		}
		await eventually('all events have arrived', () => eventsOf(other, ofOtherTenant.id).length === 3);
		expect(eventsOf(other, own.id)).toEqual([]);
	});
});
