import { documentError } from '../refusal.ts';

/** A folder of an OLE2 compound file, the container of old Office documents and of Outlook messages. */
export interface Storage {
	/** Names of the streams in it. */
	readonly names: readonly string[];
	readonly storages: ReadonlyMap<string, Storage>;
	/** The bytes of a stream, undefined when there is none of that name. Throws `E_DOCUMENT_UNREADABLE` where its chain is broken. */
	read(name: string): Buffer | undefined;
}

/** Tells whether bytes begin like a compound file. */
export function isCompoundFile(bytes: Uint8Array): boolean {
	return signature.every((byte, at) => bytes[at] === byte);
}

/**
 * Opens a compound file ([MS-CFB]) and returns its root. No number of the file is believed: chains and trees that turn in circles, end too
 * early or lead out of the file throw `E_DOCUMENT_UNREADABLE`, and nothing takes more time or memory than a small multiple of the file's size.
 */
export function openCompoundFile(bytes: Uint8Array): Storage {
	const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (file.length < headerBytes || !isCompoundFile(file)) throw broken();
	const shift = file.readUInt16LE(30);
	if (shift !== 9 && shift !== 12) throw broken();
	const sectorSize = 1 << shift;
	const table = allocationTable(file, sectorSize);
	const sectors: Sectors = { bytes: file.subarray(sectorSize), size: sectorSize, table };
	const records = recordsOf(content(sectors, file.readUInt32LE(48)));
	const [root] = records;
	if (root?.type !== rootType) throw broken();
	const small: Sectors = {
		bytes: content(sectors, root.start),
		size: smallSectorSize,
		table: numbers(content(sectors, file.readUInt32LE(60))),
	};
	const cutoff = file.readUInt32LE(56);
	return folders(records, ({ start, size }) => content(size < cutoff ? small : sectors, start, size));
}

const signature = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const headerBytes = 512;
const recordBytes = 128;
const smallSectorSize = 64;
/** Sector numbers from here on mean free, end of chain, or the tables themselves. */
const firstMark = 0xff_ff_ff_fa;
const none = 0xff_ff_ff_ff;
const storageType = 1;
const streamType = 2;
const rootType = 5;

interface Sectors {
	readonly bytes: Buffer;
	readonly size: number;
	/** The next sector of each. */
	readonly table: Uint32Array;
}

interface DirectoryRecord {
	readonly name: string;
	readonly type: number;
	readonly left: number;
	readonly right: number;
	readonly child: number;
	readonly start: number;
	readonly size: number;
}

/** Where the table's own sectors are: the first 109 in the header, the others in a chain of lists. */
function allocationTable(file: Buffer, sectorSize: number): Uint32Array {
	const most = Math.ceil(file.length / sectorSize);
	const parts: Buffer[] = [];
	const take = (list: Buffer) => {
		for (const sector of numbers(list)) {
			if (sector >= firstMark) continue;
			if (parts.length >= most) throw broken();
			parts.push(sectorAt(file, sector, sectorSize));
		}
	};
	take(file.subarray(76, headerBytes));
	let next = file.readUInt32LE(68);
	for (let lists = 0; next < firstMark && lists < file.readUInt32LE(72); lists++) {
		if (lists > most) throw broken();
		const list = sectorAt(file, next, sectorSize);
		if (list.length < sectorSize) throw broken();
		take(list.subarray(0, sectorSize - 4));
		next = list.readUInt32LE(sectorSize - 4);
	}
	return numbers(Buffer.concat(parts));
}

function sectorAt(file: Buffer, sector: number, size: number): Buffer {
	return file.subarray((sector + 1) * size, (sector + 2) * size);
}

/** The bytes of a chain of sectors, at most `size` of them. */
function content(sectors: Sectors, start: number, size = Number.POSITIVE_INFINITY): Buffer {
	const parts: Buffer[] = [];
	const most = Math.ceil(sectors.bytes.length / sectors.size);
	let length = 0;
	for (let sector = start; sector < firstMark && length < size; ) {
		const part = sectors.bytes.subarray(sector * sectors.size, (sector + 1) * sectors.size);
		if (part.length === 0 || parts.length >= most) throw broken();
		parts.push(part);
		length += part.length;
		const next = sectors.table[sector];
		if (next === undefined) throw broken();
		sector = next;
	}
	if (Number.isFinite(size) && length < size) throw broken();
	return Buffer.concat(parts, Math.min(length, size));
}

function recordsOf(directory: Buffer): readonly DirectoryRecord[] {
	const count = Math.floor(directory.length / recordBytes);
	return Array.from({ length: count }, (_, at) => {
		const record = directory.subarray(at * recordBytes, (at + 1) * recordBytes);
		const nameBytes = Math.min(64, Math.max(0, record.readUInt16LE(64) - 2));
		return {
			name: record.toString('utf16le', 0, nameBytes),
			type: record.readUInt8(66),
			left: record.readUInt32LE(68),
			right: record.readUInt32LE(72),
			child: record.readUInt32LE(76),
			start: record.readUInt32LE(116),
			size: record.readUInt32LE(120),
		};
	});
}

/** Builds the folders from the trees of siblings. A record that is met twice is a circle. */
function folders(records: readonly DirectoryRecord[], read: (record: DirectoryRecord) => Buffer): Storage {
	const root = folder(read);
	const seen = new Set<number>();
	const waiting: { at: number; parent: Folder }[] = [{ at: records[0]?.child ?? none, parent: root }];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { at, parent } = next;
		const record = records[at];
		if (!record) continue;
		if (seen.has(at)) throw broken();
		seen.add(at);
		waiting.push({ at: record.right, parent }, { at: record.left, parent });
		if (record.type === streamType) {
			parent.names.push(record.name);
			parent.streams.set(record.name, record);
		}
		if (record.type !== storageType) continue;
		const inner = folder(read);
		parent.storages.set(record.name, inner);
		waiting.push({ at: record.child, parent: inner });
	}
	return root;
}

interface Folder extends Storage {
	readonly names: string[];
	readonly streams: Map<string, DirectoryRecord>;
	readonly storages: Map<string, Folder>;
}

function folder(read: (record: DirectoryRecord) => Buffer): Folder {
	const streams = new Map<string, DirectoryRecord>();
	return {
		names: [],
		streams,
		storages: new Map(),
		read(name) {
			const record = streams.get(name);
			return record && read(record);
		},
	};
}

/** Copied, because a stream of bytes need not begin at a multiple of four. */
function numbers(bytes: Buffer): Uint32Array {
	const list = new Uint32Array(Math.floor(bytes.length / 4));
	for (let at = 0; at < list.length; at++) list[at] = bytes.readUInt32LE(at * 4);
	return list;
}

function broken() {
	return documentError('E_DOCUMENT_UNREADABLE', {
		message: 'The document is an old Office file whose parts cannot be found.',
	});
}
