import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@plinth/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Sdk, SdkClass } from '../clients/sdk.ts';
import { allVideos, type WireVideo } from './client.ts';
import { jobEvents } from './job-events.ts';
import { createPair, frontKey, type Pair, type PairServer, upstreamKey } from './plinth-pair.ts';
import { ffprobe, type Probe } from './programs.ts';
import { type Recorder, recorder } from './recorder.ts';

/** A pair of servers for the tests of a suite, and a client of its front for each test. */
export interface PairFixture {
	pair: Pair;
	client: Sdk;
	/** Records the responses that the client got in this test. */
	recorded: Recorder;
}

/**
 * Registers the hooks of the fixture. After each test, the recorded responses must not contain secrets of the upstream.
 */
export function usePair(OpenAI: SdkClass): PairFixture {
	const fixture = {} as PairFixture;
	beforeAll(async () => {
		fixture.pair = await createPair();
	});
	beforeEach(({ onTestFailed }) => {
		const { front, upstream } = fixture.pair;
		onTestFailed(() => console.error(loggedProblems(front), loggedProblems(upstream)));
		fixture.recorded = recorder(front.url);
		fixture.client = fixture.recorded.sdk(OpenAI, frontKey);
	});
	afterEach(async () => {
		const text = await fixture.recorded.text();
		const secrets = await secretsOf(fixture.pair.upstream);
		expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
		expect(fixture.recorded.violations).toEqual([]);
	});
	afterAll(() => fixture.pair?.remove());
	return fixture;
}

/** The log lines of a server above level `info`. */
function loggedProblems(pairServer: PairServer): string {
	const isProblem = (line: string) => !line.includes('"level":30');
	return pairServer.log().split('\n').filter(isProblem).join('\n');
}

/** Data that only the upstream may know: its address, its key, and the ids of its jobs and requests. */
async function secretsOf({ url, dataDir, log }: PairServer): Promise<readonly string[]> {
	const jobs = new Set((await jobEvents(dataDir)).map(({ jobId }) => jobId));
	const requests = Array.from(log().matchAll(/"req_id":"(req_\w+)"/g), ([, id = '']) => id);
	return [`:${new URL(url).port}`, upstreamKey, ...jobs, ...requests];
}

/** Polls a video until the predicate is true. */
export async function waitForVideo(
	{ client }: PairFixture,
	id: string,
	predicate: (video: WireVideo) => boolean,
): Promise<WireVideo> {
	let video: WireVideo | undefined;
	const poll = async () => {
		// `eventually` polls without a pause, which would slow the renderer down.
		await delay(40);
		video = (await client.videos.retrieve(id)) as unknown as WireVideo;
		return predicate(video);
	};
	await eventually(`${id} matches`, poll, 60_000);
	return video as WireVideo;
}

/** Waits until a video is completed or failed. */
export function finished(fixture: PairFixture, id: string): Promise<WireVideo> {
	return waitForVideo(fixture, id, ({ status }) => status === 'completed' || status === 'failed');
}

/** Creates a video that takes some seconds, and returns its id once the upstream reports progress. */
export async function startLongVideo(fixture: PairFixture, prompt: string): Promise<string> {
	const fields = { model: 'far-video', prompt, seconds: '8', size: '1280x720' } as const;
	const { id } = await fixture.client.videos.create(fields);
	await waitForVideo(fixture, id, ({ progress }) => progress > 0);
	return id;
}

/** The video that the upstream made for a prompt. Exactly one must exist. */
export async function upstreamVideo({ pair }: PairFixture, prompt: string): Promise<WireVideo> {
	const created = (await allVideos(pair.upstream.client)).filter((video) => video.prompt === prompt);
	expect(created).toHaveLength(1);
	return created[0] as WireVideo;
}

/** Downloads a video from the front, compares it with the upstream's bytes, and probes it. */
export async function downloadAndProbe(fixture: PairFixture, id: string, prompt: string): Promise<Probe> {
	const { client, pair } = fixture;
	const response = await client.videos.downloadContent(id);
	const bytes = Buffer.from(await response.arrayBuffer());
	const upstreamOwn = await upstreamVideo(fixture, prompt);
	expect(upstreamOwn.id).not.toBe(id);
	const original = await pair.upstream.client.bytes(`/v1/videos/${upstreamOwn.id}/content`);
	expect(bytes.equals(original)).toBe(true);
	return probeBytes(fixture, 'video.mp4', bytes);
}

/** Runs ffprobe on bytes. */
export async function probeBytes({ pair }: PairFixture, name: string, bytes: Uint8Array): Promise<Probe> {
	const file = join(pair.folder, name);
	await writeFile(file, bytes);
	return ffprobe(file);
}
