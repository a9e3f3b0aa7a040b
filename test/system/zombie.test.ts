import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { blobFilesOf } from '../support/blob-files.ts';
import type { WireVideo } from '../support/client.ts';
import { createFleet, type Fleet, type Member, type Server } from '../support/fleet.ts';
import { jobEvents } from '../support/job-events.ts';
import { describeBytes, readRuns } from '../support/quick-video.ts';

let fleet: Fleet;
let server: Server;
let first: Member;

beforeEach(async () => {
	const jobs = { leaseMs: 1_500, heartbeatMs: 300, pollMs: 300, sweepMs: 500 };
	fleet = await createFleet('zombie', { jobs });
	onTestFailed(() => console.error(fleet.output()));
	[server, first] = await Promise.all([fleet.serve({ role: 'api' }), fleet.work()]);
});

afterEach(() => fleet.remove());

const statusOf = async (id: string) => (await server.client.json<WireVideo>(`/v1/videos/${id}`)).status;

/**
 * Starts a worker that takes the job over, and resumes the stopped worker once the new one has reached the given state.
 */
async function takeOver(id: string, state: 'began' | 'ended'): Promise<Member> {
	const second = await fleet.work();
	const hasReached = () => readRuns(fleet.runsFile).some(({ pid, event }) => pid === second.pid && event === state);
	await eventually(`the second worker has ${state}`, hasReached, 30_000);
	if (state === 'ended') {
		expect(await server.client.finished(id)).toMatchObject({ status: 'completed', progress: 1 });
	}
	first.child.signal('SIGCONT');
	await eventually(
		'the first worker notices that it has lost its job',
		() => first.child.stderr().includes('"end":"lost"'),
		10_000,
	);
	return second;
}

/** Must hold wherever the first worker was stopped and whenever it resumes. */
async function expectSecondOnly(id: string, second: Member): Promise<void> {
	expect(await server.client.finished(id)).toMatchObject({ status: 'completed', progress: 1 });
	const response = await server.client.send(`/v1/videos/${id}/content`);
	const bytes = new Uint8Array(await response.arrayBuffer());
	expect(describeBytes(bytes).pid).toBe(second.pid);
	const digest = createHash('sha256').update(bytes).digest('hex');
	expect(response.headers.get('etag')).toContain(digest);

	const events = (await jobEvents(fleet.dataDir)).filter(({ jobId }) => jobId === id);
	expect(events.map(({ type, data }) => [type, data])).toEqual([
		['job.queued', { attempt: 0 }],
		['job.started', { attempt: 1 }],
		['job.started', { attempt: 2 }],
		['job.completed', { attempt: 2 }],
	]);
	const ofFirst = () => blobFilesOf(fleet.dataDir, id).filter((path) => path.includes('/1/'));
	await eventually('the bytes of the first worker are deleted', () => ofFirst().length === 0);
	expect(blobFilesOf(fleet.dataDir, id)).toContain(`jobs/${id}/2/video.mp4@`);
	expect(await statusOf(id)).toBe('completed');
}

describe('a worker that is stopped for longer than its lease', () => {
	test.each(['began', 'ended'] as const)(
		'during its work changes nothing when it resumes after the next one has %s',
		async (state) => {
			const { id } = await server.client.create({ model: 'quick', prompt: 'ms=3000' });
			const isBegun = () => readRuns(fleet.runsFile).some(({ pid }) => pid === first.pid);
			await eventually('the first worker has begun', isBegun, 10_000);
			first.child.signal('SIGSTOP');
			await expectSecondOnly(id, await takeOver(id, state));
		},
	);

	test('with its video stored and its record not written changes nothing when it resumes', async () => {
		// The poster is stored after the video. That takes long enough to stop the worker meanwhile.
		const prompt = 'ms=10 poster=60000';
		const { id } = await server.client.create({ model: 'quick', prompt });
		const video = join(fleet.dataDir, `blobs/jobs/${id}/1/video.mp4@`);
		await eventually('the first worker has stored the video', () => existsSync(video), 10_000);
		first.child.signal('SIGSTOP');
		expect(await statusOf(id)).toBe('in_progress');
		await expectSecondOnly(id, await takeOver(id, 'ended'));
	});
});
