import {
	type BlobStore,
	type ByteSource,
	defineRoute,
	errorFrom,
	errors,
	type Job,
	Reply,
	type Route,
} from '@plinth/core';
import { redirectToBlob } from '@plinth/toolkit';
import { findVideo, type VideoContext } from '../context.ts';
import { videoErrors } from '../errors.ts';
import { contentQuery, idParams } from '../fields.ts';
import { outputOf, type StoredFile, type VideoOutput } from '../record.ts';

/** `GET /v1/videos/{id}/content`: the bytes, with single ranges and a strong entity tag. */
export function videoContent(context: VideoContext): Route {
	const { blobs } = context;
	return defineRoute({
		method: 'GET',
		path: '/v1/videos/{id}/content',
		scope: 'videos:read',
		summary: 'Download a video, its thumbnail or its spritesheet',
		params: idParams,
		query: contentQuery,
		response: {
			description: 'The bytes.',
			mediaTypes: ['video/mp4', 'image/png', 'image/webp', 'image/jpeg'],
			ranges: true,
		},
		errors: [
			errors.E_VALUE_INVALID,
			videoErrors.E_VIDEO_NOT_FOUND,
			videoErrors.E_VIDEO_NOT_READY,
			videoErrors.E_VIDEO_EXPIRED,
			videoErrors.E_VIDEO_CONTENT_MISSING,
			videoErrors.E_VIDEO_THUMBNAIL_NOT_FOUND,
			videoErrors.E_VIDEO_SPRITESHEET_NOT_FOUND,
			errors.E_STORE_UNAVAILABLE,
		],
		async handler({ params, query }, { principal }) {
			const job = await findVideo(context, principal.tenant, params.id);
			const output = readyOutput(job);
			// The sweep deletes expired files late, so the clock of the store decides, not the presence of the bytes.
			if (job.expired) throw errorFrom(videoErrors, 'E_VIDEO_EXPIRED');
			const file = fileOf(output, query.variant);
			const filename = `${job.id}.${extensions[file.mediaType] ?? 'bin'}`;
			const attachment = { filename, contentType: file.mediaType };
			const missing = () => errorFrom(videoErrors, 'E_VIDEO_CONTENT_MISSING');
			const redirect = await redirectToBlob(blobs, file.key, attachment, missing);
			if (redirect) return redirect;
			return Reply.binary(stored(blobs, file, 'E_VIDEO_CONTENT_MISSING'), {
				mediaType: file.mediaType,
				etag: file.sha256,
				filename,
				ranges: true,
				headers: job.completedAt === null ? {} : { 'last-modified': new Date(job.completedAt).toUTCString() },
			});
		},
	});
}

function fileOf(
	{ video, poster, spritesheet }: VideoOutput,
	variant: 'video' | 'thumbnail' | 'spritesheet',
): StoredFile {
	if (variant === 'video') return video;
	const file = variant === 'thumbnail' ? poster : spritesheet;
	const code = variant === 'thumbnail' ? 'E_VIDEO_THUMBNAIL_NOT_FOUND' : 'E_VIDEO_SPRITESHEET_NOT_FOUND';
	if (!file) throw errorFrom(videoErrors, code);
	return file;
}

function readyOutput(job: Job): VideoOutput {
	const output = outputOf(job);
	if (output) return output;
	const message =
		job.status === 'failed'
			? `The video failed (${job.error?.code ?? 'unknown'}), so it has no content.`
			: `The video is ${job.status}, not completed: poll GET /v1/videos/${job.id} until it is.`;
	throw errorFrom(videoErrors, 'E_VIDEO_NOT_READY', { message });
}

/**
 * A stored file as a byte source. The record has its size, so one read of the store suffices. `check`
 * detects missing bytes before the response head is sent; they have the error `code`.
 */
export function stored(
	blobs: BlobStore,
	{ key, size }: Pick<StoredFile, 'key' | 'size'>,
	code: 'E_VIDEO_CONTENT_MISSING' | 'E_VIDEO_LINK_UNKNOWN',
): ByteSource {
	const missing = () => errorFrom(videoErrors, code);
	return {
		size,
		async open(range) {
			const blob = await blobs.get(key, range ? { range } : {});
			if (!blob) throw missing();
			return blob.body;
		},
		async check() {
			if (!(await blobs.head(key))) throw missing();
		},
	};
}

const extensions: Readonly<Record<string, string>> = {
	'video/mp4': 'mp4',
	'image/png': 'png',
	'image/webp': 'webp',
	'image/jpeg': 'jpg',
};
