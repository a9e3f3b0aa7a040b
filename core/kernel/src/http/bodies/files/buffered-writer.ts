import type { Readable } from 'node:stream';
import { bufferBytes, freeChunk, giveBuffer, takeBuffer } from '../../buffers.ts';

/** What becomes of a stream's bytes. */
export interface BufferedWriterTarget {
	/** Sees each chunk once, in order, and must not keep it. */
	look(chunk: Buffer): void;
	/** Takes many chunks as one. The bytes are its own until it settles. */
	write(bytes: Buffer): Promise<void>;
	/**
	 * Whether nobody else looks at the chunks later: then their memory is freed at once and not when the collector
	 * finds it.
	 */
	readonly ownsChunks: boolean;
}

/**
 * Hands a stream on in large pieces: while one is written the next one fills, and when that is full too the stream
 * waits. Settles when nothing is being written any more. Listens at once, because a stream that fails must have its
 * listeners.
 */
export function writeBuffered(stream: Readable, target: BufferedWriterTarget): Promise<void> {
	return new Promise((resolve, reject) => {
		const writer = new BufferedWriter(stream, target);
		const fail = (error: Error) => void writer.stop(error).catch(reject);
		stream.on('data', (chunk: Buffer) => writer.add(chunk));
		stream.once('end', () => writer.end().then(resolve, reject));
		stream.once('error', fail);
		stream.once('close', () => {
			if (!stream.readableEnded) fail(new Error('The stream ended early.'));
		});
	});
}

class BufferedWriter {
	readonly #stream: Readable;
	readonly #target: BufferedWriterTarget;
	/** The buffer that is being filled. */
	#buffer: Buffer | undefined;
	#used = 0;
	/** Those that are neither being filled nor written. */
	readonly #spare: Buffer[] = [];
	/** What has not been copied yet. */
	#rest: Buffer = Buffer.alloc(0);
	#last: Buffer | undefined;
	/** Never rejects. */
	#writing: Promise<void> | undefined;
	#failure: { readonly error: unknown } | undefined;

	constructor(stream: Readable, target: BufferedWriterTarget) {
		this.#stream = stream;
		this.#target = target;
	}

	/** Called again only when there was room for the chunk before. */
	add(chunk: Buffer): void {
		// Whoever passed the last one on has long since gone on to this one.
		if (this.#last) freeChunk(this.#last);
		this.#last = this.#target.ownsChunks ? chunk : undefined;
		this.#target.look(chunk);
		this.#rest = chunk;
		this.#fill();
	}

	/** Resolves when everything is written. */
	async end(): Promise<void> {
		await this.#written();
		if (this.#buffer && this.#used > 0 && !this.#failure) this.#flush(this.#buffer);
		await this.#written();
		if (this.#failure) throw this.#failure.error;
		for (const buffer of this.#spare) giveBuffer(buffer);
	}

	/** Rejects with what went wrong first, when nothing is being written any more. */
	async stop(error: unknown): Promise<never> {
		this.#failure ??= { error };
		await this.#written();
		throw this.#failure.error;
	}

	#fill(): void {
		while (!this.#failure) {
			if (this.#buffer && this.#used === bufferBytes) {
				if (this.#writing) {
					this.#stream.pause();
					return;
				}
				this.#flush(this.#buffer);
			}
			if (this.#rest.length === 0) break;
			this.#buffer ??= this.#spare.pop() ?? takeBuffer();
			const part = this.#rest.subarray(0, bufferBytes - this.#used);
			this.#buffer.set(part, this.#used);
			this.#used += part.length;
			this.#rest = this.#rest.subarray(part.length);
		}
		if (this.#stream.isPaused()) this.#stream.resume();
	}

	/** Begins to write a buffer; the next bytes go to another. */
	#flush(buffer: Buffer): void {
		const bytes = buffer.subarray(0, this.#used);
		this.#buffer = undefined;
		this.#used = 0;
		this.#writing = this.#write(bytes).then(() => {
			this.#spare.push(buffer);
			this.#writing = undefined;
			this.#fill();
		});
	}

	async #write(bytes: Buffer): Promise<void> {
		try {
			await this.#target.write(bytes);
		} catch (error) {
			this.#failure ??= { error };
			this.#stream.destroy();
		}
	}

	async #written(): Promise<void> {
		while (this.#writing) await this.#writing;
	}
}
