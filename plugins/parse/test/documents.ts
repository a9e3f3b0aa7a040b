import { readFile } from 'node:fs/promises';
import { jsonOf } from '@plinth/testing';
import type { EncodedDocument } from '@plinth/toolkit';

/** One result of a response. */
export interface Result {
	readonly filename?: string;
	readonly media_type?: string;
	readonly page_count?: number;
	readonly truncated?: boolean;
	readonly metadata?: object;
	readonly content: {
		readonly pages?: readonly { readonly page: number; readonly text: string }[];
		readonly text?: string;
	};
	readonly error?: { readonly code: string; readonly message: string };
}

/** The results of a successful response. */
export async function resultsOf(answer: Response): Promise<readonly Result[]> {
	return (await jsonOf<{ results: readonly Result[] }>(answer)).results;
}

/** The text of each result, with its pages joined by `|`; the error code of a failed one. */
export async function textsOf(answer: Response): Promise<readonly string[]> {
	return (await resultsOf(answer)).map(
		({ content: { pages, text }, error }) => error?.code ?? pages?.map((page) => page.text).join('|') ?? text ?? '',
	);
}

/** A file in a JSON request. */
export function sent(content: string | Uint8Array, labels: object = {}): object {
	const data = Buffer.from(content).toString('base64');
	return { url: `data:application/pdf;base64,${data}`, ...labels };
}

/** The bytes of a document as text. */
export async function contentOf(document: EncodedDocument): Promise<string> {
	const bytes = 'path' in document ? await readFile(document.path) : Buffer.from(document);
	return bytes.toString();
}
