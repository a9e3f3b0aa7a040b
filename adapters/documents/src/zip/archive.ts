import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import type { Budget } from '../formats/budget.ts';
import { documentError } from '../refusal.ts';

/** A zip file in memory. */
export interface Archive {
	/** Files, in the order of the directory. `size` is what the directory claims, which may be a lie. */
	readonly entries: readonly { readonly name: string; readonly size: number }[];
	has(name: string): boolean;
	/**
	 * The bytes of a file, undefined when there is none of that name. They are counted while they are inflated: more than the budget allows,
	 * or more than a hundred times the packed size, rejects with `E_DOCUMENT_TOO_LARGE`. Each read counts: read a file once.
	 */
	read(name: string): Promise<Buffer | undefined>;
}

const inflate = promisify(inflateRaw);
/** So many bytes may be inflated from nothing at all: small files of one repeated byte are common. */
const freeBytes = 10_485_760;
const maxRatio = 100;
const stored = 0;
const deflated = 8;

/** Reads the directory of a zip file. Names keep their case; they are looked up without it, as Office does. */
export async function openArchive(bytes: Uint8Array, budget: Budget): Promise<Archive> {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const zip = await readable(
		fromBufferPromise(buffer, {
			lazyEntries: true,
			// yauzl would refuse the whole archive for one name with `..` in it; no name is a path here.
			decodeStrings: false,
			validateEntrySizes: false,
		}),
	);
	const files = await readable(directoryOf(zip, budget));
	const lower = new Map([...files].map(([name, entry]) => [name.toLowerCase(), entry]));
	const find = (name: string) => files.get(name) ?? lower.get(name.toLowerCase());
	const total = { packed: 0, inflated: 0 };
	return {
		entries: [...files].map(([name, { uncompressedSize }]) => ({ name, size: uncompressedSize })),
		has: (name) => find(name) !== undefined,
		async read(name) {
			const entry = find(name);
			return entry && (await contentOf(buffer, zip, entry, budget, total));
		},
	};
}

async function directoryOf(zip: ZipFile, budget: Budget): Promise<Map<string, Entry>> {
	const files = new Map<string, Entry>();
	for await (const entry of zip.eachEntry()) {
		budget.enter(1);
		const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
		// Some programs write names as their file system has them.
		const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
			.replaceAll('\\', '/')
			.replace(/^\/+/, '');
		if (!name.endsWith('/') && !files.has(name)) files.set(name, entry);
	}
	return files;
}

/** What one archive has given so far. */
interface Total {
	packed: number;
	inflated: number;
}

async function contentOf(buffer: Buffer, zip: ZipFile, entry: Entry, budget: Budget, total: Total): Promise<Buffer> {
	if (entry.isEncrypted()) throw documentError('E_DOCUMENT_ENCRYPTED');
	const { fileDataStart } = await readable(zip.readLocalFileHeaderPromise(entry, { minimal: true }));
	const packed = buffer.subarray(fileDataStart, fileDataStart + entry.compressedSize);
	total.packed += packed.length;
	const content = await unpacked(packed, entry, budget, total);
	total.inflated += content.length;
	budget.inflate(content.length);
	return content;
}

async function unpacked(
	packed: Buffer,
	{ compressionMethod }: Entry,
	budget: Budget,
	{ packed: packedSoFar, inflated }: Total,
): Promise<Buffer> {
	if (compressionMethod === stored) return packed;
	if (compressionMethod !== deflated) {
		throw documentError('E_DOCUMENT_UNREADABLE', {
			message: `A part of the document is compressed by method ${compressionMethod}; only deflate is known.`,
		});
	}
	const byRatio = Math.max(freeBytes, maxRatio * packedSoFar) - inflated;
	const limit = Math.max(1, Math.min(byRatio, budget.inflatable));
	try {
		return await inflate(packed, { maxOutputLength: limit, chunkSize: 262_144 });
	} catch (cause) {
		throw isTooLong(cause) ? tooLarge(cause) : unreadable(cause);
	}
}

function isTooLong(error: unknown): boolean {
	return error instanceof RangeError && (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLarge(cause: unknown) {
	return documentError('E_DOCUMENT_TOO_LARGE', {
		message: 'The document is packed so tightly that it would take too much memory.',
		cause,
	});
}

function unreadable(cause: unknown) {
	return documentError('E_DOCUMENT_UNREADABLE', {
		message: 'The document is a zip file that is damaged.',
		cause,
	});
}

/** Turns what yauzl throws into refusals; its only sign of encrypted directories is a sentence. */
async function readable<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof Error && 'sentence' in error) throw error;
		const isEncrypted = error instanceof Error && /encrypt/i.test(error.message);
		throw isEncrypted ? documentError('E_DOCUMENT_ENCRYPTED', { cause: error }) : unreadable(error);
	}
}
