import { createRequire } from 'node:module';
import { serveTasks, type TaskResult } from '@plinth/toolkit/processes/child';
import { type EngineRequest, recognizerRate, type SpeakTask, type TranscribeTask } from './tasks.ts';

/** The parts of `sherpa-onnx-node` that are used. */
interface SherpaOnnx {
	readonly OfflineTts: new (config: unknown) => { generate(request: unknown): { samples: Float32Array } };
	readonly OfflineRecognizer: new (config: unknown) => Recognizer;
}

interface Recognizer {
	setConfig(config: unknown): void;
	createStream(): { acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void };
	decode(stream: unknown): void;
	getResult(stream: unknown): unknown;
}

/** The model in memory and what it was made of. */
let loaded: { readonly key: string; readonly model: unknown } | undefined;

/** Shorter windows are filled up with silence: SenseVoice reads beyond the end of very short ones. */
const minSamples = recognizerRate / 2;

// Blocking calls of the engine are used on purpose: after a native exception, they end the process, but asynchronous
// ones never settle.
function runTask(task: EngineRequest, body: Buffer): TaskResult {
	const sherpa = createRequire(import.meta.url)(task.engine) as SherpaOnnx;
	if (task.kind === 'speak') return speak(sherpa, task);
	return task.kind === 'transcribe' ? { value: transcribe(sherpa, task, body) } : {};
}

function speak(sherpa: SherpaOnnx, { config, text, speaker, speed }: SpeakTask): TaskResult {
	const voice = load(JSON.stringify(config), () => new sherpa.OfflineTts(config));
	// With `generationConfig`, a text without anything to speak causes an exception instead of a crash.
	const request = { text, enableExternalBuffer: false, generationConfig: { sid: speaker, speed, silenceScale: 0.2 } };
	try {
		const { samples } = voice.generate(request);
		const pcm = Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767));
		return { body: Buffer.from(pcm.buffer) };
	} catch (error) {
		if (`${error}`.includes('TTS generation failed')) return {};
		throw error;
	}
}

function transcribe(sherpa: SherpaOnnx, { config }: TranscribeTask, body: Buffer): unknown {
	// Only Whisper accepts new options after it was loaded.
	const { whisper, ...rest } = config.modelConfig;
	const recognizer = load(JSON.stringify(whisper ? rest : config), () => new sherpa.OfflineRecognizer(config));
	if (whisper) recognizer.setConfig(config);
	const samples = new Float32Array(Math.max(minSamples, body.byteLength / 4));
	Buffer.from(samples.buffer).set(body);
	const stream = recognizer.createStream();
	stream.acceptWaveform({ samples, sampleRate: recognizerRate });
	recognizer.decode(stream);
	return recognizer.getResult(stream);
}

/** Returns the model, and loads it if needed. Another model is released first, so that its memory is free. */
function load<T>(key: string, create: () => T): T {
	if (loaded?.key !== key) {
		loaded = undefined;
		globalThis.gc?.();
		loaded = { key, model: create() };
	}
	return loaded.model as T;
}

// The operator decides how much memory a model may use.
const unlimited = { maxBytes: Number.POSITIVE_INFINITY };
await serveTasks(async (task, body) => runTask(task as EngineRequest, body), unlimited);
