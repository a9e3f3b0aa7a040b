import { type BlobStore, errorFrom, type Job, type JobOutcome, type JobRun, type Models } from '@plinth/core';
import { videoErrors } from './errors.ts';
import type { MediaInput, VideoModel, VideoRequest } from './model.ts';
import type { VideoOptions } from './options.ts';
import { type PreviewContext, previewer } from './previews.ts';
import { inputOf, type StoredFile, type VideoInput } from './record.ts';
import { Rendering } from './rendering.ts';
import { seedOf } from './seed.ts';

/** Dependencies of rendering. */
export interface RunnerContext {
	readonly options: VideoOptions;
	readonly models: Models<VideoModel>;
	readonly blobs: BlobStore;
	/** Absent: the server has no event streams. */
	readonly previews?: PreviewContext | undefined;
}

/** One attempt at a job: renders the video, and stores the result. */
export async function render(context: RunnerContext, job: Job, run: JobRun): Promise<JobOutcome> {
	const { models, blobs, options, previews } = context;
	const input = inputOf(job);
	const request = toRequest(input, blobs);
	const rendering = new Rendering({
		models,
		blobs,
		job,
		run,
		request,
		seedFor: (id) => seedOf(id, input),
		preview: previews && previewer(previews, job),
	});
	return {
		result: await rendering.make(),
		retentionMs: Math.round(options.retentionHours * 3_600_000),
	};
}

function toRequest(input: VideoInput, blobs: BlobStore): VideoRequest {
	const [width = 0, height = 0] = input.size.split('x').map(Number);
	return {
		prompt: input.prompt,
		seconds: input.seconds,
		size: { width, height },
		...(input.reference ? { reference: toMedia(input.reference, blobs) } : {}),
		...(input.remixOf ? { remixOf: { prompt: input.remixOf.prompt } } : {}),
	};
}

function toMedia({ key, mediaType, size }: StoredFile, blobs: BlobStore): MediaInput {
	return {
		mediaType,
		size,
		async bytes() {
			const blob = await blobs.get(key);
			if (!blob) throw errorFrom(videoErrors, 'E_VIDEO_REFERENCE_EXPIRED');
			const chunks: Uint8Array[] = [];
			for await (const chunk of blob.body) chunks.push(chunk);
			return Buffer.concat(chunks);
		},
	};
}
