import type { WasmMemory } from './webassembly.ts';

/** Thrown through WebAssembly when the program calls `exit`. */
class WasiExit extends Error {
	readonly status: number;

	constructor(status: number) {
		super(`The program ended with status ${status}.`);
		this.name = 'WasiExit';
		this.status = status;
	}
}

/** WASI functions by name, as WebAssembly imports them: numbers and bigints in, an errno out. */
export type WasiCalls = Readonly<Record<string, (...args: never[]) => number>>;

interface MemoryFile {
	data: Uint8Array;
	size: number;
}

interface OpenFile {
	readonly file: MemoryFile;
	position: number;
}

const ok = 0;
const badDescriptor = 8;
const invalid = 28;
const noEntry = 44;
const rootDescriptor = 3;
const createFlag = 1;
const truncateFlag = 8;

/**
 * As much of WASI preview 1 as a command needs that reads and writes a few files: arguments, one directory held in memory, a
 * clock that stands still, no environment, no randomness. A run can therefore depend on nothing but its arguments and files.
 */
export class MemoryWasi {
	/** What the program wrote to standard error, as Latin-1. */
	errors = '';
	readonly #args: readonly Uint8Array[];
	readonly #files = new Map<string, MemoryFile>();
	readonly #open = new Map<number, OpenFile>();
	#nextDescriptor = rootDescriptor + 1;
	#memory: WasmMemory | undefined;

	constructor(args: readonly string[], files: Readonly<Record<string, Uint8Array>>) {
		this.#args = args.map((arg) => new TextEncoder().encode(`${arg}\0`));
		for (const [name, data] of Object.entries(files)) {
			this.#files.set(name, { data, size: data.byteLength });
		}
	}

	/** Connects the memory of the instance that is about to run. */
	attach(memory: WasmMemory): void {
		this.#memory = memory;
	}

	/** The content of a file, or undefined when there is none. Valid until the program writes again. */
	file(name: string): Uint8Array | undefined {
		const file = this.#files.get(name);
		return file?.data.subarray(0, file.size);
	}

	/** The import module `wasi_snapshot_preview1`. */
	imports(): WasiCalls {
		return {
			args_sizes_get: (count: number, bytes: number) => {
				const total = this.#args.reduce((sum, arg) => sum + arg.byteLength, 0);
				this.#setU32(count, this.#args.length);
				return this.#setU32(bytes, total);
			},
			args_get: (pointers: number, bytes: number) => this.#writeArgs(pointers, bytes),
			clock_time_get: (_clock: number, _precision: bigint, result: number) => {
				this.#view().setBigUint64(result, 0n, true);
				return ok;
			},
			fd_close: (fd: number) => (this.#open.delete(fd) ? ok : badDescriptor),
			fd_fdstat_get: (fd: number, result: number) => this.#describe(fd, result),
			fd_fdstat_set_flags: () => ok,
			fd_prestat_get: (fd: number, result: number) => {
				if (fd !== rootDescriptor) return badDescriptor;
				this.#setU32(result, 0);
				return this.#setU32(result + 4, 1);
			},
			fd_prestat_dir_name: (_fd: number, path: number) => {
				this.#bytes()[path] = '.'.charCodeAt(0);
				return ok;
			},
			fd_read: (fd: number, vectors: number, count: number, result: number) => this.#read(fd, vectors, count, result),
			fd_seek: (fd: number, offset: bigint, whence: number, result: number) =>
				this.#seek(fd, Number(offset), whence, result),
			fd_write: (fd: number, vectors: number, count: number, result: number) => this.#write(fd, vectors, count, result),
			path_open: (...args: never[]) => this.#openPath(args),
			proc_exit: (status: number) => {
				throw new WasiExit(status);
			},
		};
	}

	#writeArgs(pointers: number, bytes: number): number {
		let at = bytes;
		for (const [index, arg] of this.#args.entries()) {
			this.#setU32(pointers + index * 4, at);
			this.#bytes().set(arg, at);
			at += arg.byteLength;
		}
		return ok;
	}

