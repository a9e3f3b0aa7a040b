import { defineBackend } from '@plinth/core';
import { type DocumentReader, mediaServices } from '@plinth/toolkit';
import { z } from 'zod';
import { CachedReader } from './cache/cached-reader.ts';
import type { PooledReader } from './pool/reader.ts';
import { versionWith } from './version.ts';

const ocr = z.strictObject({
	/** As Tesseract names them; their data must be installed. */
	languages: z
		.array(z.string().regex(/^\w{2,32}$/))
		.min(1)
		.max(16)
		.default(['eng']),
	/** The folder of their data; by default that of TESSDATA_PREFIX or of the system. */
	tessdata: z.string().min(1).optional(),
});

const config = z.strictObject({
	/** How many documents are read at the same time, each in a process of its own; the others wait. */
	workers: z.coerce.number<number | string>().int().min(1).max(16).default(2),
	/** How pages are read that are pictures, where Tesseract's data is installed; `false` leaves them empty. */
	ocr: z.union([z.literal(false), ocr]).prefault({}),
});

/** How long after its creation a process is started, if no document came before: the start of the server goes first. */
const warmAfterMs = 2_000;

/**
 * Documents of every common format, by page, with columns and tables kept: `backends: { documents: documentReader() }`.
 *
 * Documents are read in processes beside the server: at most `workers`, one of which is always there. Each is bounded in memory and time,
 * killed beyond that, and replaced now and then.
 */
export const documentReader = defineBackend({
	name: 'documentReader',
	provides: mediaServices.documents,
	config,
	create({ config: { workers, ocr }, onStop }): DocumentReader {
		const { TESSDATA_PREFIX: tessdata } = process.env;
		const options = { workers, ocr: ocr ? { tessdata, ...ocr } : undefined };
		let loading: Promise<PooledReader> | undefined;
		let isStopped = false;
		const load = () =>
			import('./pool/reader.ts').then(
				({ PooledReader }) => new PooledReader(options),
				(cause) => {
					// It may have been for want of file descriptors: the next document tries again.
					loading = undefined;
					throw cause;
				},
			);
		// Not before it is needed: most servers start without a document at hand.
		const loaded = () => {
			loading ??= isStopped ? Promise.reject(new Error('The document reader was stopped.')) : load();
			return loading;
		};
		const warm = () =>
			loaded().then(
				(reader) => reader.keepWarm(),
				// The first document says so.
				() => {},
			);
		const timer = setTimeout(warm, warmAfterMs);
		timer.unref();
		onStop(async () => {
			clearTimeout(timer);
			isStopped = true;
			await loading?.then(
				(reader) => reader.close(),
				() => {},
			);
		});
		return new CachedReader({
			version: versionWith(options.ocr),
			read: async (...call) => (await loaded()).read(...call),
		});
	},
});
