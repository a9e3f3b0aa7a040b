import { setTimeout as delay } from 'node:timers/promises';
import type { DemoClient } from './client.ts';
import { Progress } from './progress.ts';

/** One capability shown once. */
export interface DemoStep {
	/** The kind of model it needs; without one of these it is left out. */
	readonly kind: string;
	/** What is written. */
	readonly file: string;
	/** Runs it against a model and returns the bytes and a sentence about them. */
	run(client: DemoClient, model: string): Promise<{ bytes: Uint8Array; about: string }>;
}

const pollMs = 200;

interface VideoJob {
	readonly id: string;
	readonly status: string;
	readonly progress_percent: number;
	readonly error: { readonly message: string } | null;
}

const video: DemoStep = {
	kind: 'video',
	file: 'video.mp4',
	async run(client, model) {
		const prompt = 'A lighthouse above the sea at sunset, slow waves';
		const created = await client.post('/v1/videos', {
			model,
			prompt,
			seconds: '4',
			size: '1280x720',
		});
		let job = (await created.json()) as VideoJob;
		const progress = new Progress('video ');
		for (;;) {
			progress.update(job.status, job.progress_percent / 100);
			if (job.status === 'completed' || job.status === 'failed') break;
			await delay(pollMs);
			job = await client.json<VideoJob>(`/v1/videos/${job.id}`);
		}
		progress.end();
		if (job.status === 'failed') throw new Error(`the video failed: ${job.error?.message}`);
		const bytes = await client.bytes(`/v1/videos/${job.id}/content`);
		await client.delete(`/v1/videos/${job.id}`);
		return { bytes, about: `H.264, 1280x720, 4 s: "${prompt}"` };
	},
};

const speech: DemoStep = {
	kind: 'speech',
	file: 'speech.wav',
	async run(client, model) {
		const input = 'This is Plinth. Everything that you see and hear was made on your own machine.';
		const progress = new Progress('speech');
		progress.update('speaking', 0);
		const answer = await client.post('/v1/audio/speech', {
			model,
			input,
			voice: 'nova',
			response_format: 'wav',
		});
		const bytes = new Uint8Array(await answer.arrayBuffer());
		progress.update('completed', 1);
		progress.end();
		return { bytes, about: `spoken: "${input}"` };
	},
};

/** What the demo shows, in this order. */
export const steps: readonly DemoStep[] = [video, speech];
