import { isPlinthError, PlinthError, plinthError } from '@plinth/core';
import {
	type DocumentReader,
	type DocumentText,
	encodedDocument,
	type PerTenantLimit,
	type SentDocument,
} from '@plinth/toolkit';
import type { ChatAbilities, DocumentPart } from '../model.ts';
import { charactersOf, fit, within } from './fit.ts';
import { frameOf } from './frame.ts';
import { distinct, nameOf } from './names.ts';
import type { TextBudget } from './text-budget.ts';

/** A file of a request whose text the model is to get. */
export interface SentFile {
	readonly type: 'sent';
	/** `messages[1].content[0].file.file_data`. */
	readonly param: string;
	readonly filename: string | undefined;
	readonly document: SentDocument;
}

/** What files are read with. */
export interface ReadContext {
	readonly documents: DocumentReader | undefined;
	readonly abilities: Pick<ChatAbilities, 'documentCharacters'>;
	readonly room: TextBudget;
	readonly turns: PerTenantLimit;
	readonly tenant: string;
	readonly signal: AbortSignal;
	/** Told of what was left out. */
	warn(message: string): void;
}

/** Reads the files of a request, and brings them to the characters that the model takes. What cannot be read is a 400 error that names its parameter. */
export async function readFiles(
	files: readonly SentFile[],
	context: ReadContext,
): Promise<readonly DocumentPart[]> {
	if (files.length === 0) return [];
	const { documentCharacters: most = Infinity } = context.abilities;
	const texts = await textsOf(files, most, context);
	const names = distinct(
		files.map(({ filename }, index) => nameOf(filename, texts[index]?.mediaType ?? '')),
	);
	const parts: DocumentPart[] = [];
	for (const [index, { pages, isTruncated }] of fit(texts, most).entries()) {
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

/** The first failure ends the reading of the others. */
async function textsOf(
	files: readonly SentFile[],
	most: number,
	{ documents, room, turns, tenant, signal: outer }: ReadContext,
): Promise<readonly DocumentText[]> {
	const stop = new AbortController();
	const signal = AbortSignal.any([outer, stop.signal]);
	return turns.map(tenant, files, signal, async (file) => {
		try {
			const read = within(await readFile(file, documents, signal), most);
			blaming(file, () => room.take(charactersOf(read)));
			return read;
		} catch (error) {
			stop.abort(error);
			throw error;
		}
	});
}

async function readFile(
	file: SentFile,
	reader: DocumentReader | undefined,
	signal: AbortSignal,
): Promise<DocumentText> {
	if (!reader) {
		throw plinthError('E_VALUE_UNSUPPORTED', {
			param: file.param,
			message:
				'This server reads no files: its composition has no document reader. Send their text, or add a backend such as documentReader of @plinth/documents.',
		});
	}
	try {
		return await reader.read(encodedDocument(file.document), {}, { signal });
	} catch (error) {
		throw blamed(error, file);
	}
}

function blaming(file: SentFile, check: () => void): void {
	try {
		check();
	} catch (error) {
		throw blamed(error, file);
	}
}

/** The reader does not know which parameter held the file. */
function blamed(error: unknown, { param }: SentFile): unknown {
	if (!isPlinthError(error) || error.spec.status !== 400) return error;
	// The message has its remedy already, which the new error would append again.
	const { remedy: _, ...spec } = error.spec;
	return new PlinthError(error.code, spec, { message: error.message, param, cause: error });
}

function noticeOf({
	pages,
	hasPages,
	pageCount,
}: Pick<DocumentPart, 'pages' | 'hasPages' | 'pageCount'>): string {
	const last = pages.at(-1)?.page;
	if (!hasPages) return 'The end of this file was left out: it is longer than the model takes.';
	if (last === undefined) return `None of its ${pageCount} pages fits into what the model takes.`;
	return last < pageCount
		? `Only pages up to ${last} of ${pageCount} are here: the file is longer than the model takes.`
		: `The end of page ${last} was left out: the file is longer than the model takes.`;
}
