import { type Call, type HandlerResult, Reply } from '@plinth/core';
import {
	type Capacity,
	type DocumentReader,
	encodedDocument,
	type FileSources,
	type PerTenantLimit,
	ReferencedFiles,
} from '@plinth/toolkit';
import type { ParseOptions } from './options.ts';
import { findDocuments, type RequestDocument } from './request/documents.ts';
import type { ParseBody } from './request/fields.ts';
import { jsonChunks } from './response/json-chunks.ts';
import { failed, type ParsedAttachment, type parseAnswer } from './response/result.ts';
import { loadDocument } from './work/load-document.ts';
import { parseDocument } from './work/parse-document.ts';
import { TextBudget } from './work/text-budget.ts';

/** Dependencies of the route. */
export interface ParseContext {
	readonly options: ParseOptions;
	readonly documents: DocumentReader;
	/** Sources of the files that requests reference. */
	readonly sources: FileSources;
	readonly readLimit: PerTenantLimit;
	/** Bounds the characters of all concurrent responses. */
	readonly textCapacity: Capacity;
}

/** Reads the documents of one request. */
export async function answer(
	{ options, documents, sources, readLimit, textCapacity }: ParseContext,
	body: ParseBody,
	call: Call,
): Promise<HandlerResult<typeof parseAnswer>> {
	const referenced = new ReferencedFiles(sources, call);
	const requested = findDocuments(body, referenced);
	const budget = new TextBudget(options.answerChars, textCapacity.share());
	const { tenant } = call.principal;
	try {
		const results = await readLimit.map(tenant, requested, call.signal, (each) =>
			readDocument(documents, each, body, { referenced, budget }, call),
		);
		return toReply(results, [...call.warnings, ...pageWarnings(body, results)], budget, call.signal);
	} catch (error) {
		budget.release();
		throw error;
	}
}

async function readDocument(
	documents: DocumentReader,
	{ filename: label, content }: RequestDocument,
	{ pages, ocr, format, max_chars: maxChars }: ParseBody,
	{ referenced, budget }: { readonly referenced: ReferencedFiles; readonly budget: TextBudget },
	{ signal, log }: Call,
): Promise<ParsedAttachment> {
	const report = (err: unknown) => log.error({ err }, 'a document could not be read');
	const loaded = await loadDocument(content, referenced, signal, report);
	if ('error' in loaded) return failed(label, loaded.error);
	const options = { ...(pages ? { pages } : {}), ocr, format };
	return parseDocument(
		documents,
		encodedDocument(loaded.document),
		{ filename: label ?? loaded.filename, options, maxChars },
		{ signal, log: report, limitText: (read) => budget.take(read) },
	);
}

/** Responses with more characters are streamed, without a content length. */
const maxUnstreamedLength = 262_144;

function toReply(
	results: readonly ParsedAttachment[],
	warnings: string[],
	budget: TextBudget,
	signal: AbortSignal,
): HandlerResult<typeof parseAnswer> {
	const value = { results, ...(warnings.length > 0 ? { warnings } : {}) };
	if (budget.used + totalNameLength(results) <= maxUnstreamedLength) {
		budget.release();
		return value;
	}
	const release = () => budget.release();
	// The client may disconnect before the first chunk is read.
	signal.addEventListener('abort', release, { once: true });
	const source = {
		async *open() {
			try {
				yield* jsonChunks(value);
			} finally {
				release();
			}
		},
		discard: release,
	};
	return Reply.binary(source, {
		mediaType: 'application/json; charset=utf-8',
		headers: { 'cache-control': 'no-store' },
	});
}

/** A warning for each document of which the request names only pages that it does not have. */
function pageWarnings({ pages: ranges }: ParseBody, results: readonly ParsedAttachment[]): readonly string[] {
	if (!ranges) return [];
	return results.flatMap(({ page_count: count = 0, content, truncated }, index) =>
		content.pages?.length === 0 && !truncated
			? [`pages: results[${index}] has none of these pages. Its number of pages is ${count}.`]
			: [],
	);
}

/** Clients choose the names, which are not counted as document text. */
function totalNameLength(results: readonly ParsedAttachment[]): number {
	return results.reduce((sum, { filename = '' }) => sum + filename.length, 0);
}
