import { setTimeout as delay } from 'node:timers/promises';
import { type DemoClient, eventsOf } from './client.ts';

/** The fields of a video job that the demo uses. */
export interface VideoJob {
	readonly id: string;
	readonly status: 'queued' | 'in_progress' | 'completed' | 'failed';
	/** 0 to 100. */
	readonly progress_percent: number;
	readonly error: { readonly message: string } | null;
}

interface JobEvent {
	readonly type: string;
	readonly data: VideoJob;
}

const pollMs = 200;

/** Yields the states of a video job until it has ended: from its event stream, or by polling if there is none. */
export async function* statesOf(client: DemoClient, id: string, routes: ReadonlySet<string>): AsyncGenerator<VideoJob> {
	const path = `/v1/videos/${id}`;
	const hasEvents = routes.has('/v1/videos/{id}/events');
	for (;;) {
		for await (const job of hasEvents ? streamedStates(client, path) : polledStates(client, path)) {
			yield job;
			if (job.status === 'completed' || job.status === 'failed') return;
		}
	}
}

async function* streamedStates(client: DemoClient, path: string): AsyncGenerator<VideoJob> {
	for await (const event of eventsOf(await client.get(`${path}/events`))) {
		const { type, data } = event as JobEvent;
		if (type === 'job.deleted') throw new Error('the video was deleted');
		// The stream may end before the job. The caller then opens it again.
		if (type !== 'stream.end') yield data;
	}
}

async function* polledStates(client: DemoClient, path: string): AsyncGenerator<VideoJob> {
	yield await client.json<VideoJob>(path);
	await delay(pollMs);
}
