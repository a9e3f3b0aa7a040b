import {
	type AudioEncodingConfig,
	AudioSample,
	AudioSampleSource,
	Output,
	type OutputFormat,
	StreamTarget,
	type StreamTargetChunk,
} from 'mediabunny';
import { type Codec, concat } from './codec.ts';

/** mediabunny emits encoded data after at most three further chunks, so small chunks reduce the latency. */
const chunkSamples = 1_024;

/** A codec and a container format of mediabunny, which runs a thread for each encoding. */
export class MuxedCodec implements Codec {
	readonly #output: Output;
	readonly #source: AudioSampleSource;
	readonly #sampleRate: number;
	#ready: Uint8Array[] = [];
	#sampleCount = 0;
	#isFinished = false;

	static async open(format: OutputFormat, encoding: AudioEncodingConfig, sampleRate: number): Promise<MuxedCodec> {
		const codec = new MuxedCodec(format, encoding, sampleRate);
		await codec.#output.start();
		return codec;
	}

	constructor(format: OutputFormat, encoding: AudioEncodingConfig, sampleRate: number) {
		const written = new WritableStream<StreamTargetChunk>({
			write: ({ data }) => {
				this.#ready.push(data.slice());
			},
		});
		this.#output = new Output({ format, target: new StreamTarget(written) });
		this.#source = new AudioSampleSource(encoding);
		this.#sampleRate = sampleRate;
		this.#output.addAudioTrack(this.#source);
	}

	async push(samples: Int16Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
		for (let start = 0; start < samples.length; start += chunkSamples) {
			const data = samples.subarray(start, start + chunkSamples);
			const sample = new AudioSample({
				data,
				format: 's16',
				numberOfChannels: 1,
				sampleRate: this.#sampleRate,
				timestamp: this.#sampleCount / this.#sampleRate,
			});
			this.#sampleCount += data.length;
			await this.#source.add(sample);
			sample.close();
		}
		return this.#flush();
	}

	async end(): Promise<Uint8Array<ArrayBuffer>> {
		this.#isFinished = true;
		await this.#output.finalize();
		return this.#flush();
	}

	close(): void {
		// `end` has freed everything. A failed cancellation has no effect on the caller.
		if (!this.#isFinished) this.#output.cancel().catch(() => {});
	}

	#flush(): Uint8Array<ArrayBuffer> {
		const bytes = concat(this.#ready);
		this.#ready = [];
		return bytes;
	}
}
