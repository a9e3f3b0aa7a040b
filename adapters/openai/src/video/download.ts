import type { Clock, Logger } from '@plinth/core';
import type { UpstreamAnswer } from '../upstream/answer.ts';
import type { Upstream } from '../upstream/client.ts';
import { statusBehind } from '../upstream/failure.ts';
import { pause } from '../upstream/retry.ts';

/** Most bytes of a video. */
export const videoBytes = 2_147_483_648;
/** How often a server is asked again that does not have the file yet, and how long it is given each time, in milliseconds. */
const notReadyTries = 10;
const notReadyMs = 2_000;

/** What a download needs. */
export interface DownloadOptions {
	readonly upstream: Upstream;
	readonly clock: Clock;
	readonly log: Logger;
	readonly signal: AbortSignal;
	/** How often it is taken up again when it breaks off. */
	readonly retries: number;
}

/** The file of a completed video as it comes. What breaks off is taken up where it was: the video has been paid for. */
export async function* download(id: string, options: DownloadOptions): AsyncGenerator<Uint8Array> {
	const { signal, retries, log } = options;
	let done = 0;
	for (let tries = 1; ; tries++) {
		const answer = await contentOf(id, done, options);
		// Who knows no ranges begins again.
		let skip = answer.status === 206 ? 0 : done;
		try {
			for await (const chunk of answer.chunks(videoBytes)) {
				const fresh = chunk.subarray(skip);
				skip = Math.max(0, skip - chunk.length);
				done += fresh.length;
				if (fresh.length > 0) yield fresh;
			}
			return;
		} catch (error) {
			if (signal.aborted) throw signal.reason;
			if (tries > retries) throw error;
			log.info({ bytes: done, tries }, 'the download of a video broke off and is taken up again');
		}
	}
}

/** Some servers say that a video is completed before its file is there: 404, 409 and 425 then mean "not yet". */
async function contentOf(
	id: string,
	from: number,
	{ upstream, clock, signal }: DownloadOptions,
): Promise<UpstreamAnswer> {
	for (let tries = 1; ; tries++) {
		try {
			return await upstream.send({
				method: 'GET',
				path: `/videos/${encodeURIComponent(id)}/content`,
				headers: from > 0 ? { range: `bytes=${from}-` } : {},
				signal,
			});
		} catch (error) {
			const isEarly = [404, 409, 425].includes(statusBehind(error) ?? 0);
			if (!isEarly || tries > notReadyTries) throw error;
			await pause(clock, notReadyMs, signal);
		}
	}
}
