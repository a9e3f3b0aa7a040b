import type { Clock, Logger } from '@plinth/core';
import type { UpstreamAnswer } from '../upstream/answer.ts';
import { brokenAnswer, statusBehind } from '../upstream/failure.ts';
import { pause } from '../upstream/retry.ts';

/** Most bytes of a video. */
export const videoBytes = 2_147_483_648;
/** How often a server is asked again that does not have the file yet, and the milliseconds between. */
const notReadyTries = 10;
const notReadyMs = 2_000;

/** What a download needs. */
export interface DownloadOptions {
	readonly clock: Clock;
	readonly log: Logger;
	readonly signal: AbortSignal;
	/** How often it is taken up again when it breaks off. */
	readonly retries: number;
}

/** Asks for the file of a video, with a header that says where to begin. */
export type OpenFile = (headers: Readonly<Record<string, string>>) => Promise<UpstreamAnswer>;

/** The file of a completed video as it comes. What breaks off is taken up where it was: the video has been paid for. */
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
			// Each part that came is paid for: only tries that bring nothing are counted.
			if (done > from) tries = 1;
			if (tries > retries) throw error;
			log.info({ bytes: done, tries }, 'the download of a video broke off and is taken up again');
		}
	}
}

/** Where an answer begins: at 0 without ranges, and with them not always where it was asked to (RFC 9110, §14.4). */
function startOf(answer: UpstreamAnswer, asked: number): number {
	if (answer.status !== 206) return 0;
	const said = /^bytes (\d{1,15})-/.exec(answer.headers['content-range'] ?? '')?.[1];
	const start = said === undefined ? asked : Number(said);
	if (start <= asked) return start;
	answer.discard();
	throw brokenAnswer(answer.where, 'left out a part of a video');
}

/** Undefined: nothing is left from there on. Some servers complete a video before its file: 404, 409, 425 till then. */
async function contentOf(
	open: OpenFile,
	from: number,
	{ clock, signal }: DownloadOptions,
): Promise<UpstreamAnswer | undefined> {
	for (let tries = 1; ; tries++) {
		try {
			return await open(from > 0 ? { range: `bytes=${from}-` } : {});
		} catch (error) {
			// All bytes had come, and only their end was lost.
			if (from > 0 && statusBehind(error) === 416) return undefined;
			const isEarly = [404, 409, 425].includes(statusBehind(error) ?? 0);
			if (!isEarly || tries > notReadyTries) throw error;
			await pause(clock, notReadyMs, signal);
		}
	}
}
