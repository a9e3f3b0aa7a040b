import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a ZIP file. Its headers may contain wrong values. */
export interface ZipEntry {
	readonly name: string;
	readonly content?: string | Uint8Array;
	/** Deflated bytes, instead of `content`. */
	readonly packed?: Uint8Array;
	/** Whether the content is stored without compression. */
	readonly isStored?: boolean;
	/** The compression method in the headers. */
	readonly method?: number;
	/** The size in the headers. */
	readonly size?: number;
	readonly isEncrypted?: boolean;
	/** The index of the entry whose bytes this entry refers to, instead of its own. */
	readonly sameAs?: number;
}

/** Writes a ZIP file. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
	const parts: Buffer[] = [];
	const directory: Buffer[] = [];
	const locations: Location[] = [];
	let at = 0;
	for (const entry of entries) {
		const location = entry.sameAs === undefined ? undefined : locations[entry.sameAs];
		const own = location ?? { ...packedOf(entry), offset: at };
		locations.push(own);
		directory.push(headerOf(entry, own, true), Buffer.from(entry.name));
		if (location) continue;
		const local = Buffer.concat([headerOf(entry, own, false), Buffer.from(entry.name), own.bytes]);
		parts.push(local);
		at += local.length;
	}
	const list = Buffer.concat(directory);
	return Buffer.concat([...parts, list, endOf(entries.length, list.length, at)]);
}

/** Writes a ZIP file from texts by name. */
export function zipOfFiles(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
	return zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
}

/** Deflated bytes of a repeated text: a hundred megabytes deflate to a hundred kilobytes. */
export function deflatedRepeat(unit: string, times: number): Buffer {
	return deflateRawSync(Buffer.alloc(unit.length * times, unit));
}

interface Location {
	readonly bytes: Buffer;
	readonly size: number;
	readonly sum: number;
	readonly offset: number;
}

function packedOf({ content = '', packed, isStored }: ZipEntry): Omit<Location, 'offset'> {
	const bytes = Buffer.from(content as string);
	const stored = packed ? Buffer.from(packed) : isStored ? bytes : deflateRawSync(bytes);
	return { bytes: stored, size: bytes.length, sum: crc32(bytes) };
}

function headerOf(entry: ZipEntry, location: Location, isCentral: boolean): Buffer {
	const header = Buffer.alloc(isCentral ? 46 : 30);
	const at = isCentral ? 6 : 4;
	header.writeUInt32LE(isCentral ? 0x02014b50 : 0x04034b50, 0);
	header.writeUInt16LE(20, at);
	header.writeUInt16LE(0x800 | (entry.isEncrypted ? 1 : 0), at + 2);
	header.writeUInt16LE(entry.method ?? (entry.isStored ? 0 : 8), at + 4);
	header.writeUInt32LE(location.sum, at + 10);
	header.writeUInt32LE(location.bytes.length, at + 14);
	header.writeUInt32LE(entry.size ?? location.size, at + 18);
	header.writeUInt16LE(Buffer.byteLength(entry.name), at + 22);
	if (isCentral) header.writeUInt32LE(location.offset, 42);
	return header;
}

function endOf(count: number, size: number, offset: number): Buffer {
	const end = Buffer.alloc(22);
	end.writeUInt32LE(0x06054b50, 0);
	end.writeUInt16LE(count, 8);
	end.writeUInt16LE(count, 10);
	end.writeUInt32LE(size, 12);
	end.writeUInt32LE(offset, 16);
	return end;
}
