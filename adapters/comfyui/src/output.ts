import { mediaTypeOf, modelError, orAbort } from '@plinth/core';
import { withoutText, withoutUserData } from './metadata.ts';
import type { Surroundings, Work } from './run.ts';
import { type HistoryEntry, isOutage, type Server } from './server.ts';

/** Maximum bytes of a picture. */
const pictureBytes = 268_435_456;

/** Milliseconds before an interrupted download is resumed. */
const resumeMs = 500;

/** A file that a server has saved. */
export interface SavedFile {
	readonly server: Server;
	readonly query: string;
}

/** The members of an output that hold files: `SaveVideo` reports under `images`, others under `gifs` or `video`. */
const members = { picture: ['images'], video: ['video', 'videos', 'gifs', 'images'] } as const;

/** The query of the first file that a node has saved. Throws when there is none. */
export function fileOf(outputs: HistoryEntry['outputs'], node: string, kind: Work['makes']): string {
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

/** A saved video in chunks. */
export function fetchVideo(file: SavedFile, around: Surroundings, keepMetadata: boolean): AsyncIterable<Buffer> {
	const chunks = download(file, around);
	return keepMetadata ? chunks : withoutUserData(chunks);
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
			if (statusCode !== (from > 0 ? 206 : 200)) {
				body.destroy();
				throw server.failed(`/view answered ${statusCode}`);
			}
			for await (const chunk of body as AsyncIterable<Buffer>) {
				done += chunk.length;
				yield chunk;
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
