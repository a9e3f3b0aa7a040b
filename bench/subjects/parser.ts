import { readFile } from 'node:fs/promises';
import { readPdf } from '@plinth/documents';

// Reads the PDFs whose paths a message holds, and answers with the texts of their pages; of a file that cannot be read, with none.
process.on('message', async ({ paths }: { paths: readonly string[] }) => {
	const texts: string[][] = [];
	for (const path of paths) {
		const document = await readPdf(await readFile(path)).catch(() => undefined);
		texts.push(document ? document.pages.map(({ text }) => text) : []);
	}
	process.send?.({ texts });
});
process.send?.({ ready: true });
