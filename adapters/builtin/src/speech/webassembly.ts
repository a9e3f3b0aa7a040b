/** A compiled module; opaque, and may be posted to a worker without compiling it again. */
export interface WasmModule {
	readonly [Symbol.toStringTag]: string;
}

/** The linear memory of an instance. `buffer` is replaced when the memory grows. */
export interface WasmMemory {
	readonly buffer: ArrayBuffer;
}

/** A WASI command with its own memory. */
export interface WasmInstance {
	readonly exports: { readonly memory: WasmMemory; readonly _start: () => void };
}

interface WasmApi {
	compile(bytes: Uint8Array): Promise<WasmModule>;
	readonly Instance: new (
		module: WasmModule,
		imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
	) => WasmInstance;
}

/** The part of WebAssembly that the synthesizer uses: TypeScript declares it in its DOM library only. */
export const wasm = (globalThis as unknown as { readonly WebAssembly: WasmApi }).WebAssembly;
