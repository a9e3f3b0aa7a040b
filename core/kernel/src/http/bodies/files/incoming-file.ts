import { isPlinthError, plinthError } from '../../../contract/errors/coded-error.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { Base64Decoder, DataUrlError } from './data-url.ts';
import type { Spool, SpoolFile } from './spool.ts';

export class FileTooLarge extends Error {}

/** A file that is written while its data arrives as base64. Data after the first error is dropped. */
export class IncomingFile {
	readonly #decoder = new Base64Decoder();
	readonly #spool: Spool;
	readonly #maxBytes: number;
	#file: SpoolFile | undefined;
	#fault: DataUrlError | FileTooLarge | undefined;

	constructor(spool: Spool, maxBytes: number) {
		this.#spool = spool;
		this.#maxBytes = maxBytes;
	}

	/** Waits until there is room for more. Rejects with `E_STORE_FULL` or `E_INTERNAL`. */
	async write(data: string): Promise<void> {
		await this.#write(() => this.#decoder.push(data));
	}

	/** Returns the file, or the error in the data. Rejects as `write` does. */
	async end(): Promise<UploadedFile | DataUrlError | FileTooLarge> {
		const file = await this.#write(() => this.#decoder.end());
		return this.#fault ?? file.end('');
	}

	/** Aborts, and resolves when the file is deleted. */
	async remove(): Promise<void> {
		await this.#file?.remove();
	}

	async #write(decode: () => Buffer): Promise<SpoolFile> {
		try {
			this.#file ??= await this.#spool.create(true);
			const bytes = this.#fault ? nothing : decode();
			if (this.#file.size + bytes.length > this.#maxBytes) throw new FileTooLarge();
			if (bytes.length > 0) await this.#file.write(bytes);
		} catch (error) {
			const isFault = error instanceof DataUrlError || error instanceof FileTooLarge;
			// Any other error is a failure of the server, not of the body.
			if (!isFault || !this.#file) throw isPlinthError(error) ? error : plinthError('E_INTERNAL', { cause: error });
			this.#fault = error;
			await this.#file.remove();
		}
		return this.#file;
	}
}

const nothing = Buffer.alloc(0);
