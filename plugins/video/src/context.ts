import {
	type BlobStore,
	type Call,
	errorFrom,
	isJobId,
	isPlinthError,
	type Job,
	type Jobs,
	type Models,
	Reply,
} from '@plinth/core';
import type { FileSources, ImageCodec, JobCallbacks } from '@plinth/toolkit';
import { videoErrors } from './errors.ts';
import type { VideoLinks } from './links.ts';
import type { VideoModel } from './model.ts';
import type { VideoOptions } from './options.ts';
import { toVideo, type Video } from './wire.ts';

/** The kind of the plugin's jobs, and the prefix of their ids. */
export const jobKind = 'video';

/** Dependencies of the routes. */
export interface VideoContext {
	readonly options: VideoOptions;
	readonly jobs: Jobs;
	readonly models: Models<VideoModel>;
	readonly blobs: BlobStore;
	readonly images: ImageCodec;
	/** Sources of the files and pictures that requests reference. */
	readonly sources: FileSources;
	/** Undefined when no plugin sends callbacks. */
	readonly callbacks: JobCallbacks | undefined;
	/** Undefined when the server keeps no records, which hold the signing key. */
	readonly links: VideoLinks | undefined;
}

/** The base of signed URLs. */
type UrlBase = Pick<Call, 'publicUrl'>;

/** Reads one video's record. Malformed, unknown and foreign ids throw the same `E_VIDEO_NOT_FOUND`. */
export async function findVideo({ jobs }: VideoContext, tenant: string, id: string): Promise<Job> {
	return withVideoErrors(id, () => jobs.get(tenant, id));
}

/** Runs a job operation on an id that a client sent. Maps an unknown job to `E_VIDEO_NOT_FOUND`. */
export async function withVideoErrors<T>(id: string, operation: () => Promise<T>): Promise<T> {
	if (!isJobId(jobKind, id)) throw errorFrom(videoErrors, 'E_VIDEO_NOT_FOUND');
	try {
		return await operation();
	} catch (error) {
		if (isPlinthError(error) && error.code === 'E_JOB_NOT_FOUND') {
			throw errorFrom(videoErrors, 'E_VIDEO_NOT_FOUND');
		}
		throw error;
	}
}

/** The video object of a job, with the signed URL of a completed video. */
export async function videoOf({ options, links }: VideoContext, job: Job, { publicUrl }: UrlBase): Promise<Video> {
	const url = await links?.urlOf(job, publicUrl);
	return { ...toVideo(job, options.progressScale), ...(url === undefined ? {} : { url }) };
}

/** Responds with a video object. While the job is pending, a header suggests the polling interval. */
export async function videoReply(context: VideoContext, job: Job, call: UrlBase): Promise<Reply> {
	const pending = job.status === 'queued' || job.status === 'in_progress';
	return Reply.json(await videoOf(context, job, call), {
		headers: pending ? { 'openai-poll-after-ms': String(context.options.pollAfterMs) } : {},
	});
}

/**
 * Responds to a request that created a video, or replayed an earlier one. The header `idempotent-replayed`
 * marks a replay.
 */
export async function createdReply(
	context: VideoContext,
	{ job, replayed }: { readonly job: Job; readonly replayed: boolean },
	call: UrlBase,
): Promise<Reply> {
	const reply = await videoReply(context, job, call);
	if (!replayed) return reply;
	return { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } };
}
