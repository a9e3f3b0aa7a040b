import { open } from 'node:fs/promises';

/** The key-value pairs that an ONNX file contains besides its graph. */
export type Metadata = ReadonlyMap<string, string>;

/** Reads the metadata of an ONNX file; a `.ort` file has none. Throws an error that states the kind of other files. */
export async function readMetadata(path: string): Promise<Metadata> {
	const file = await open(path);
	const read = async (at: number, length: number) => (await file.read(Buffer.alloc(length), 0, length, at)).buffer;
	try {
		const { size } = await file.stat();
		const head = (await read(0, 8)).toString('latin1');
		if (head.endsWith('ORTM')) return new Map();
		if (head === 'version ') throw new Error('is only a Git LFS pointer');
		const pairs = new Map<string, string>();
		for (let at = 0; at < size; ) {
			// A tag and a length have at most ten bytes each.
			const { number, start, end } = readField(await read(at, 20));
			if (at + end > size) throw new Error('is not a whole ONNX file');
			// `metadata_props` in `ModelProto` of onnx.proto3.
			if (number === 14) pairs.set(...readPair(await read(at + start, end - start)));
			at += end;
		}
		return pairs;
	} finally {
		await file.close();
	}
}

/** Where the content of a protocol-buffers field starts and ends. Numbers have no content. */
function readField(bytes: Buffer): { readonly number: number; readonly start: number; readonly end: number } {
	const [tag, afterTag] = readVarint(bytes, 0);
	const [value, start] = readVarint(bytes, afterTag);
	const type = tag % 8;
	// A model has numbers (0) and nested fields (2).
	if (tag < 8 || (type !== 0 && type !== 2)) throw new Error('is not an ONNX file');
	return { number: Math.floor(tag / 8), start, end: type === 2 ? start + value : start };
}

/** `StringStringEntryProto`: key and value. */
function readPair(bytes: Buffer): [key: string, value: string] {
	const key = readField(bytes);
	const rest = bytes.subarray(key.end);
	const value = rest.byteLength > 0 ? readField(rest) : { start: 0, end: 0 };
	return [bytes.toString('utf8', key.start, key.end), rest.toString('utf8', value.start, value.end)];
}

function readVarint(bytes: Buffer, from: number): [value: number, end: number] {
	let value = 0;
	for (let at = from; ; at++) {
		const byte = bytes[at] ?? 0;
		value += (byte % 128) * 128 ** (at - from);
		if (byte < 128) return [value, at + 1];
	}
}
