import { mediaTypeOf, modelError, orAbort } from '@plinth/core';
import { isOutage } from './failure.ts';
import { withoutText, withoutUserData } from './metadata.ts';
import type { HistoryEntry } from './prompt.ts';
import type { Surroundings } from './run.ts';
import type { Server } from './server.ts';

/** Maximum bytes of a picture. */
const pictureBytes = 268_435_456;

/** Milliseconds before an interrupted download is resumed. */
const resumeMs = 500;

/** What a workflow makes. */
export type OutputKind = 'picture' | 'video';

/** A file that a server has saved. */
export interface SavedFile {
	readonly server: Server;
	readonly query: string;
}

/** The members of an output that hold files: `SaveVideo` reports under `images`, others under `gifs` or `video`. */
const members = { picture: ['images'], video: ['video', 'videos', 'gifs', 'images'] } as const;

/** The query of the first file that a node has saved. Throws when there is none. */
export function fileOf(outputs: HistoryEntry['outputs'], node: string, kind: OutputKind): string {
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
export async function fetchPicture(file: SavedFile, around: Surroundings, keepMetadata: boolean) {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of download(file, around)) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > pictureBytes) throw modelError(`The workflow has saved a picture of more than ${pictureBytes} bytes.`);
	}
	const bytes = Buffer.concat(chunks, length);
	const mediaType: string = await mediaTypeOf(bytes);
	if (mediaType !== 'image/png' && mediaType !== 'image/jpeg' && mediaType !== 'image/webp') {
		throw modelError('The workflow has saved a file that is no PNG, JPEG or WebP.');
	}
	return { body: keepMetadata ? bytes : withoutText(bytes, mediaType), mediaType } as const;
}

/** A saved video in chunks. Rejects for a file that is no MP4. */
export function fetchVideo(file: SavedFile, around: Surroundings, keepMetadata: boolean): AsyncIterable<Buffer> {
	const chunks = checkedMp4(download(file, around));
	return keepMetadata ? chunks : withoutUserData(chunks);
}

async function* checkedMp4(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let isChecked = false;
	for await (const chunk of chunks) {
		if (!isChecked && chunk.toString('latin1', 4, 8) !== 'ftyp') {
			const found = await mediaTypeOf(chunk);
			throw modelError(`The workflow has saved a file that is ${found}, not video/mp4. Have its output node save MP4.`);
		}
		isChecked = true;
		yield chunk;
	}
}

/** A saved file in chunks; an interrupted download goes on where it broke off. */
async function* download({ server, query }: SavedFile, { signal, log }: Surroundings): AsyncGenerator<Buffer> {
	const { clock, timeoutMs } = server;
	let done = 0;
	let progressAt = clock.now();
	for (;;) {
		const from = done;
		try {
			const { statusCode, body } = await server.send(`/view?${query}`, { from, signal });
			if (statusCode !== 200 && statusCode !== 206) {
				body.destroy();
				throw server.failed(`/view answered ${statusCode}`);
			}
			let skip = statusCode === 206 ? 0 : from;
			for await (const chunk of body as AsyncIterable<Buffer>) {
				const fresh = chunk.subarray(skip);
				skip = Math.max(0, skip - chunk.length);
				done += fresh.length;
				if (fresh.length > 0) yield fresh;
			}
			return;
		} catch (error) {
			signal.throwIfAborted();
			const isBroken = isOutage(error) || (error as NodeJS.ErrnoException).code?.startsWith('UND_ERR');
			if (done > from) progressAt = clock.now();
			// A server that restarts keeps its files.
			const isOver = clock.now() - progressAt >= timeoutMs;
			if (!isBroken || isOver) throw isBroken ? server.unavailable(error) : error;
			log.info({ bytes: done }, 'the download of a file broke off and goes on');
			await orAbort(signal, new Promise<void>((resolve) => void clock.after(resumeMs, resolve)));
		}
	}
}
