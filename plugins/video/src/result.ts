import { type BlobStore, type JobRun, modelError } from '@plinth/core';
import { checkedMp4, matchesMediaType } from './container-format.ts';
import { withoutMetadata } from './metadata.ts';
import type { VideoPoster, VideoResult, VideoSpritesheet } from './model.ts';
import type { StoredFile, VideoOutput } from './record.ts';

/** Validates the result of a model, which may be written in JavaScript. The messages tell its author what to fix. */
export function checkResult(id: string, result: Partial<VideoResult> | undefined): void {
	const body = result?.body as object | undefined;
	const isBody = body instanceof Uint8Array || (typeof body === 'object' && Symbol.asyncIterator in body);
	if (!isBody) {
		throw modelError(
			`The model ${id} must return { body, mediaType } with bytes or an async iterable of bytes as body.`,
		);
	}
	if (result?.mediaType !== 'video/mp4') {
		throw modelError(`The model ${id} returned ${result?.mediaType ?? 'no media type'}, not video/mp4.`);
	}
}

/** Dependencies of {@link storeResult}. */
export interface ResultTarget {
	readonly blobs: BlobStore;
	/** The blob key of a file of this call. */
	keyOf(name: string): string;
	readonly signal: AbortSignal;
	readonly log: JobRun['log'];
}

/** Stores a result. On failure, deletes the blobs that were stored. */
export async function storeResult(result: VideoResult, target: ResultTarget): Promise<VideoOutput> {
	const { blobs, signal, log } = target;
	const stored: string[] = [];
	const store = async (name: string, body: VideoResult['body'], mediaType: string) => {
		const key = target.keyOf(name);
		stored.push(key);
		const { size, sha256 } = await blobs.put(key, body, { contentType: mediaType, signal });
		return { key, mediaType, size, sha256 };
	};
	try {
		const mp4 = checkedMp4(result.body);
		const video = await store('video.mp4', result.dropMetadata ? withoutMetadata(mp4) : mp4, 'video/mp4');
		const poster = result.poster ? await storePicture('poster', result.poster, store, log) : null;
		const sheet = result.spritesheet;
		const spritesheet = sheet ? await storePicture('spritesheet', sheet, store, log) : null;
		signal.throwIfAborted();
		return { video, poster, spritesheet, warnings: [...(result.warnings ?? [])] };
	} catch (error) {
		await blobs
			.delete(stored)
			.catch((err: unknown) => log.warn({ err }, 'the bytes of a failed call remain until the sweep'));
		throw error;
	}
}

/** Stores a picture of the video. A picture whose bytes do not match its media type is left out. */
async function storePicture(
	name: 'poster' | 'spritesheet',
	picture: VideoPoster | VideoSpritesheet,
	store: (name: string, body: Uint8Array, mediaType: string) => Promise<StoredFile>,
	log: JobRun['log'],
): Promise<StoredFile | null> {
	const { mediaType, body } = picture;
	if (!matchesMediaType(picture)) {
		log.warn({ media_type: mediaType }, `the ${name} of a video does not match its media type; it is left out`);
		return null;
	}
	return store(`${name}.${mediaType.slice('image/'.length)}`, body, mediaType);
}
