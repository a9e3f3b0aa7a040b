import { sendForm } from '../../../api.ts';
import { formOf } from '../call/call.ts';
import type { Run } from '../desk/run.ts';

/** A page of a document. */
export interface Page {
	readonly page: number;
	readonly text: string;
	readonly needs_ocr?: boolean;
}

/** The result of the API for a document. */
export interface ReadDocument {
	readonly filename?: string;
	readonly media_type?: string;
	readonly page_count?: number;
	readonly truncated?: boolean;
	readonly metadata?: Readonly<Record<string, string>>;
	readonly content: { readonly pages?: readonly Page[]; readonly text?: string };
	readonly error?: { readonly code: string; readonly message: string };
	/** The URL of the file, if browsers show files of its type. */
	readonly original?: string;
}

/** The documents of a run. */
export interface DocumentsResult {
	/** The uploaded fraction, from 0 to 1. */
	readonly uploaded: number;
	readonly documents: readonly ReadDocument[];
}

interface Answer {
	readonly results: readonly ReadDocument[];
	readonly warnings?: readonly string[];
}

/** Reads documents. */
export async function readDocuments(run: Run<DocumentsResult>): Promise<void> {
	const { call, signal } = run;
	const onProgress = (uploaded: number) => (run.result.value = { uploaded, documents: [] });
	const answer = await sendForm<Answer>(call.path, formOf(call), signal, onProgress);
	run.warn(answer.warnings);
	const documents = answer.results.map((document, at) => {
		const file = call.files[at]?.file;
		// The page does not have the bytes of a file that is named by its id.
		return file ? { ...document, ...originalOf(file, document, run) } : document;
	});
	run.result.value = { uploaded: 1, documents };
}

function originalOf(file: File, { media_type: type = '' }: ReadDocument, run: Run<unknown>): Partial<ReadDocument> {
	// The name of the local file: browsers send quotes in it as `%22`, and the server returns them so.
	const { name: filename } = file;
	if (!/^(?:image\/(?:png|jpeg|webp|gif)|application\/pdf)$/.test(type)) return { filename };
	// The type that the server detected from the content. The browser's type depends only on the file name.
	return { filename, original: run.addressOf(file.slice(0, file.size, type)) };
}
