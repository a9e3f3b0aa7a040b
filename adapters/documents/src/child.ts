/** The program of a reading process: reads one document after the other. */
import { readFile } from 'node:fs/promises';
import { serveTasks } from '@plinth/toolkit/processes/child';
import { documentLimits } from './pool/limits.ts';
import { type ReadTask, type ReadUpdate, sendText } from './pool/protocol.ts';
import { readDocument } from './read.ts';

/** Minimum time between two updates of progress, in milliseconds. */
const progressMs = 100;
/** Delay of the preload, in milliseconds, so that a document that already waits is read first. */
const preloadAfterMs = 100;

type Send = (update: ReadUpdate) => Promise<void>;

function progressTo(send: Send) {
	let sent = 0;
	return (done: number, of: number) => {
		const now = performance.now();
		if (now - sent < progressMs && done < of) return;
		sent = now;
		void send({ kind: 'progress', done, of });
	};
}

// Most documents are PDFs, so their reader is loaded before the first document.
setTimeout(() => void import('./pdf/read.ts').catch(() => {}), preloadAfterMs);

await serveTasks(
	async (task, body, send: Send) => {
		const { path, options, ocr, shareAbove: above } = task as ReadTask;
		void send({ kind: 'begin' });
		const bytes = path === undefined ? body : await readFile(path);
		const text = await readDocument(bytes, options, {
			progress: progressTo(send),
			ocr: ocr && { ...ocr, page: () => void send({ kind: 'ocr' }) },
			share: above === undefined ? undefined : { above, leave: (pages) => void send({ kind: 'rest', pages }) },
		});
		return { value: await sendText(text, send) };
	},
	{ maxBytes: documentLimits.processBytes, collectAbove: documentLimits.restingBytes },
);
