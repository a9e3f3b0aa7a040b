import { AdtsOutputFormat, AudioSample, AudioSampleSource, FlacOutputFormat, Output, StreamTarget } from 'mediabunny';
import type { Codec, Settings } from '../encoding.ts';

/** mediabunny emits encoded data after at most three further chunks, so small chunks reduce the latency. */
const chunkSamples = 1_024;

/** AAC-LC by FFmpeg's encoder in ADTS frames, or FLAC by libFLAC. mediabunny runs a thread for each encoding. */
export async function openMuxed({ format, sampleRate, kbps }: Settings): Promise<Codec> {
	const isAac = format === 'aac';
	if (isAac) (await import('@mediabunny/aac-encoder')).registerAacEncoder();
	else (await import('@mediabunny/flac-encoder')).registerFlacEncoder();
	const ready: Uint8Array[] = [];
	const output = new Output({
		// The header of FLAC is sent first, with an unknown number of samples and an unknown MD5 (RFC 9639 §8.2).
		format: isAac ? new AdtsOutputFormat() : new FlacOutputFormat({ appendOnly: true }),
		target: new StreamTarget(new WritableStream({ write: ({ data }) => void ready.push(data.slice()) })),
	});
	const source = new AudioSampleSource(isAac ? { codec: 'aac', bitrate: kbps * 1_000 } : { codec: 'flac' });
	output.addAudioTrack(source);
	await output.start();
	let sampleCount = 0;
	const flush = () => Buffer.concat(ready.splice(0));
	return {
		async push(samples) {
			for (let start = 0; start < samples.length; start += chunkSamples) {
				const data = samples.subarray(start, start + chunkSamples);
				const timestamp = sampleCount / sampleRate;
				const sample = new AudioSample({ data, format: 's16', numberOfChannels: 1, sampleRate, timestamp });
				sampleCount += data.length;
				await source.add(sample);
				sample.close();
			}
			return flush();
		},
		async end() {
			await output.finalize();
			return flush();
		},
		close() {
			// `end` has freed everything. A failed cancellation has no effect on the caller.
			if (output.state === 'started') output.cancel().catch(() => {});
		},
	};
}