	#describe(fd: number, result: number): number {
		if (fd > rootDescriptor && !this.#open.has(fd)) return badDescriptor;
		const directory = 3;
		const regularFile = 4;
		const view = this.#view();
		this.#bytes().fill(0, result, result + 8);
		view.setUint8(result, fd === rootDescriptor ? directory : regularFile);
		view.setBigUint64(result + 8, ~0n & 0xffff_ffff_ffff_ffffn, true);
		view.setBigUint64(result + 16, ~0n & 0xffff_ffff_ffff_ffffn, true);
		return ok;
	}

	#openPath(args: readonly unknown[]): number {
		const [, , path, length, flags] = args as readonly number[];
		const result = args[8] as number;
		if (path === undefined || length === undefined || flags === undefined) return invalid;
		const name = new TextDecoder().decode(this.#bytes().subarray(path, path + length));
		const file = this.#files.get(name) ?? (flags & createFlag ? this.#createFile(name) : undefined);
		if (!file) return noEntry;
		if (flags & truncateFlag) file.size = 0;
		this.#open.set(this.#nextDescriptor, { file, position: 0 });
		return this.#setU32(result, this.#nextDescriptor++);
	}

	#createFile(name: string): MemoryFile {
		const file = { data: new Uint8Array(0), size: 0 };
		this.#files.set(name, file);
		return file;
	}

	#read(fd: number, vectors: number, count: number, result: number): number {
		const open = this.#open.get(fd);
		if (!open) return fd === 0 ? this.#setU32(result, 0) : badDescriptor;
		let total = 0;
		for (const [pointer, length] of this.#vectors(vectors, count)) {
			const end = Math.min(open.position + length, open.file.size);
			const chunk = open.file.data.subarray(Math.min(open.position, end), end);
			this.#bytes().set(chunk, pointer);
			open.position += chunk.byteLength;
			total += chunk.byteLength;
		}
		return this.#setU32(result, total);
	}

	#write(fd: number, vectors: number, count: number, result: number): number {
		const open = this.#open.get(fd);
		if (!open && fd > 2) return badDescriptor;
		let total = 0;
		for (const [pointer, length] of this.#vectors(vectors, count)) {
			const chunk = this.#bytes().subarray(pointer, pointer + length);
			if (open) append(open, chunk);
			else if (fd === 2) this.errors += Buffer.from(chunk).toString('latin1');
			total += length;
		}
		return this.#setU32(result, total);
	}

	#seek(fd: number, offset: number, whence: number, result: number): number {
		const open = this.#open.get(fd);
		if (!open) return badDescriptor;
		const origin = [0, open.position, open.file.size][whence];
		if (origin === undefined || origin + offset < 0) return invalid;
		open.position = origin + offset;
		this.#view().setBigUint64(result, BigInt(open.position), true);
		return ok;
	}

	*#vectors(vectors: number, count: number): Generator<readonly [number, number]> {
		for (let index = 0; index < count; index++) {
			const view = this.#view();
			const at = vectors + index * 8;
			yield [view.getUint32(at, true), view.getUint32(at + 4, true)];
		}
	}

	#setU32(at: number, value: number): number {
		this.#view().setUint32(at, value, true);
		return ok;
	}

	#view(): DataView {
		return new DataView(this.#buffer());
	}

	#bytes(): Uint8Array {
		return new Uint8Array(this.#buffer());
	}

	#buffer(): ArrayBuffer {
		if (!this.#memory) throw new Error('MemoryWasi is used before attach().');
		return this.#memory.buffer;
	}
}

function append(open: OpenFile, chunk: Uint8Array): void {
	const { file } = open;
	const end = open.position + chunk.byteLength;
	if (end > file.data.byteLength) {
		const larger = new Uint8Array(Math.max(end, file.data.byteLength * 2, 65_536));
		larger.set(file.data.subarray(0, file.size));
		file.data = larger;
	}
	file.data.set(chunk, open.position);
	open.position = end;
	file.size = Math.max(file.size, end);
}
