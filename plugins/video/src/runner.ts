import {
	type BlobStore,
	errorFrom,
	type Job,
	type JobDefinition,
	type JobOutcome,
	type JobRun,
	type Models,
	modelError,
} from '@plinth/core';
import { checkedMp4, isHonestPoster } from './container-format.ts';
import { videoErrors } from './errors.ts';
import type {
	MediaInput,
	VideoModel,
	VideoPoster,
	VideoRequest,
	VideoResult,
	VideoRun,
} from './model.ts';
import type { VideoOptions } from './options.ts';
import { inputOf, type StoredFile, type VideoInput, type VideoOutput } from './record.ts';
import { seedOf } from './seed.ts';

/** What rendering needs. */
export interface RunnerContext {
	readonly options: VideoOptions;
	readonly models: Models<VideoModel>;
	readonly blobs: BlobStore;
}

/** Renders video jobs: asks the model that the job names, and stores what it makes. */
export function videoRunner(context: RunnerContext): JobDefinition {
	const { models, options } = context;
	return {
		maxAttempts: options.maxAttempts,
		run: (job, run) => render(context, job, run),
		async cancel(job) {
			if (job.checkpoint !== null) await models.get(job.model).model.cancel?.(job.checkpoint);
		},
	};
}

async function render(context: RunnerContext, job: Job, run: JobRun): Promise<JobOutcome> {
	const { models, blobs, options } = context;
	// A model that left the config since the job was accepted throws here, and the job fails as model_not_found.
	const { id, model } = models.get(job.model);
	const input = inputOf(job);
	const made = await model.generate(toRequest(input, blobs), toRun(run, seedOf(id, input)));
	checkResult(id, made);
	const { signal } = run;
	const video = await store(blobs, run.blobKey('video.mp4'), checkedMp4(made.body), {
		contentType: 'video/mp4',
		signal,
	});
	const output: VideoOutput = {
		video,
		poster: made.poster ? await storePoster(blobs, run, made.poster) : null,
		warnings: [...(made.warnings ?? [])],
	};
	return { result: output, retentionMs: Math.round(options.retentionHours * 3_600_000) };
}

/** Models may be written in JavaScript: what they return wrongly is said in words that help their author. */
function checkResult(id: string, made: Partial<VideoResult> | undefined): void {
	const body = made?.body as object | undefined;
	const isBody =
		body instanceof Uint8Array || (typeof body === 'object' && Symbol.asyncIterator in body);
	if (!isBody) {
		throw modelError(
			`The model ${id} must return { body, mediaType } with bytes or an async iterable of bytes as body.`,
		);
	}
	if (made?.mediaType !== 'video/mp4') {
		throw modelError(
			`The model ${id} returned ${made?.mediaType ?? 'no media type'}, not video/mp4.`,
		);
	}
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

function toRun(run: JobRun, seed: number): VideoRun {
	return {
		signal: run.signal,
		progress: (fraction) => run.progress(fraction),
		checkpoint: (token) => run.checkpoint(token),
		...(run.resume === undefined ? {} : { resume: run.resume }),
		seed,
		log: run.log,
	};
}

/** A poster is an extra: one that lies about its format is left out, and the video stays. */
async function storePoster(
	blobs: BlobStore,
	run: JobRun,
	poster: VideoPoster,
): Promise<StoredFile | null> {
	const { mediaType, body } = poster;
	if (!isHonestPoster(poster)) {
		run.log.warn({ media_type: mediaType }, 'the poster of a video is not what it says; left out');
		return null;
	}
	const key = run.blobKey(mediaType === 'image/png' ? 'poster.png' : 'poster.webp');
	return store(blobs, key, body, { contentType: mediaType, signal: run.signal });
}

async function store(
	blobs: BlobStore,
	key: string,
	body: Uint8Array | AsyncIterable<Uint8Array>,
	options: { readonly contentType: string; readonly signal: AbortSignal },
): Promise<StoredFile> {
	const { size, sha256 } = await blobs.put(key, body, options);
	return { key, mediaType: options.contentType, size, sha256 };
}
