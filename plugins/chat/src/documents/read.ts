import { isPlinthError, isUpload, mediaTypeOf, PlinthError, plinthError } from '@plinth/core';
import {
	type DocumentReader,
	type DocumentText,
	encodedDocument,
	type PerTenantLimit,
	type SentDocument,
} from '@plinth/toolkit';
import type { ChatAbilities, DocumentPart } from '../model.ts';
import { charactersOf, fit, limitPages } from './fit.ts';
import { frameOf } from './frame.ts';
import { nameOf, uniqueNames } from './names.ts';
import type { TextBudget } from './text-budget.ts';
import type { Transcribe } from './transcribe.ts';

/** A file of a request to be read as text. */
export interface SentFile {
	readonly type: 'sent';
	/** `messages[1].content[0].file.file_data`. */
	readonly param: string;
	readonly filename: string | undefined;
	readonly document: SentDocument;
	/** Whether the client declares it as audio. */
	readonly isAudio?: boolean;
}

/** Dependencies of reading files. */
export interface ReadContext {
	readonly documents: DocumentReader | undefined;
	readonly transcribe: Transcribe | undefined;
	readonly abilities: Pick<ChatAbilities, 'documentCharacters'>;
	readonly budget: TextBudget;
	readonly readLimit: PerTenantLimit;
	readonly tenant: string;
	readonly signal: AbortSignal;
	/** Called with a warning about omitted text. */
	warn(message: string): void;
}

/**
 * Reads the files of a request and limits them to the characters that the model accepts. Throws a 400 error
 * with the parameter of an unreadable file.
 */
export async function readFiles(files: readonly SentFile[], context: ReadContext): Promise<readonly DocumentPart[]> {
	if (files.length === 0) return [];
	const { documentCharacters: max = Infinity } = context.abilities;
	const texts = await textsOf(files, max, context);
	const names = uniqueNames(files.map(({ filename }, index) => nameOf(filename, texts[index]?.mediaType ?? '')));
	const parts: DocumentPart[] = [];
	for (const [index, { pages, isTruncated }] of fit(texts, max).entries()) {
		const { mediaType, pageCount = 1, pages: all } = texts[index] as DocumentText;
		const hasPages = all !== undefined;
		const filename = names[index] as string;
		const facts = { filename, mediaType, pages, hasPages, pageCount, isTruncated };
		const notice = isTruncated ? noticeOf(facts) : undefined;
		if (notice) context.warn(`${filename}: ${notice}`);
		const text = await frameOf({ ...facts, ...(notice ? { notice } : {}) });
		parts.push({ type: 'document', ...facts, text });
	}
	return parts;
}

/** Reads all files; the first failure aborts the others. */
async function textsOf(
	files: readonly SentFile[],
	max: number,
	context: ReadContext,
): Promise<readonly DocumentText[]> {
	const { budget, readLimit, tenant, signal: outer } = context;
	const failure = new AbortController();
	const signal = AbortSignal.any([outer, failure.signal]);
	return readLimit.map(tenant, files, signal, async (file) => {
		try {
			const read = limitPages(await readFile(file, context, signal), max);
			checkFor(file, () => budget.take(charactersOf(read)));
			return read;
		} catch (error) {
			failure.abort(error);
			throw error;
		}
	});
}

async function readFile(
	file: SentFile,
	{ documents: reader, transcribe }: ReadContext,
	signal: AbortSignal,
): Promise<DocumentText> {
	const mediaType = transcribe && (await typeOf(file.document));
	if (transcribe && mediaType && (file.isAudio || isAudio(mediaType))) {
		const text = await transcribe(file.document, file.param, signal);
		return { mediaType, text, truncated: false, metadata: {} };
	}
	if (!reader) {
		throw plinthError('E_VALUE_UNSUPPORTED', {
			param: file.param,
			message:
				'This server reads no files: its composition has no document reader. Send their text, or ' +
				'add a backend such as documentReader of @plinth/documents.',
		});
	}
	try {
		return await reader.read(encodedDocument(file.document), { format: 'markdown' }, { signal });
	} catch (error) {
		throw withParam(error, file);
	}
}

/** Includes videos: their audio is transcribed. */
function isAudio(mediaType: string): boolean {
	return /^(?:(?:audio|video)\/|application\/ogg)/.test(mediaType);
}

/** The media type of a file, by its content. */
export function typeOf(document: SentDocument): Promise<string> | string {
	return isUpload(document) ? document.mediaType : mediaTypeOf(document);
}

function checkFor(file: SentFile, check: () => void): void {
	try {
		check();
	} catch (error) {
		throw withParam(error, file);
	}
}

/** Adds the parameter to an error of the reader. */
function withParam(error: unknown, { param }: SentFile): unknown {
	if (!isPlinthError(error) || error.spec.status !== 400) return error;
	// The message already contains the remedy; the new error would append it again.
	const { remedy: _, ...spec } = error.spec;
	return new PlinthError(error.code, spec, { message: error.message, param, cause: error });
}

function noticeOf({ pages, hasPages, pageCount }: Pick<DocumentPart, 'pages' | 'hasPages' | 'pageCount'>): string {
	const last = pages.at(-1)?.page;
	if (!hasPages) return 'The end of this file was left out: it is longer than the model accepts.';
	if (last === undefined) return `None of its ${pageCount} pages fits into the text that the model accepts.`;
	return last < pageCount
		? `Only pages up to ${last} of ${pageCount} are here: the file is longer than the model accepts.`
		: `The end of page ${last} was left out: the file is longer than the model accepts.`;
}
