import { Readable } from 'node:stream';
import { untilAborted } from '../../../contract/abort.ts';
import { plinthError } from '../../../contract/errors/coded-error.ts';
import type { Call } from '../../../contract/http/route.ts';
import type { UploadedFile } from '../../../contract/http/upload.ts';
import { shownFilename } from '../../answers/filename.ts';
import type { Exchange } from '../../exchange.ts';
import { Spool } from './spool.ts';

/** The files that a handler brings into its request from elsewhere. */
export class KeptFiles {
	readonly #exchange: Exchange;
	readonly #over = new AbortController();
	/** One for each file, so that one that fails leaves nothing to those that follow. */
	readonly #spools = new Set<Spool>();
	readonly #underWay = new Set<Promise<unknown>>();

	constructor(exchange: Exchange) {
		this.#exchange = exchange;
	}

	/**
	 * Writes a file. Rejects with `E_OVERLOADED`, `E_BODY_TOO_LARGE` or `E_STORE_FULL`, with what the source throws, or
	 * with the reason of the request's end, also while the source is silent. Nothing is left of the file then.
	 */
	async keep(...[body, { filename, maxBytes }]: Parameters<Call['keep']>): Promise<UploadedFile> {
		const signal = AbortSignal.any([this.#exchange.signal, this.#over.signal]);
		// What is counted behind the end of the request would be counted for ever.
		signal.throwIfAborted();
		// It takes up the disk like one that was sent, until the request is over.
		this.#exchange.slot?.reserve(maxBytes);
		const bytes = atMost(maxBytes, untilAborted(body, signal));
		const saving = this.#save(Readable.from(bytes, { objectMode: false }), filename);
		this.#underWay.add(saving);
		try {
			return await saving;
		} finally {
			this.#underWay.delete(saving);
		}
	}

	/** Breaks off what is being written and deletes everything. From then on nothing is kept. */
	async remove(): Promise<void> {
		this.#over.abort(new Error('The request is over, so no file can be kept for it.'));
		await Promise.allSettled(this.#underWay);
		await Promise.all([...this.#spools].map((spool) => spool.remove()));
	}

	async #save(body: Readable, filename: string): Promise<UploadedFile> {
		const spool = new Spool();
		this.#spools.add(spool);
		try {
			return await spool.save(body, shownFilename(filename));
		} catch (error) {
			await spool.remove();
			this.#spools.delete(spool);
			throw error;
		}
	}
}

async function* atMost(maxBytes: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let size = 0;
	for await (const chunk of body) {
		size += chunk.byteLength;
		if (size > maxBytes) {
			throw plinthError('E_BODY_TOO_LARGE', { message: `The file has more than ${maxBytes} bytes.` });
		}
		yield chunk;
	}
}
