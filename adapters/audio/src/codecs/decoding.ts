import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input, type InputAudioTrack } from 'mediabunny';
import type { Codec } from '../encoding.ts';

/**
 * Decodes a file: each `end` returns the next block. The first one has the sample rate, as a float of 64 bits; then
 * come samples as floats of 32 bits; the last one is empty.
 */
export function openDecoding({ path }: { readonly path: string }): Codec {
	const blocks = decoded(path);
	const end = async () => new Uint8Array((await blocks.next()).value ?? new ArrayBuffer(0));
	return { push: end, end, close: () => void blocks.return() };
}

async function* decoded(path: string): AsyncGenerator<ArrayBuffer, void> {
	const input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
	let decoder: Awaited<ReturnType<typeof openDecoder>> | undefined;
	try {
		const track = await input.getPrimaryAudioTrack();
		if (!track) throw new Error('There is no audio in the file.');
		// Speech models need 16 kHz, which the Opus decoder can produce directly.
		yield Float64Array.of(track.codec === 'opus' ? 16_000 : track.sampleRate).buffer;
		decoder = await openDecoder(track);
		let block: number[] = [];
		for await (const { data } of new EncodedPacketSink(track).packets()) {
			for (const value of await decoder.decode(data)) block.push(value);
			if (block.length < 16_384) continue;
			yield Float32Array.from(block).buffer;
			block = [];
		}
		if (block.length > 0) yield Float32Array.from(block).buffer;
	} finally {
		decoder?.free();
		input.dispose();
	}
}

/** A decoder for the packets of a track, in native memory. Its library is loaded on first use. */
async function openDecoder(track: InputAudioTrack) {
	const { codec } = track;
	if (codec === 'opus') {
		const { createDecoder } = await import('libopus-wasm');
		const decoder = await createDecoder({ channels: 1, sampleRate: 16_000 });
		return { decode: async (packet: Uint8Array) => decoder.decodeFloat(packet), free: () => decoder.free() };
	}
	if (codec !== 'mp3' && codec !== 'flac') throw new Error(`There is no decoder for ${codec}.`);
	const decoder =
		codec === 'mp3'
			? new (await import('mpg123-decoder')).MPEGDecoder()
			: new (await import('@wasm-audio-decoders/flac')).FLACDecoder();
	await decoder.ready;
	// The FLAC decoder needs the header of the stream first.
	const { description } = (await track.getDecoderConfig()) ?? {};
	if (description) await decoder.decodeFrames([new Uint8Array(description as Uint8Array)]);
	return {
		decode: async (packet: Uint8Array) => mixed((await decoder.decodeFrames([packet])).channelData),
		free: () => decoder.free(),
	};
}

/** The mean of all channels. */
function mixed([first = new Float32Array(), ...others]: readonly Float32Array[]): Float32Array {
	return first.map((value, i) => others.reduce((sum, other) => sum + (other[i] ?? 0), value) / (others.length + 1));
}
