import { MemoryWasi, type WasiCalls } from './wasi.ts';
import { type WasmInstance, type WasmMemory, type WasmModule, wasm } from './webassembly.ts';

/** The voices compiled into flite.wasm. `kal` and `kal16` are diphone voices, the others statistical ones (clustergen). */
export type FliteVoice = 'kal' | 'kal16' | 'awb' | 'rms' | 'slt';

/** Signed 16-bit mono samples at the voice's own rate. */
export interface FliteSound {
	readonly sampleRate: number;
	readonly samples: Int16Array;
}

const textFile = 'text';
const soundFile = 'sound';
const headerBytes = 44;
const keepMemoryBytes = 64 * 2 ** 20;

/**
 * The flite command in memory: one call, one utterance. Equal calls give equal samples, whatever was said before.
 *
 * Throws what WebAssembly throws when the program traps; the next call starts from a new instance.
 */
export class Flite {
	readonly #module: WasmModule;
	#calls: WasiCalls | undefined;
	#instance: WasmInstance | undefined;
	#image: Uint8Array | undefined;

	constructor(module: WasmModule) {
		this.#module = module;
	}

	/** Speaks `text`, printable ASCII. `settings` are flite features such as `duration_stretch`. */
	speak(text: string, voice: FliteVoice, settings: Readonly<Record<string, number>>): FliteSound {
		// The text travels as a file: nothing in it can be taken for an option or for SSML.
		const options = Object.entries(settings).flatMap(([key, value]) => ['--setf', `${key}=${value}`]);
		const args = ['flite', '-voice', voice, ...options, '-f', textFile, '-o', soundFile];
		const wasi = new MemoryWasi(args, { [textFile]: new TextEncoder().encode(text) });
		this.#run(wasi);
		return readSound(wasi);
	}

	#run(wasi: MemoryWasi): void {
		const instance = this.#instance ?? this.#instantiate();
		const { memory } = instance.exports;
		wasi.attach(memory);
		this.#calls = wasi.imports();
		try {
			instance.exports._start();
			this.#rewind(memory);
		} catch (error) {
			this.#instance = undefined;
			throw new Error(`flite failed. ${wasi.errors}`.trim(), { cause: error });
		} finally {
			this.#calls = undefined;
		}
	}

	#instantiate(): WasmInstance {
		const names = Object.keys(new MemoryWasi([], {}).imports());
		// The instance outlives each run's file system, so its imports look up the current one.
		const imports = Object.fromEntries(names.map((name) => [name, (...args: never[]) => this.#call(name, args)]));
		this.#instance = new wasm.Instance(this.#module, { wasi_snapshot_preview1: imports });
		const { memory } = this.#instance.exports;
		this.#image ??= new Uint8Array(memory.buffer.slice(0));
		return this.#instance;
	}

	#call(name: string, args: never[]): number {
		const call = this.#calls?.[name];
		if (!call) throw new Error(`flite called ${name} outside of a run.`);
		return call(...args);
	}

	/**
	 * A command may run once: its globals are spent. Writing the first image of the memory back makes it fresh in 2 ms, where a
	 * new instance takes 10 ms and leaves 17 MB to the garbage collector.
	 */
	#rewind(memory: WasmMemory): void {
		if (!this.#image || memory.buffer.byteLength > keepMemoryBytes) {
			this.#instance = undefined;
			return;
		}
		const bytes = new Uint8Array(memory.buffer);
		bytes.set(this.#image);
		bytes.fill(0, this.#image.byteLength);
	}
}

function readSound(wasi: MemoryWasi): FliteSound {
	const wav = wasi.file(soundFile);
	if (!wav || wav.byteLength < headerBytes) throw new Error(`flite made no sound. ${wasi.errors}`.trim());
	const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength);
	const samples = new Int16Array((wav.byteLength - headerBytes) >> 1);
	for (let index = 0; index < samples.length; index++) {
		samples[index] = view.getInt16(headerBytes + index * 2, true);
	}
	return { sampleRate: view.getUint32(24, true), samples };
}
