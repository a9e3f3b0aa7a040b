import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelFactory } from '@plinth/core';
import type { AudioFile, TranscriptionRequest, TranscriptionRun } from '@plinth/plugin-transcription/model';
import { createModel, silentLogger } from '@plinth/testing';
import type { z } from 'zod';
import { childrenOf } from './processes.ts';

/** The folder where `sherpa-onnx-node` is installed. Operators install it next to their config. */
export const installation = join(import.meta.dirname, '..');

/** Creates models from folders below a temporary folder. */
export interface Harness {
	readonly dir: string;
	make<M, C extends z.ZodType>(factory: ModelFactory<M, C>, options: z.input<C>): Promise<M>;
	/** Stops the models and removes the folder. Rejects when one of their processes still runs. */
	remove(): Promise<void>;
}

export async function createHarness(): Promise<Harness> {
	const dir = await mkdtemp(join(tmpdir(), 'plinth-test-sherpa-'));
	const before = childrenOf(process.pid);
	const stops: (() => Promise<void>)[] = [];
	return {
		dir,
		async make<M, C extends z.ZodType>(factory: ModelFactory<M, C>, options: z.input<C>) {
			const { model, close } = await createModel(factory(options), { folder: installation });
			stops.push(close);
			return model;
		},
		async remove() {
			for (const stop of stops.splice(0).reverse()) await stop();
			await rm(dir, { recursive: true, force: true });
			const left = childrenOf(process.pid).filter((pid) => !before.includes(pid));
			if (left.length > 0) throw new Error(`Processes still run: ${left.join(', ')}.`);
		},
	};
}

/** Samples at 16 kHz: silence with noise in the given stretches, in seconds. */
export function recording(seconds: number, sounds: readonly (readonly [number, number])[]): Float32Array {
	const samples = new Float32Array(Math.round(seconds * 16_000));
	let state = 1;
	for (const [from, to] of sounds) {
		for (let at = Math.round(from * 16_000); at < to * 16_000; at++) {
			state = (state * 48_271) % 2_147_483_647;
			samples[at] = 0.8 * (state / 2_147_483_647 - 0.5);
		}
	}
	return samples;
}

/** Audio of samples at 16 kHz, read in chunks of a tenth of a second, without a file. */
export function audioOf(samples: Float32Array): AudioFile {
	const file = {
		container: 'wav',
		mediaType: 'audio/wav',
		name: 'audio.wav',
		path: '/nowhere/audio.wav',
		size: samples.byteLength,
		async *open() {
			yield new Uint8Array(samples.buffer);
		},
		async *samples() {
			for (let at = 0; at < samples.length; at += 1_600) yield samples.slice(at, at + 1_600);
		},
	} as const;
	return file;
}

export function transcriptionRequest(
	samples: Float32Array,
	changes: Partial<TranscriptionRequest> = {},
): TranscriptionRequest {
	return { audio: audioOf(samples), task: 'transcribe', timestamps: [], ...changes };
}

/** The context of a request, and the text that was received as deltas. */
export function transcriptionRun(signal: AbortSignal = new AbortController().signal) {
	const deltas: string[] = [];
	const run: TranscriptionRun = { signal, log: silentLogger(), delta: (text) => void deltas.push(text) };
	return { run, deltas };
}
