import type { Clock, Logger } from '@plinth/core';
import { invalidResponse, statusOf } from '../upstream/failure.ts';
import type { UpstreamResponse } from '../upstream/response.ts';
import { pause } from '../upstream/retry.ts';

/** Maximum bytes of a video. */
export const videoBytes = 2_147_483_648;
/** How often a download is repeated while the file is not ready, and the milliseconds between. */
const notReadyTries = 10;
const notReadyMs = 2_000;

/** Dependencies of a download. */
export interface DownloadOptions {
	readonly clock: Clock;
	readonly log: Logger;
	readonly signal: AbortSignal;
	/** How often an interrupted download is resumed without progress. */
	readonly retries: number;
}

/** Requests the file of a video. A `range` header may state the first byte. */
export type OpenFile = (headers: Readonly<Record<string, string>>) => Promise<UpstreamResponse>;

/** The file of a completed video, in chunks. An interrupted download is resumed, because the video is paid for. */
export async function* download(open: OpenFile, options: DownloadOptions): AsyncGenerator<Uint8Array> {
	const { signal, retries, log } = options;
	let done = 0;
	for (let tries = 1; ; tries++) {
		const answer = await contentOf(open, done, options);
		if (!answer) return;
		const from = done;
		let skip = from - startOf(answer, from);
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
			// Only attempts without progress count.
			if (done > from) tries = 1;
			if (tries > retries) throw error;
			log.info({ bytes: done, tries }, 'the download of a video was interrupted and is resumed');
		}
	}
}

/** The first byte of a response: 0 without a range, else that of `content-range` (RFC 9110 §14.4). */
function startOf(answer: UpstreamResponse, from: number): number {
	if (answer.status !== 206) return 0;
	const stated = /^bytes (\d{1,15})-/.exec(answer.headers['content-range'] ?? '')?.[1];
	const start = stated === undefined ? from : Number(stated);
	if (start <= from) return start;
	answer.discard();
	throw invalidResponse(answer.where, 'left out a part of a video');
}

/** Undefined: no bytes are left. Some servers complete a video before its file, and send 404, 409 or 425 until then. */
async function contentOf(
	open: OpenFile,
	from: number,
	{ clock, signal }: DownloadOptions,
): Promise<UpstreamResponse | undefined> {
	for (let tries = 1; ; tries++) {
		try {
			return await open(from > 0 ? { range: `bytes=${from}-` } : {});
		} catch (error) {
			// All bytes have arrived; only the end of the stream was lost.
			if (from > 0 && statusOf(error) === 416) return undefined;
			const isEarly = [404, 409, 425].includes(statusOf(error) ?? 0);
			if (!isEarly || tries > notReadyTries) throw error;
			await pause(clock, notReadyMs, signal);
		}
	}
}
