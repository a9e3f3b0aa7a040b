import { type Clock, errorFrom, type Job } from '@plinth/core';
import { isSignedName, type SigningKey, signName } from '@plinth/toolkit';
import { videoErrors } from './errors.ts';
import { outputOf } from './record.ts';

/** The address of a video: the key of its blob, and when the video was completed. */
export interface VideoLink {
	readonly key: string;
	/** Milliseconds since the Unix epoch. */
	readonly completedAt: number;
	/** The remaining lifetime of the link, in milliseconds. */
	readonly remainingMs: number;
}

/** Dependencies of {@link VideoLinks}. */
export interface VideoLinkOptions {
	readonly key: SigningKey;
	readonly clock: Clock;
	/** Shortest lifetime of a link, in milliseconds. */
	readonly ttlMs: number;
}

/**
 * Signed URLs of videos, which need no API key. A link works for `ttlMs` to twice as long, and never longer than the
 * content. Within `ttlMs` a video keeps its URL, so that players do not load the video again.
 */
export class VideoLinks {
	readonly #options: VideoLinkOptions;

	constructor(options: VideoLinkOptions) {
		this.#options = options;
	}

	/** The URL of a job's video; undefined while there is none, and once it has expired. */
	async urlOf(job: Job, publicUrl: string): Promise<string | undefined> {
		const { clock, ttlMs, key } = this.#options;
		const { completedAt, expiresAt, expired } = job;
		const output = outputOf(job);
		if (!output || completedAt === null || expired) return undefined;
		const end = Math.floor((Math.floor(clock.now() / ttlMs) + 2) * ttlMs);
		const times = [Math.min(end, expiresAt ?? end), completedAt].map((time) => time.toString(16).padStart(12, '0'));
		// A blob key has no tilde.
		const name = [...times, output.video.key.replaceAll('/', '~')].join('-');
		return `${publicUrl}/v1/videos/results/${name}?signature=${signName(await key(), name)}`;
	}

	/** Reads a link. Throws `E_VIDEO_LINK_UNKNOWN` for an invalid signature, `E_VIDEO_LINK_EXPIRED` after the expiry. */
	async read(name: string, signature: unknown): Promise<VideoLink> {
		const { clock, key } = this.#options;
		const [, end, completed, blob] = /^([0-9a-f]{12})-([0-9a-f]{12})-(.+)$/.exec(name) ?? [];
		if (!end || !completed || !blob || !isSignedName(await key(), name, signature)) {
			throw errorFrom(videoErrors, 'E_VIDEO_LINK_UNKNOWN');
		}
		const remainingMs = Number.parseInt(end, 16) - clock.now();
		if (remainingMs <= 0) throw errorFrom(videoErrors, 'E_VIDEO_LINK_EXPIRED');
		return { key: blob.replaceAll('~', '/'), completedAt: Number.parseInt(completed, 16), remainingMs };
	}
}
