import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@plinth/testing';
import { afterEach, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { blobFilesOf } from '../support/blob-files.ts';
import type { WireVideo } from '../support/client.ts';
import { createFleet, type Fleet, type Member, type Server } from '../support/fleet.ts';
import { jobEvents } from '../support/job-events.ts';
import { makerOf, runsIn } from '../support/quick-video.ts';

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

/** Starts a worker that takes the job over, and wakes the stopped one once the other has `come` so far. */
async function overtake(id: string, come: 'began' | 'ended'): Promise<Member> {
	const second = await fleet.work();
	const isSoFar = () => runsIn(fleet.runsFile).some(({ pid, event }) => pid === second.pid && event === come);
	await eventually(`the second worker has ${come}`, isSoFar, 30_000);
	if (come === 'ended') {
		expect(await server.client.finished(id)).toMatchObject({ status: 'completed', progress: 1 });
	}
	first.child.signal('SIGCONT');
	await eventually(
		'the first worker knows that it has lost its job',
		() => first.child.stderr().includes('"end":"lost"'),
		10_000,
	);
	return second;
}

/** What must hold, wherever the first worker was stopped and whenever it goes on. */
async function expectSecondOnly(id: string, second: Member): Promise<void> {
	expect(await server.client.finished(id)).toMatchObject({ status: 'completed', progress: 1 });
	const answer = await server.client.send(`/v1/videos/${id}/content`);
	const bytes = new Uint8Array(await answer.arrayBuffer());
	expect(makerOf(bytes).pid).toBe(second.pid);
	const digest = createHash('sha256').update(bytes).digest('hex');
	expect(answer.headers.get('etag')).toContain(digest);

	const events = (await jobEvents(fleet.dataDir)).filter(({ jobId }) => jobId === id);
	expect(events.map(({ type, data }) => [type, data])).toEqual([
		['job.queued', { attempt: 0 }],
		['job.started', { attempt: 1 }],
		['job.started', { attempt: 2 }],
		['job.completed', { attempt: 2 }],
	]);
	const ofFirst = () => blobFilesOf(fleet.dataDir, id).filter((path) => path.includes('/1/'));
	await eventually('the bytes of the first worker are gone', () => ofFirst().length === 0);
	expect(blobFilesOf(fleet.dataDir, id)).toContain(`jobs/${id}/2/video.mp4@`);
	expect(await statusOf(id)).toBe('completed');
}

describe('a worker that is stopped for longer than its lease', () => {
	test.each(['began', 'ended'] as const)(
		'in the middle of its work changes nothing when it goes on after the next one has %s',
		async (come) => {
			const { id } = await server.client.create({ model: 'quick', prompt: 'ms=3000' });
			const isBegun = () => runsIn(fleet.runsFile).some(({ pid }) => pid === first.pid);
			await eventually('the first worker has begun', isBegun, 10_000);
			first.child.signal('SIGSTOP');
			await expectSecondOnly(id, await overtake(id, come));
		},
	);

	test('with its video stored and its record unwritten changes nothing when it goes on', async () => {
		// The poster is stored behind the video and takes long enough to stop the worker meanwhile.
		const prompt = 'ms=10 poster=60000';
		const { id } = await server.client.create({ model: 'quick', prompt });
		const video = join(fleet.dataDir, `blobs/jobs/${id}/1/video.mp4@`);
		await eventually('the first worker has stored the video', () => existsSync(video), 10_000);
		first.child.signal('SIGSTOP');
		expect(await statusOf(id)).toBe('in_progress');
		await expectSecondOnly(id, await overtake(id, 'ended'));
	});
});
