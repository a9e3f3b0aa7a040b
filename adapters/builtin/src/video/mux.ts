import {
	BufferSource,
	BufferTarget,
	EncodedPacketSink,
	EncodedVideoPacketSource,
	Input,
	MP4,
	Mp4OutputFormat,
	Output,
} from 'mediabunny';
import { groupFrames } from './encode.ts';
import { frameRate } from './frame-rate.ts';

/** Written into every file, so that it is not mistaken for the output of a generative model. */
const provenance = 'Plinth builtin-video, procedural';
/** The colours of the frames. The encoder does not write them into its stream. */
const colorSpace = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

/** Rewrites the encoder's MP4 with the index first. Frame n starts at n / 24 seconds. */
export async function remux(file: Uint8Array): Promise<Uint8Array> {
	const input = new Input({ source: new BufferSource(file), formats: [MP4] });
	const track = await input.getPrimaryVideoTrack();
	const config = await track?.getDecoderConfig();
	if (!track || !config) throw new Error('The encoder returned no video track.');
	const target = new BufferTarget();
	const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
	const video = new EncodedVideoPacketSource('avc');
	output.addVideoTrack(video, { frameRate });
	output.setMetadataTags({ comment: provenance, raw: { '©too': provenance } });
	await output.start();
	let index = 0;
	for await (const packet of new EncodedPacketSink(track).packets()) {
		// The encoder's own file lists every frame as a key frame, and players would seek to any of them.
		const type = index % groupFrames === 0 ? 'key' : 'delta';
		const frame = packet.clone({ timestamp: index / frameRate, duration: 1 / frameRate, type });
		await video.add(frame, index === 0 ? { decoderConfig: { ...config, colorSpace } } : undefined);
		index++;
	}
	input.dispose();
	await output.finalize();
	const bytes = Buffer.from(target.buffer as ArrayBuffer);
	clearDates(bytes);
	return bytes;
}

/** Sets the dates in the three headers to zero (ISO/IEC 14496-12 §8): the muxer writes the time of day. */
function clearDates(bytes: Buffer): void {
	for (const name of ['mvhd', 'tkhd', 'mdhd']) {
		const at = bytes.indexOf(name) + 8;
		// A version of 1 before the dates means that they have 64 bits.
		bytes.fill(0, at, at + (bytes[at - 4] === 1 ? 16 : 8));
	}
}
