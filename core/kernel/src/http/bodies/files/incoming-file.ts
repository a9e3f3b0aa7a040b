import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { Base64Decoder } from './data-url.ts';
import type { Spool } from './spool.ts';

/** The data has more bytes than a file may have. */
export class FileTooLarge extends Error {}

/** A file that is being written while its data arrives as base64. */
export class IncomingFile {
	readonly #decoder = new Base64Decoder();
	readonly #stream = new PassThrough();
	readonly #saved: Promise<UploadedFile>;
	readonly #maxBytes: number;
	#size = 0;

	constructor(spool: Pick<Spool, 'save'>, maxBytes: number) {
		this.#maxBytes = maxBytes;
		this.#saved = spool.save(this.#stream, '', true);
		// Looked at when there is something to wait for; a stream that was destroyed may still complain.
		this.#saved.catch(() => {});
		this.#stream.on('error', () => {});
	}

	/** Waits until there is room for more. Throws {@link DataUrlError}, {@link FileTooLarge}, or what the disk reports. */
	async write(data: string): Promise<void> {
		await this.#write(this.#decoder.push(data));
	}

	/** Resolves with the file once it is written. */
	async end(): Promise<UploadedFile> {
		await this.#write(this.#decoder.end());
		this.#stream.end();
		return this.#saved;
	}

	/** Breaks off, and resolves when nothing is being written any more. */
	async stop(): Promise<void> {
		this.#stream.destroy(new Error('The file is broken off.'));
		await this.#saved.catch(() => {});
	}

	async #write(bytes: Buffer): Promise<void> {
		this.#size += bytes.length;
		if (this.#size > this.#maxBytes) throw new FileTooLarge();
		if (bytes.length === 0 || this.#stream.write(bytes)) return;
		await Promise.race([once(this.#stream, 'drain'), this.#saved]);
	}
}
