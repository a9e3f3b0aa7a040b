import { defineErrors } from '@plinth/core';

const notFound = { status: 404, type: 'invalid_request_error' } as const;
const badRequest = { status: 400, type: 'invalid_request_error' } as const;
// Clients retry by status alone, and a retry would not change these responses.
const noRetry = { 'x-should-retry': 'false' } as const;

/** Every coded error of the video plugin. Unknown and foreign ids share one row, so that ids cannot be probed. */
export const videoErrors = defineErrors({
	E_VIDEO_NOT_FOUND: { ...notFound, code: 'video_not_found', message: 'There is no such video.' },
	E_VIDEO_NOT_READY: {
		...notFound,
		code: 'video_not_ready',
		message: 'The video is not completed, so it has no content.',
		headers: noRetry,
	},
	E_VIDEO_EXPIRED: {
		...notFound,
		code: 'video_expired',
		message: 'The content of the video has expired and was deleted.',
		remedy: 'Create the video again.',
		headers: noRetry,
	},
	E_VIDEO_CONTENT_MISSING: {
		...notFound,
		code: 'video_content_missing',
		message: 'The content of the video is no longer in the storage of this server.',
		remedy: 'Create the video again.',
		headers: noRetry,
	},
	E_VIDEO_THUMBNAIL_NOT_FOUND: {
		...notFound,
		code: 'thumbnail_not_found',
		message: 'The model made no thumbnail for this video.',
		headers: noRetry,
	},
	// One error for malformed, unsigned and unknown URLs, so that clients cannot probe.
	E_VIDEO_LINK_UNKNOWN: {
		...notFound,
		code: 'video_not_found',
		message: 'There is no such video, or its URL is incomplete.',
		headers: noRetry,
	},
	E_VIDEO_LINK_EXPIRED: {
		...notFound,
		code: 'video_link_expired',
		message: 'The URL of the video has expired.',
		remedy: 'Get the video again: the response has a new URL.',
		headers: noRetry,
	},
	E_VIDEO_SPRITESHEET_NOT_FOUND: {
		...notFound,
		code: 'spritesheet_not_found',
		message: 'The model made no spritesheet for this video.',
		headers: noRetry,
	},
	E_VIDEO_NOT_COMPLETED: {
		...badRequest,
		code: 'video_not_completed',
		message: 'Only a completed video can be remixed.',
	},
	E_VIDEO_REFERENCE_EXPIRED: {
		...notFound,
		code: 'reference_expired',
		message: 'The picture that the video started from has expired, so the video cannot be remixed.',
		remedy: 'Create a new video and send the picture again.',
		headers: noRetry,
	},
});
