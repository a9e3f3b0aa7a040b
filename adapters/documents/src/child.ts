/** What runs in a reading process: one document after the other. */
import { readFile } from 'node:fs/promises';
import { serveTasks } from '@plinth/toolkit/processes/child';
import type { OcrContext, Share } from './formats/format.ts';

import { documentLimits } from './pool/limits.ts';
import type { OcrSettings, ReadNews, ReadTask } from './pool/messages.ts';
import { sendText } from './pool/send.ts';
import { readDocument } from './read.ts';

/** Nobody looks more often, in milliseconds. */
const progressMs = 100;
/** Documents that are waiting already go first. */
const preloadAfterMs = 100;

type TellNews = (news: ReadNews) => Promise<void>;

function ocrContext({ languages, tessdata }: OcrSettings, tell: TellNews): OcrContext {
	return {
		languages,
		...(tessdata === undefined ? {} : { tessdata }),
		page: () => void tell({ kind: 'ocr' }),
	};
}

function progressTo(tell: TellNews) {
	let told = 0;
	return (done: number, of: number) => {
		const now = performance.now();
		if (now - told < progressMs && done < of) return;
		told = now;
		void tell({ kind: 'progress', done, of });
	};
}

/** The parent finds another process for the pages. */
function shareWith(tell: TellNews, above: number): Share {
	return { above, leave: (pages) => void tell({ kind: 'rest', pages }) };
}

// Most documents are PDFs: a process that waits for its first one has loaded what reads them.
setTimeout(() => void import('./pdf/file.ts').catch(() => {}), preloadAfterMs);

await serveTasks(
	async (task, body, tell: TellNews) => {
		const { path, options, ocr, shareAbove } = task as ReadTask;
		void tell({ kind: 'begin' });
		const bytes = path === undefined ? body : await readFile(path);
		const text = await readDocument(bytes, options, {
			progress: progressTo(tell),
			ocr: ocr && ocrContext(ocr, tell),
			share: shareAbove === undefined ? undefined : shareWith(tell, shareAbove),
		});
		return { value: await sendText(text, tell) };
	},
	{ maxBytes: documentLimits.processBytes, collectAbove: documentLimits.restingBytes },
);
