import { parentPort, workerData } from 'node:worker_threads';
import { Flite, type FliteVoice } from './flite.ts';
import { type Shape, shapeUtterance } from './shape.ts';
import type { WasmModule } from './webassembly.ts';

/** One utterance, as posted to the worker thread. */
export interface Utterance {
	/** Printable ASCII. */
	readonly text: string;
	readonly voice: FliteVoice;
	/** flite features by name. */
	readonly settings: Readonly<Record<string, number>>;
	readonly shape: Shape;
}

/** What the worker thread posts back: samples as s16le at the voice's own rate, or why there are none. */
export type Spoken =
	| { readonly pcm: Uint8Array<ArrayBuffer> }
	| { readonly error: { readonly message: string; readonly cause: unknown } };

const flite = new Flite((workerData as { readonly module: WasmModule }).module);

parentPort?.on('message', (utterance: Utterance) => {
	try {
		const { samples, sampleRate } = flite.speak(utterance.text, utterance.voice, utterance.settings);
		const pcm = shapeUtterance(samples, sampleRate, utterance.shape);
		post({ pcm }, [pcm.buffer]);
	} catch (error) {
		const { message, cause } = error as Error;
		post({ error: { message, cause: String(cause) } }, []);
	}
});

function post(spoken: Spoken, transfer: ArrayBuffer[]): void {
	parentPort?.postMessage(spoken, transfer);
}
