import type { DocumentOptions, DocumentPage, DocumentText } from '@plinth/toolkit';
import { Budget } from './formats/budget.ts';
import type { Content, OcrContext, ReadContext, Share } from './formats/format.ts';
import { formats } from './formats/index.ts';
import { sniff } from './formats/sniff.ts';
import { documentError, Refusal } from './refusal.ts';
import { tidied } from './tidy.ts';

/** The surroundings of one read. */
export interface ReadRun {
	progress?(done: number, of: number): void;
	/** Absent where there is no OCR. */
	readonly ocr?: OcrContext | undefined;
	/** Takes pages of a long document. Absent where nobody does. */
	readonly share?: Share | undefined;
}

/**
 * Reads a document in this process, which should be one that can be killed: the libraries behind the formats cannot be interrupted. Throws
 * a `Refusal`, whatever the bytes are.
 */
export async function readDocument(
	bytes: Uint8Array,
	options: DocumentOptions = {},
	{ progress = () => {}, ocr, share }: ReadRun = {},
): Promise<DocumentText> {
	const context = {
		options,
		budget: new Budget(),
		depth: 0,
		progress,
		share,
		...(ocr && options.ocr !== 'off' ? { ocr } : {}),
	};
	try {
		return tidied(chosen(await readContent(bytes, context), options));
	} catch (error) {
		throw refusalOf(error);
	}
}

/** The pages that were asked for, where a format reads all of them anyway. */
function chosen(content: Content, { pages: ranges }: DocumentOptions): Content {
	const { pages, pageCount = pages?.length } = content;
	if (!pages || !ranges || pageCount === undefined) return content;
	const isAsked = ({ page }: DocumentPage) => ranges.some(({ first, last }) => page >= first && page <= last);
	return { ...content, pages: pages.filter(isAsked), pageCount };
}

type Surroundings = Omit<ReadContext, 'readInner'>;

async function readContent(bytes: Uint8Array, surroundings: Surroundings): Promise<Content> {
	const mediaType = await sniff(bytes);
	const load = formats[mediaType ?? ''];
	if (!load) throw documentError('E_DOCUMENT_UNSUPPORTED');
	const read = await load();
	return await read(bytes, {
		...surroundings,
		readInner: (inner) => readInner(inner, surroundings),
	});
}

/** All of a file inside another one; pages were asked of the outer one. */
async function readInner(bytes: Uint8Array, outer: Surroundings): Promise<Content> {
	const { pages: _, ...options } = outer.options;
	const { share: __, ...rest } = outer;
	const inner = { ...rest, options, depth: outer.depth + 1, progress: () => {} };
	try {
		return await readContent(bytes, inner);
	} catch (error) {
		throw refusalOf(error);
	}
}

/** Libraries fail in their own ways at damaged files; whatever it was, it was the document's doing. */
function refusalOf(cause: unknown): unknown {
	if (cause instanceof Refusal) return cause;
	// An installation that lacks a package is ours to mend.
	if ((cause as { code?: unknown } | null)?.code === 'ERR_MODULE_NOT_FOUND') return cause;
	const isTooLong = cause instanceof RangeError && /string length|array length|allocation/i.test(cause.message);
	return documentError(isTooLong ? 'E_DOCUMENT_TOO_LARGE' : 'E_DOCUMENT_UNREADABLE', { cause });
}
