import {
	type Call,
	defineRoute,
	errors,
	type HandlerResult,
	Reply,
	type Route,
	valueErrors,
} from '@plinth/core';
import {
	type Capacity,
	type DocumentReader,
	encodedDocument,
	type FileSources,
	NamedFiles,
	type PerTenantLimit,
} from '@plinth/toolkit';
import { jsonPieces } from './answer/pieces.ts';
import { failed, type ParsedAttachment, parseAnswer } from './answer/result.ts';
import type { ParseOptions } from './options.ts';
import { findDocuments, maxFiles, type Submitted } from './request/documents.ts';
import { type ParseBody, parseBody } from './request/fields.ts';
import { bringDocument } from './work/bring-document.ts';
import { parseDocument } from './work/parse-document.ts';
import { TextBudget } from './work/text-budget.ts';

/** What the route works with. */
export interface ParseContext {
	readonly options: ParseOptions;
	readonly documents: DocumentReader;
	/** Where documents lie that requests name. */
	readonly sources: FileSources;
	readonly turns: PerTenantLimit;
	/** The characters of all answers that are made or sent. */
	readonly held: Capacity;
}

/** `POST /api/attachments/parse`: reads every document of a request. Nothing is stored. */
export function parseAttachments({
	options,
	documents,
	sources,
	turns,
	held,
}: ParseContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/api/attachments/parse',
		scope: 'documents',
		summary: 'Read documents as text',
		description:
			'Columns are read one after the other, rows of tables stay in one line. The content decides what a document is, not its name. A document that cannot be read has an `error` in its result, and the others are read all the same.',
		body: parseBody,
		encoding: ['json', 'multipart'],
		spoolDataUrls: { bare: ['url'], keepDamaged: true },
		// Hardly any text belongs here: short documents, and labels.
		limits: {
			json: 104_857_600,
			multipart: 209_715_200,
			allFields: 8_388_608,
			files: maxFiles,
		},
		response: { description: 'One result per document, in their order.', schema: parseAnswer },
		errors: [...valueErrors, errors.E_OVERLOADED, errors.E_STORE_FULL],
		async handler({ body }, call) {
			const named = new NamedFiles(sources, call);
			const sent = findDocuments(body, named);
			const answer = new TextBudget(options.answerChars, held.share());
			const { tenant } = call.principal;
			try {
				const results = await turns.map(tenant, sent, call.signal, (each) =>
					readSubmitted(documents, each, body, { named, room: answer }, call),
				);
				return replyWith(results, answer, call.signal);
			} catch (error) {
				answer.release();
				throw error;
			}
		},
	});
}

async function readSubmitted(
	documents: DocumentReader,
	{ filename: label, content }: Submitted,
	{ pages, ocr, max_chars: maxChars }: ParseBody,
	{ named, room }: { readonly named: NamedFiles; readonly room: TextBudget },
	{ signal, log }: Call,
): Promise<ParsedAttachment> {
	const report = (err: unknown) => log.error({ err }, 'a document could not be read');
	const brought = await bringDocument(content, named, signal, report);
	if ('error' in brought) return failed(label, brought.error);
	const options = { ...(pages ? { pages } : {}), ocr };
	return parseDocument(
		documents,
		encodedDocument(brought.document),
		{ filename: label ?? brought.filename, options, maxChars },
		{ signal, log: report, keep: (read) => room.take(read) },
	);
}

/** Answers of more characters are written in pieces, without a length. */
const longAnswer = 262_144;

function replyWith(
	results: readonly ParsedAttachment[],
	room: TextBudget,
	signal: AbortSignal,
): HandlerResult<typeof parseAnswer> {
	const value = { results };
	if (room.held + lengthOfNames(results) <= longAnswer) {
		room.release();
		return value;
	}
	const release = () => room.release();
	// A client may leave before the first piece is asked for.
	signal.addEventListener('abort', release, { once: true });
	const source = {
		async *open() {
			try {
				yield* jsonPieces(value);
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

/** Clients choose them, and they are no text of documents. */
function lengthOfNames(results: readonly ParsedAttachment[]): number {
	return results.reduce((sum, { filename = '' }) => sum + filename.length, 0);
}
