import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Sdk, SdkClass } from '../clients/sdk.ts';
import { allVideos, type WireVideo } from './client.ts';
import { jobEvents } from './job-events.ts';
import { createPair, frontKey, type Pair, type Station, upstreamKey } from './plinth-pair.ts';
import { ffprobe, type Probe } from './programs.ts';
import { type Recorder, recorder } from './recorder.ts';

/** A pair for the tests of a suite, and for each of them a client of its front. */
export interface Visit {
	pair: Pair;
	client: Sdk;
	/** What the client has seen in this test. */
	seen: Recorder;
}

/** Registers the hooks of a visit. Behind each test, all that its client has seen is searched for what belongs to the upstream alone. */
export function visitPair(OpenAI: SdkClass): Visit {
	const visit = {} as Visit;
	beforeAll(async () => {
		visit.pair = await createPair();
	});
	beforeEach(({ onTestFailed }) => {
		const { front, upstream } = visit.pair;
		onTestFailed(() => console.error(troubles(front), troubles(upstream)));
		visit.seen = recorder(front.url);
		visit.client = visit.seen.sdk(OpenAI, frontKey);
	});
	afterEach(async () => {
		const said = await visit.seen.said();
		const secrets = await secretsOf(visit.pair.upstream);
		expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
		expect(visit.seen.complaints).toEqual([]);
	});
	afterAll(() => visit.pair?.remove());
	return visit;
}

/** What a server has logged besides requests that went well. */
function troubles(station: Station): string {
	const isTrouble = (line: string) => !line.includes('"level":30');
	return station.log().split('\n').filter(isTrouble).join('\n');
}

/** What belongs to a server alone: its address, the key with which it is asked, and the ids of its jobs and answers. */
async function secretsOf({ url, dataDir, log }: Station): Promise<readonly string[]> {
	const jobs = new Set((await jobEvents(dataDir)).map(({ jobId }) => jobId));
	const answers = Array.from(log().matchAll(/"req_id":"(req_\w+)"/g), ([, id = '']) => id);
	return [`:${new URL(url).port}`, upstreamKey, ...jobs, ...answers];
}

/** Asks for a video again and again, as clients do, until it `isSo`. */
export async function videoThat(
	{ client }: Visit,
	id: string,
	isSo: (video: WireVideo) => boolean,
): Promise<WireVideo> {
	let video: WireVideo | undefined;
	const isThere = async () => {
		// `eventually` asks again at once: that would take the processor from the renderer.
		await delay(40);
		video = (await client.videos.retrieve(id)) as unknown as WireVideo;
		return isSo(video);
	};
	await eventually(`${id} is so far`, isThere, 60_000);
	return video as WireVideo;
}

/** Waits until a video is completed or failed. */
export function finished(visit: Visit, id: string): Promise<WireVideo> {
	return videoThat(visit, id, ({ status }) => status === 'completed' || status === 'failed');
}

/** Creates a video of some seconds of work and returns its id once the upstream is in the middle of it. */
export async function underWay(visit: Visit, prompt: string): Promise<string> {
	const fields = { model: 'far-video', prompt, seconds: '8', size: '1280x720' } as const;
	const { id } = await visit.client.videos.create(fields);
	await videoThat(visit, id, ({ progress }) => progress > 0);
	return id;
}

/** The video that the upstream made for a prompt: there is one, however often it was asked for. */
export async function behind({ pair }: Visit, prompt: string): Promise<WireVideo> {
	const made = (await allVideos(pair.upstream.client)).filter((video) => video.prompt === prompt);
	expect(made).toHaveLength(1);
	return made[0] as WireVideo;
}

/** Downloads a video, compares it with the upstream's own, and opens it. */
export async function downloaded(visit: Visit, id: string, prompt: string): Promise<Probe> {
	const { client, pair } = visit;
	const answer = await client.videos.downloadContent(id);
	const bytes = Buffer.from(await answer.arrayBuffer());
	const theirs = await behind(visit, prompt);
	expect(theirs.id).not.toBe(id);
	const original = await pair.upstream.client.bytes(`/v1/videos/${theirs.id}/content`);
	expect(bytes.equals(original)).toBe(true);
	return probed(visit, 'video.mp4', bytes);
}

/** What ffprobe says about bytes. */
export async function probed({ pair }: Visit, name: string, bytes: Uint8Array): Promise<Probe> {
	const file = join(pair.folder, name);
	await writeFile(file, bytes);
	return ffprobe(file);
}
