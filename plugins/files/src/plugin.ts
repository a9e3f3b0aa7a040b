import { definePlugin, services } from '@plinth/core';
import { mediaServices } from '@plinth/toolkit';
import type { FileContext } from './context.ts';
import { FileStore } from './file-store.ts';
import { fileOptions } from './options.ts';
import { FileRecords } from './records.ts';
import { fileContent } from './routes/content.ts';
import { deleteFile, getFile, listFiles } from './routes/read.ts';
import { uploadFile } from './routes/upload.ts';
import { fileSource } from './source.ts';
import { createSweep } from './sweep.ts';

/** Files under `/v1/files`, which other requests reference by `file_id`. */
export const files = definePlugin({
	id: 'files',
	config: fileOptions,
	needs: { blobs: services.blobs, records: services.records, clock: services.clock },
	provides: mediaServices.files,
	setup({ config: options, services: provided, route, onStart, onStop, log }) {
		const { blobs, clock } = provided;
		const records = new FileRecords(provided.records);
		const store = new FileStore({ records, blobs, clock, options, log });
		const context: FileContext = { options, records, store, clock };
		route(uploadFile(context), listFiles(context), getFile(context), fileContent(context), deleteFile(context));
		const sweep = createSweep({ records, store, clock, log });
		onStart(() => sweep.start());
		onStop(() => sweep.stop());
		return fileSource(store);
	},
});
