import { defineBackend, version } from '@plinth/core';
import { type DocumentReader, mediaServices } from '@plinth/toolkit';
import { z } from 'zod';
import { CachedReader } from './cache/cached-reader.ts';
import type { PooledReader } from './pool/reader.ts';

const ocr = z.strictObject({
	/** The names of Tesseract's languages, whose data must be installed. */
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
	/** OCR of pages that are pictures, if Tesseract's data is installed; `false` leaves these pages empty. */
	ocr: z.union([z.literal(false), ocr]).prefault({}),
});

/** Must be increased whenever the same bytes give another text. */
const revision = 4;

/**
 * Reads documents of every common format by page, with columns and tables: `backends: { documents: documentReader() }`.
 *
 * Documents are read in separate processes, which start on demand and end when idle. Each is bounded in memory
 * and time, killed beyond that, and replaced now and then.
 */
export const documentReader = defineBackend({
	name: 'documentReader',
	provides: mediaServices.documents,
	config,
	create({ config: { workers, ocr }, onStop }): DocumentReader {
		const { languages, tessdata = process.env.TESSDATA_PREFIX } = ocr || { languages: [] };
		const settings = { languages, ...(tessdata === undefined ? {} : { tessdata }) };
		let loading: Promise<PooledReader> | undefined;
		// Imported late, so that a server starts fast.
		const load = async () =>
			new (await import('./pool/reader.ts')).PooledReader({ workers, ocr: ocr ? settings : undefined });
		const loaded = () => {
			loading ??= load();
			return loading;
		};
		// An unused reader is also loaded and closed, so that later reads are refused.
		onStop(async () => (await loaded()).pool.close());
		return new CachedReader({
			version: [version, revision, ...languages].join('+'),
			read: async (document, options = {}, run = {}) => (await loaded()).read(document, options, run),
		});
	},
});
