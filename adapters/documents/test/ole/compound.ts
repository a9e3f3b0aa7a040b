/** Streams and folders, by name. */
export interface Folder {
	readonly [name: string]: Uint8Array | string | Folder;
}

const sector = 512;
const smallSector = 64;
/** Shorter streams are stored in small sectors, in the stream of the root entry. */
const cutoff = 4_096;
const free = 0xff_ff_ff_ff;
const endOfChain = 0xff_ff_ff_fe;

/** Sectors of one size, and their allocation table. */
class Sectors {
	readonly parts: Buffer[] = [];
	readonly chains: number[] = [];
	readonly #size: number;

	constructor(size: number) {
		this.#size = size;
	}

	/** Stores a stream and returns its first sector. */
	put(bytes: Buffer): number {
		const first = this.parts.length;
		for (let at = 0; at < bytes.length; at += this.#size) {
			const part = Buffer.alloc(this.#size);
			bytes.copy(part, 0, at);
			this.chains.push(at + this.#size < bytes.length ? this.parts.length + 1 : endOfChain);
			this.parts.push(part);
		}
		return bytes.length > 0 ? first : endOfChain;
	}
}

/** Writes an OLE2 compound file. */
export function compoundOf(files: Folder): Buffer {
	const root = record('Root Entry', 5);
	const records: Buffer[] = [root];
	const sectors = new Sectors(sector);
	const small = new Sectors(smallSector);
	const fill = (folder: Folder, parent: Buffer): void => {
		let link = { from: parent, at: 76 };
		for (const [name, content] of Object.entries(folder)) {
			const isFile = typeof content === 'string' || content instanceof Uint8Array;
			const one = record(name, isFile ? 2 : 1);
			link.from.writeUInt32LE(records.push(one) - 1, link.at);
			link = { from: one, at: 72 };
			if (isFile) {
				const bytes = Buffer.from(content as string);
				one.writeUInt32LE((bytes.length < cutoff ? small : sectors).put(bytes), 116);
				one.writeUInt32LE(bytes.length, 120);
			} else fill(content, one);
		}
	};
	fill(files, root);
	const smallBytes = Buffer.concat(small.parts);
	root.writeUInt32LE(sectors.put(smallBytes), 116);
	root.writeUInt32LE(smallBytes.length, 120);
	const smallTable = sectors.put(tableOf(small.chains));
	const directory = sectors.put(Buffer.concat(records));
	const tableSectors = Math.ceil((sectors.parts.length + 8) / 127);
	const table = Array.from({ length: tableSectors }, (_, at) => sectors.parts.length + at);
	const allocation = tableOf([...sectors.chains, ...table.map(() => 0xff_ff_ff_fd)], tableSectors);
	const head = header(directory, table, smallTable, Math.ceil(small.chains.length / 128));
	return Buffer.concat([head, ...sectors.parts, allocation]);
}

function tableOf(chains: readonly number[], sectors = Math.ceil(chains.length / 128)): Buffer {
	const bytes = Buffer.alloc(sectors * sector, 0xff);
	for (const [at, number] of chains.entries()) bytes.writeUInt32LE(number, at * 4);
	return bytes;
}

function record(name: string, type: number): Buffer {
	const bytes = Buffer.alloc(128);
	bytes.write(name, 'utf16le');
	bytes.writeUInt16LE((name.length + 1) * 2, 64);
	bytes.writeUInt8(type, 66);
	for (const at of [68, 72, 76]) bytes.writeUInt32LE(free, at);
	bytes.writeUInt32LE(endOfChain, 116);
	return bytes;
}

function header(directory: number, table: readonly number[], smallTable: number, smallSectors: number): Buffer {
	const bytes = Buffer.alloc(sector);
	Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
	bytes.writeUInt16LE(3, 26);
	bytes.writeUInt16LE(0xfffe, 28);
	bytes.writeUInt16LE(9, 30);
	bytes.writeUInt16LE(6, 32);
	bytes.writeUInt32LE(table.length, 44);
	bytes.writeUInt32LE(directory, 48);
	bytes.writeUInt32LE(cutoff, 56);
	bytes.writeUInt32LE(smallTable, 60);
	bytes.writeUInt32LE(smallSectors, 64);
	bytes.writeUInt32LE(endOfChain, 68);
	bytes.fill(0xff, 76);
	for (const [at, number] of table.entries()) bytes.writeUInt32LE(number, 76 + at * 4);
	return bytes;
}
