import { type Clock, type Logger, mediaTypeOf, modelError, orAbort } from '@plinth/core';
import { isOutage } from './failure.ts';
import type { HistoryEntry, Server } from './server.ts';

/** Maximum bytes of a picture. */
const pictureBytes = 268_435_456;

/** Milliseconds before an interrupted download is resumed. */
const resumeMs = 500;

/** The surroundings of a download. */
export interface DownloadTools {
	readonly signal: AbortSignal;
	readonly log: Logger;
	readonly clock: Clock;
	/** Maximum milliseconds without progress. */
	readonly timeoutMs: number;
}

/** The members of an output that hold files: `SaveVideo` reports under `images`, others under `gifs` or `video`. */
const members = { picture: ['images'], video: ['video', 'videos', 'gifs', 'images'] } as const;

/** The query of the first file that a node has saved. Throws when there is none. */
export function fileOf(outputs: HistoryEntry['outputs'], node: string, kind: keyof typeof members): string {
	const output = outputs[node] ?? {};
	const found = members[kind].map((name) => [output[name]].flat()[0] as Record<string, unknown> | undefined);
	const { filename, subfolder = '', type = 'output' } = found.find((file) => file?.filename) ?? {};
	if (!filename) throw modelError('The workflow has saved no file.');
	if (kind === 'picture' && [output.animated].flat().includes(true)) {
		throw modelError('The workflow has made an animation in place of a picture.');
	}
	return `${new URLSearchParams({ filename: `${filename}`, subfolder: `${subfolder}`, type: `${type}` })}`;
}

/** A saved picture. Rejects for a file that is no PNG, JPEG or WebP. */
export async function fetchPicture(server: Server, file: string, signal: AbortSignal, keepMetadata: boolean) {
	const { body } = await server.open(file, 0, signal);
	const bytes = await orAbort(signal, server.whole(body, pictureBytes));
	const mediaType: string = await mediaTypeOf(bytes);
	if (mediaType !== 'image/png' && mediaType !== 'image/jpeg' && mediaType !== 'image/webp') {
		throw modelError('The workflow has saved a file that is no PNG, JPEG or WebP.');
	}
	return { body: mediaType === 'image/png' && !keepMetadata ? withoutText(bytes) : bytes, mediaType } as const;
}

/**
 * A PNG without its text chunks (PNG, third edition, §5.3): ComfyUI writes the whole workflow into them. The bytes
 * before a chunk move over it, in place: usually these are the few of the header.
 */
export function withoutText(png: Buffer): Buffer {
	let start = 0;
	for (let at = 8; at + 12 <= png.length; ) {
		const end = at + 12 + png.readUInt32BE(at);
		if (end <= png.length && /^(?:tEXt|[iz]TXt|eXIf)$/.test(png.toString('latin1', at + 4, at + 8))) {
			png.copyWithin(start + end - at, start, at);
			start += end - at;
		}
		at = end;
	}
	return png.subarray(start);
}

/** A saved video in chunks; an interrupted download goes on where it broke off. Rejects for a file that is no MP4. */
export async function* downloadVideo(
	server: Server,
	file: string,
	{ signal, log, clock, timeoutMs }: DownloadTools,
): AsyncGenerator<Uint8Array> {
	let done = 0;
	let progressAt = clock.now();
	for (;;) {
		const from = done;
		try {
			const answer = await server.open(file, from, signal);
			let skip = answer.statusCode === 206 ? 0 : from;
			for await (const chunk of answer.body as AsyncIterable<Buffer>) {
				const fresh = chunk.subarray(skip);
				skip = Math.max(0, skip - chunk.length);
				if (fresh.length === 0) continue;
				if (done === 0) await checkMp4(fresh);
				done += fresh.length;
				yield fresh;
			}
			return;
		} catch (error) {
			signal.throwIfAborted();
			const isBroken = isOutage(error) || (error as NodeJS.ErrnoException).code?.startsWith('UND_ERR');
			if (done > from) progressAt = clock.now();
			// A server that restarts keeps its files.
			const isOver = clock.now() - progressAt >= timeoutMs;
			if (!isBroken || isOver) throw isBroken ? server.unavailable(error) : error;
			log.info({ bytes: done }, 'the download of a video broke off and goes on');
			await orAbort(signal, new Promise<void>((resolve) => void clock.after(resumeMs, resolve)));
		}
	}
}

async function checkMp4(head: Buffer): Promise<void> {
	if (head.length < 12 || head.toString('latin1', 4, 8) === 'ftyp') return;
	const found = await mediaTypeOf(head);
	throw modelError(`The workflow has saved a file that is ${found}, not video/mp4. Have its output node save MP4.`);
}
