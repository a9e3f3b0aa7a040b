import { archives } from './archives.ts';
import type { HostileDocument } from './document.ts';
import { mails } from './mails.ts';
import { markup } from './markup.ts';
import { flateBombPdf, pdfs } from './pdfs.ts';
import { texts } from './texts.ts';

export type { HostileDocument } from './document.ts';

/** Every hostile document. The slowest one comes first, so that the others are read in parallel. */
export const hostileDocuments: readonly HostileDocument[] = [
	flateBombPdf,
	...archives,
	...markup,
	...mails,
	...pdfs,
	...texts,
];
