import { setTimeout as delay } from 'node:timers/promises';
import { type DemoClient, eventsOf } from './client.ts';
import { Progress } from './progress.ts';

/** One capability shown once. */
export interface DemoStep {
	/** The kind of model it needs; without one of these it is left out. */
	readonly kind: string;
	/** What is written. */
	readonly file: string;
	/** Runs it against a model and returns the bytes and a sentence about them. `made` holds what earlier steps wrote, by file. */
	run(
		client: DemoClient,
		model: string,
		made: ReadonlyMap<string, Uint8Array>,
	): Promise<{ bytes: Uint8Array; about: string }>;
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

const image: DemoStep = {
	kind: 'image',
	file: 'image.png',
	async run(client, model) {
		const prompt = 'A castle in the mountains at dusk, birds over a lake';
		const fields = { model, prompt, size: '1536x1024', stream: true, partial_images: 3 };
		const answer = await client.post('/v1/images/generations', fields);
		return { bytes: await lastPicture('image ', answer), about: `1536x1024: ${prompt}` };
	},
};

const edit: DemoStep = {
	kind: 'image',
	file: 'edited.png',
	async run(client, model, made) {
		const prompt = 'warm, vignette, white border 24, add text "Wish you were here" at the bottom';
		const form = new FormData();
		const fields = { model, prompt, stream: 'true', partial_images: '3' };
		for (const [name, value] of Object.entries(fields)) form.set(name, value);
		form.set('image', new Blob([Uint8Array.from(made.get(image.file) ?? [])]), image.file);
		const answer = await client.post('/v1/images/edits', form);
		return { bytes: await lastPicture('edit  ', answer), about: `${image.file}: ${prompt}` };
	},
};

interface ImageEvent {
	readonly type: string;
	readonly b64_json: string;
	readonly partial_image_index?: number;
}

/** Shows the unfinished pictures of a stream as progress, and returns the finished one. */
async function lastPicture(label: string, answer: Response): Promise<Uint8Array> {
	const progress = new Progress(label);
	progress.update('drawing', 0);
	let last: ImageEvent | undefined;
	for await (const event of eventsOf(answer)) {
		last = event as ImageEvent;
		const { partial_image_index: index } = last;
		if (index !== undefined) progress.update('drawing', (index + 1) / 4);
	}
	if (!last?.type.endsWith('.completed')) throw new Error('the stream ended without a picture');
	progress.update('completed', 1);
	progress.end();
	return Buffer.from(last.b64_json, 'base64');
}

/** What the demo shows, in this order. */
export const steps: readonly DemoStep[] = [video, image, edit, speech];
