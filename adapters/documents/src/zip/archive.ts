import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import { type Budget, tooLarge } from '../formats/budget.ts';
import { asBuffer } from '../formats/charset.ts';
import { documentError, Refusal } from '../refusal.ts';

/** A file in an archive. */
interface Member {
	readonly name: string;
	/** Its bytes. Rejects with `E_DOCUMENT_TOO_LARGE` above the budget or 100 times the packed bytes. Each read counts. */
	read(): Promise<Buffer>;
}

/** A zip file in memory. */
export interface Archive {
	/** Files, in the order of the directory. */
	readonly entries: readonly Member[];
	has(name: string): boolean;
	/** The result of `Member.read`; undefined if there is no file of that name. */
	read(name: string): Promise<Buffer | undefined>;
}

/** Reads the directory of a zip file. Names keep their case; they are looked up without it, as Office does. */
export async function openArchive(bytes: Uint8Array, budget: Budget): Promise<Archive> {
	const files = new Map<string, Member>();
	for (const member of await membersOf(bytes, budget).catch(refuse)) {
		if (!member.name.endsWith('/') && !files.has(member.name)) files.set(member.name, member);
	}
	const lower = new Map([...files].map(([name, member]) => [name.toLowerCase(), member]));
	const find = (name: string) => files.get(name) ?? lower.get(name.toLowerCase());
	return {
		entries: [...files.values()],
		has: (name) => find(name) !== undefined,
		read: async (name) => await find(name)?.read(),
	};
}

/**
 * Inflates every entry of a zip file once, for a library that inflates them without any limit. Rejects with
 * `E_DOCUMENT_TOO_LARGE` as `Archive.read` does, `E_DOCUMENT_UNREADABLE` for a damaged file, `E_DOCUMENT_ENCRYPTED`
 * for encrypted entries and for documents of OpenDocument with a password.
 */
export async function checkArchive(bytes: Uint8Array, budget: Budget): Promise<void> {
	for (const { name, read } of await membersOf(bytes, budget).catch(refuse)) {
		const content = await read();
		const isLocked = name === 'META-INF/manifest.xml' && content.includes(':encryption-data');
		if (isLocked || name === 'encrypted-package') throw documentError('E_DOCUMENT_ENCRYPTED');
	}
}

async function membersOf(bytes: Uint8Array, budget: Budget): Promise<Member[]> {
	// yauzl would refuse the whole archive for one name with `..` in it; no name is a path here.
	const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: false };
	const zip = await fromBufferPromise(asBuffer(bytes), options);
	const total = { packed: 0, inflated: 0 };
	const members: Member[] = [];
	for await (const entry of zip.eachEntry()) {
		budget.enter();
		const read = async () => {
			total.packed += entry.compressedSize;
			const byRatio = Math.max(freeBytes, maxRatio * total.packed) - total.inflated;
			const content = await contentOf(zip, entry, Math.min(byRatio, budget.inflatable)).catch(refuse);
			total.inflated += content.length;
			budget.inflate(content.length);
			return content;
		};
		members.push({ name: nameOf(entry), read });
	}
	return members;
}

/** Always allowed, whatever the packed size: small files of one repeated byte are common. */
const freeBytes = 10_485_760;
const maxRatio = 100;

/** Some programs write names with backslashes, or as absolute paths. */
function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
	const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
	return name.replaceAll('\\', '/').replace(/^\/+/, '');
}

async function contentOf(zip: ZipFile, entry: Entry, limit: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of await zip.openReadStreamPromise(entry)) {
		length += chunk.length;
		if (length > limit) throw tooLarge('The document is packed so tightly that it would take too much memory.');
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** Rethrows errors of yauzl and zlib as refusals. Encryption can only be recognized by the message. */
function refuse(cause: unknown): never {
	if (cause instanceof Refusal) throw cause;
	if (cause instanceof Error && /encrypt/i.test(cause.message)) throw documentError('E_DOCUMENT_ENCRYPTED', { cause });
	const message = 'The document is a zip file that is damaged, or packed by an unusual method.';
	throw documentError('E_DOCUMENT_UNREADABLE', { message, cause });
}
