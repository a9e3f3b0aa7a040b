import {
	type BlobInfo,
	type BlobStore,
	type ByteSource,
	defineRoute,
	errorFrom,
	errors,
	Reply,
	type Route,
} from '@plinth/core';
import { isSignedName } from '@plinth/toolkit';
import { z } from 'zod';
import type { ImageContext } from '../context.ts';
import { imageErrors } from '../errors.ts';
import { readName, storedPrefix } from '../links/url-names.ts';

const params = z.object({
	name: z.string().meta({ description: 'The name in the URL of a response.' }),
});
// Not validated here: an invalid signature must respond like an unknown name.
const query = z.object({
	signature: z
		.unknown()
		.meta({
			description: 'The signature in the URL; without it the response is 404.',
			override: { type: 'string' },
		})
		.optional(),
});

/** `GET /v1/images/results/{name}`: a stored picture, for anyone with its URL, until it expires. */
export function imageResult({ blobs, key, clock, options }: ImageContext): Route {
	return defineRoute({
		method: 'GET',
		path: '/v1/images/results/{name}',
		scope: 'public',
		summary: 'Download a picture',
		description: 'Serves the URLs of responses. They need no key and work for a limited time.',
		params,
		query,
		response: {
			description: 'The bytes.',
			mediaTypes: ['image/png', 'image/jpeg', 'image/webp'],
			ranges: true,
		},
		errors: [imageErrors.E_IMAGE_NOT_FOUND, imageErrors.E_IMAGE_EXPIRED, errors.E_STORE_UNAVAILABLE],
		async handler({ params: { name }, query: { signature } }) {
			const nameParts = readName(name);
			if (!nameParts || !isSignedName(await key(), name, signature)) throw notFound();
			// The sweep deletes expired pictures late, so the clock decides, not the presence of the bytes.
			const remainingMs = nameParts.expiresAt - clock.now();
			if (remainingMs <= 0) throw errorFrom(imageErrors, 'E_IMAGE_EXPIRED');
			// Not in the future, even if `urlMinutes` has been reduced since.
			const storedAt = Math.min(nameParts.expiresAt - options.urlMinutes * 60_000, clock.now());
			const info = await blobs.head(`${storedPrefix}${name}`);
			if (!info) throw notFound();
			return Reply.binary(stored(blobs, info), {
				mediaType: nameParts.mediaType,
				etag: info.etag,
				ranges: true,
				headers: {
					'cache-control': `private, max-age=${Math.floor(remainingMs / 1000)}`,
					// Other sites may embed the picture.
					'cross-origin-resource-policy': 'cross-origin',
					'last-modified': new Date(storedAt).toUTCString(),
				},
			});
		},
	});
}

function stored(blobs: BlobStore, { key, size }: BlobInfo): ByteSource {
	return {
		size,
		async open(range) {
			const blob = await blobs.get(key, range ? { range } : {});
			if (!blob) throw notFound();
			return blob.body;
		},
	};
}

function notFound(): Error {
	return errorFrom(imageErrors, 'E_IMAGE_NOT_FOUND');
}
