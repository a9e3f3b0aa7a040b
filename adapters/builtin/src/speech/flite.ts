import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';
import { readFlite, type Segment } from './flite-module.ts';

/** The voices compiled into flite.wasm. `kal` and `kal16` are diphone voices, the others statistical ones. */
export type FliteVoice = 'kal' | 'kal16' | 'awb' | 'rms' | 'slt';

interface Instance {
	readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; _start(): void };
}

/** The part of WebAssembly in use: TypeScript declares it in its DOM library only. */
interface Wasm {
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object, imports: object) => Instance;
}

const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
const headerBytes = 44;
const keepMemoryBytes = 64 * 2 ** 20;
const wasi = new WASI([], [], [], { debug: false });
// Without a clock, a run depends only on its arguments and its text.
wasi.wasiImport.clock_time_get = () => 0;
let module: object | undefined;
let current: { readonly instance: Instance; readonly variables: Segment } | undefined;

/**
 * Signed 16-bit mono samples at the voice's own rate. Equal calls give equal samples. `text` is printable ASCII,
 * `settings` are flite features such as `duration_stretch`.
 */
export function synthesize(text: string, voice: FliteVoice, settings: Readonly<Record<string, number>>): Int16Array {
	// The text is a file, so that flite reads no option and no SSML in it.
	const files = new Map([['text', new File(new TextEncoder().encode(text))]]);
	const options = Object.entries(settings).flatMap(([key, value]) => ['--setf', `${key}=${value}`]);
	wasi.args = ['flite', '-voice', voice, ...options, '-f', 'text', '-o', 'sound'];
	const quiet = new ConsoleStdout(() => {});
	wasi.fds = [new OpenFile(new File([])), quiet, quiet, new PreopenDirectory('.', files)];
	run();
	const wav = files.get('sound')?.data;
	if (!wav || wav.byteLength < headerBytes) throw new Error('flite made no sound.');
	return new Int16Array(wav.slice(headerBytes, wav.byteLength & ~1).buffer);
}

/**
 * Runs flite. Each run needs the initial memory of an instance. Restoring it takes 2 ms; a new instance takes 10 ms
 * and leaves 17 MB to the garbage collector.
 */
function run(): void {
	const { instance, variables } = current ?? createInstance();
	current = undefined;
	const { memory } = instance.exports;
	const status = wasi.start(instance);
	if (status !== 0) throw new Error(`flite ended with status ${status}.`);
	const bytes = new Uint8Array(memory.buffer);
	if (bytes.byteLength > keepMemoryBytes) return;
	bytes.set(variables.bytes, variables.start);
	bytes.fill(0, variables.start + variables.bytes.byteLength);
	current = { instance, variables };
}

function createInstance(): NonNullable<typeof current> {
	const { code, constants, variables, release } = readFlite();
	module ??= new Module(code);
	const instance = new Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
	const bytes = new Uint8Array(instance.exports.memory.buffer);
	for (const { start, bytes: initial } of [constants, variables]) bytes.set(initial, start);
	release();
	return { instance, variables };
}
