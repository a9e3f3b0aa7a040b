import { defineRoute, errorFrom, errors, Reply, type Route } from '@plinth/core';
import { redirectToBlob } from '@plinth/toolkit';
import { z } from 'zod';
import type { VideoContext } from '../context.ts';
import { videoErrors } from '../errors.ts';
import type { VideoLinks } from '../links.ts';
import { stored } from './content.ts';

const params = z.object({
	name: z.string().meta({ description: 'The name in the `url` of a video.' }),
});
// Not validated here: an invalid signature must respond like an unknown name.
const query = z.object({
	signature: z
		.unknown()
		.meta({
			description: 'The signature in the `url` of a video; without it the response is 404.',
			override: { type: 'string' },
		})
		.optional(),
});

/** `GET /v1/videos/results/{name}`: a video, for anyone with its URL, until the URL expires. */
export function videoResult({ blobs }: Pick<VideoContext, 'blobs'>, links: VideoLinks): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/videos/results/{name}',
		scope: 'public',
		summary: 'Download a video by its URL',
		description: 'Serves the `url` of a completed video. It needs no key and works for a limited time.',
		params,
		query,
		response: { description: 'The bytes.', mediaTypes: ['video/mp4'], ranges: true },
		errors: [videoErrors.E_VIDEO_LINK_UNKNOWN, videoErrors.E_VIDEO_LINK_EXPIRED, errors.E_STORE_UNAVAILABLE],
		async handler({ params: { name }, query: { signature } }) {
			const { key, completedAt, remainingMs } = await links.read(name, signature);
			const missing = () => errorFrom(videoErrors, 'E_VIDEO_LINK_UNKNOWN');
			const redirect = await redirectToBlob(blobs, key, { contentType: 'video/mp4' }, missing);
			if (redirect) return redirect;
			const info = await blobs.head(key);
			// The error for a deleted video is the one for an unknown name.
			if (!info) throw missing();
			return Reply.binary(stored(blobs, info, 'E_VIDEO_LINK_UNKNOWN'), {
				mediaType: 'video/mp4',
				etag: info.etag,
				ranges: true,
				headers: {
					'cache-control': `private, max-age=${Math.floor(remainingMs / 1000)}`,
					// Other sites may embed the video.
					'cross-origin-resource-policy': 'cross-origin',
					'last-modified': new Date(completedAt).toUTCString(),
				},
			});
		},
	});
}
