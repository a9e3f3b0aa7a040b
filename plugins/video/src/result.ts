import { type BlobStore, type JobRun, modelError } from '@plinth/core';
import { checkedMp4, isHonestPoster } from './container-format.ts';
import type { VideoPoster, VideoResult } from './model.ts';
import type { StoredFile, VideoOutput } from './record.ts';

/** Models may be written in JavaScript: what they return wrongly is said in words that help their author. */
export function checkResult(id: string, made: Partial<VideoResult> | undefined): void {
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

/** Where a result is stored. */
export interface Shelf {
	readonly blobs: BlobStore;
	/** The key of a file of this turn. */
	keyOf(name: string): string;
	readonly signal: AbortSignal;
	readonly log: JobRun['log'];
}

/** Stores what a model has made. What was stored when it fails is deleted again. */
export async function storeResult(made: VideoResult, shelf: Shelf): Promise<VideoOutput> {
	const { blobs, signal, log } = shelf;
	const stored: string[] = [];
	const store = async (name: string, body: VideoResult['body'], mediaType: string) => {
		const key = shelf.keyOf(name);
		stored.push(key);
		const { size, sha256 } = await blobs.put(key, body, { contentType: mediaType, signal });
		return { key, mediaType, size, sha256 };
	};
	try {
		const video = await store('video.mp4', checkedMp4(made.body), 'video/mp4');
		const poster = made.poster ? await storePoster(made.poster, store, log) : null;
		signal.throwIfAborted();
		return { video, poster, warnings: [...(made.warnings ?? [])] };
	} catch (error) {
		const deleted = await Promise.allSettled(stored.map((key) => blobs.delete(key)));
		for (const { reason: err } of deleted.filter(
			({ status }) => status === 'rejected',
		) as PromiseRejectedResult[]) {
			log.warn({ err }, 'the bytes of a failed turn stay until the sweep');
		}
		throw error;
	}
}

/** A poster is an extra: one that lies about its format is left out, and the video stays. */
async function storePoster(
	poster: VideoPoster,
	store: (name: string, body: Uint8Array, mediaType: string) => Promise<StoredFile>,
	log: JobRun['log'],
): Promise<StoredFile | null> {
	const { mediaType, body } = poster;
	if (!isHonestPoster(poster)) {
		log.warn({ media_type: mediaType }, 'the poster of a video is not what it says; left out');
		return null;
	}
	return store(mediaType === 'image/png' ? 'poster.png' : 'poster.webp', body, mediaType);
}
