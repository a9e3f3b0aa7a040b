/** The limits of one document. */
export const documentLimits = {
	/** Bytes of a document as it was sent. */
	fileBytes: 104_857_600,
	/** Pages of a PDF that one process reads alone. Of a longer one, another process reads the second half. */
	alonePages: 500,
	/** JavaScript heap of a reading process. */
	heapBytes: 536_870_912,
	/** Total memory of a reading process. Above it, the process ends during a task. Detection allows for 20 MB more. */
	processBytes: 550_000_000,
	/** Memory of an idle reading process. Above it, the process collects garbage. */
	restingBytes: 250_000_000,
	/** How long a document waits for a running process before another one starts, in milliseconds. */
	waitMs: 1_000,
	/** Time for reading a small document, time that each mebibyte adds, and their maximum, in milliseconds. */
	readMs: 10_000,
	mebibyteMs: 1_000,
	maxReadMs: 60_000,
	/** Time that each finished page adds, and the maximum that all of them add, in milliseconds. */
	pageMs: 20,
	maxPagesMs: 60_000,
	/** Time that each page adds that is read by OCR, and the maximum that all of them add, in milliseconds. */
	ocrPageMs: 10_000,
	maxOcrMs: 300_000,
} as const;

/** The same limits with other values. */
export type DocumentLimits = Readonly<Record<keyof typeof documentLimits, number>>;

/** How long a document of so many bytes may take before its first page, without OCR, in milliseconds. */
export function timeFor(bytes: number, limits: DocumentLimits): number {
	const { readMs, mebibyteMs, maxReadMs } = limits;
	return Math.min(maxReadMs, readMs + (bytes / mebibyte) * mebibyteMs);
}

/** In bytes. */
export const mebibyte = 1_048_576;
