import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { isPlinthError, modelError, orAbort } from '@plinth/core';
import { pictureTypeOf, withoutText, withoutUserData } from './metadata.ts';
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
export async function fetchPicture(file: SavedFile, signal: AbortSignal, keepMetadata: boolean) {
	const body = await open(file, signal);
	const chunks: Buffer[] = [];
	let length = 0;
	// Not `for await`, which copies the chunks that wait.
	body.on('data', (chunk: Buffer) => {
		chunks.push(chunk);
		length += chunk.length;
		if (length > pictureBytes) body.destroy(modelError(`The workflow has saved more than ${pictureBytes} bytes.`));
	});
	await orAbort(signal, finished(body)).catch((error: unknown) => {
		throw signal.aborted || isPlinthError(error) ? error : file.server.unavailable(error);
	});
	const bytes = Buffer.concat(chunks, length);
	const mediaType = pictureTypeOf(bytes);
	if (!mediaType) throw modelError('The workflow has saved a file that is no PNG, JPEG or WebP.');
	return { body: keepMetadata ? bytes : withoutText(bytes, mediaType), mediaType };
}

/** A saved video in chunks. */
export function fetchVideo(file: SavedFile, around: Surroundings, keepMetadata: boolean): AsyncIterable<Buffer> {
	const chunks = download(file, around);
	return keepMetadata ? chunks : withoutUserData(chunks);
}

/** A saved file in chunks; an interrupted download goes on where it broke off. */
async function* download(file: SavedFile, { signal, log }: Surroundings): AsyncGenerator<Buffer> {
	const { clock, timeoutMs } = file.server;
	let done = 0;
	let progressAt = clock.now();
	for (;;) {
		const from = done;
		try {
			for await (const chunk of (await open(file, signal, from)) as AsyncIterable<Buffer>) {
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
			if (!isBroken || isOver) throw isBroken ? file.server.unavailable(error) : error;
			log.info({ bytes: done }, 'the download of a video broke off and goes on');
			await orAbort(signal, new Promise<void>((resolve) => void clock.after(resumeMs, resolve)));
		}
	}
}

async function open({ server, query }: SavedFile, signal: AbortSignal, from = 0): Promise<Readable> {
	const { statusCode, body } = await server.send(`/view?${query}`, { from, signal });
	if (statusCode === (from > 0 ? 206 : 200)) return body;
	body.destroy();
	throw server.failed(`/view answered ${statusCode}`);
}
