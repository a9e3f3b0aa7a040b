/** Streams and folders by name. */
export interface Folder {
	readonly [name: string]: Uint8Array | string | Folder;
}

const sector = 512;
const free = 0xff_ff_ff_ff;
const endOfChain = 0xff_ff_ff_fe;

/** Writes an OLE2 compound file. Every stream is in sectors of its own, which the header's limit of zero allows. */
export function compoundOf(files: Folder): Buffer {
	const records: Buffer[] = [record('Root Entry', 5)];
	const sectors: Buffer[] = [];
	const chains: number[] = [];
	const put = (bytes: Buffer): number => {
		const first = sectors.length;
		for (let at = 0; at < bytes.length; at += sector) {
			const part = Buffer.alloc(sector);
			bytes.copy(part, 0, at);
			chains.push(at + sector < bytes.length ? sectors.length + 1 : endOfChain);
			sectors.push(part);
		}
		return bytes.length > 0 ? first : endOfChain;
	};
	const fill = (folder: Folder, parent: Buffer): void => {
		let link = { from: parent, at: 76 };
		for (const [name, content] of Object.entries(folder)) {
			const isFile = typeof content === 'string' || content instanceof Uint8Array;
			const one = record(name, isFile ? 2 : 1);
			link.from.writeUInt32LE(records.push(one) - 1, link.at);
			link = { from: one, at: 72 };
			if (isFile) {
				const bytes = Buffer.from(content as string);
				one.writeUInt32LE(put(bytes), 116);
				one.writeUInt32LE(bytes.length, 120);
			} else fill(content, one);
		}
	};
	fill(files, records[0] as Buffer);
	const directory = put(Buffer.concat(records));
	const tableSectors = Math.ceil((sectors.length + 8) / 127);
	const table = Array.from({ length: tableSectors }, (_, at) => sectors.length + at);
	const numbers = [...chains, ...table.map(() => 0xff_ff_ff_fd)];
	const allocation = Buffer.alloc(tableSectors * sector, 0xff);
	for (const [at, number] of numbers.entries()) allocation.writeUInt32LE(number, at * 4);
	return Buffer.concat([header(directory, table), ...sectors, allocation]);
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

function header(directory: number, table: readonly number[]): Buffer {
	const bytes = Buffer.alloc(sector);
	Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
	bytes.writeUInt16LE(9, 30);
	bytes.writeUInt16LE(6, 32);
	bytes.writeUInt32LE(table.length, 44);
	bytes.writeUInt32LE(directory, 48);
	bytes.writeUInt32LE(endOfChain, 60);
	bytes.writeUInt32LE(endOfChain, 68);
	bytes.fill(0xff, 76);
	for (const [at, number] of table.entries()) bytes.writeUInt32LE(number, 76 + at * 4);
	return bytes;
}
